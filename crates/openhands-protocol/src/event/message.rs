//! Someone said something.

use crate::agent::CriticResult;
use crate::event::{EventHeader, Source};
use crate::ids::ResponseId;
use crate::json::Extra;
use crate::message::{Message, TextContent};
use crate::wire::wire;

wire! {
    /// A message of user, agent or environment.
    pub struct MessageEvent ["kind" = "MessageEvent"] event [header: None] {
        llm_message: Message,
        llm_response_id: Option<ResponseId> = None,
        activated_skills: Vec<String> = Vec::new(),
        /// Text added for the model, such as the content of skills.
        extended_content: Vec<TextContent> = Vec::new(),
        sender: Option<String> = None,
        critic_result: Option<CriticResult> = None,
    }
}

impl MessageEvent {
    /// A message that somebody says now.
    pub fn new(source: Source, message: Message) -> Self {
        Self {
            header: EventHeader::now(source),
            llm_message: message,
            llm_response_id: None,
            activated_skills: Vec::new(),
            extended_content: Vec::new(),
            sender: None,
            critic_result: None,
            extra: Extra::default(),
        }
    }
}
