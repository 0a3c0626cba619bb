//! Messages between user, agent and model.

mod content;
mod reasoning;
mod tool_call;

pub use content::{Content, ImageContent, TextContent};
pub use reasoning::{ReasoningItem, RedactedThinkingBlock, ThinkingBlock, ThinkingText};
pub use tool_call::{MessageToolCall, ToolCallOrigin};

use crate::ids::ToolCallId;
use crate::text::words;
use crate::wire::wire;

words! {
    /// Whose message it is.
    pub enum Role {
        User = "user",
        System = "system",
        Assistant = "assistant",
        Tool = "tool",
    }
}

wire! {
    /// A message as the model sees it.
    pub struct Message (default) {
        role: Role,
        content: Vec<Content> = Vec::new(),
        tool_calls: Option<Vec<MessageToolCall>> = None,
        /// The call that a tool message answers.
        tool_call_id: Option<ToolCallId> = None,
        name: Option<String> = None,
        reasoning_content: Option<String> = None,
        thinking_blocks: Vec<ThinkingBlock> = Vec::new(),
        responses_reasoning_item: Option<ReasoningItem> = None,
    }
}

impl Message {
    /// A message of one text part.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            content: vec![Content::text(text)],
            ..Self::default()
        }
    }

    /// What a user says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::text(Role::User, text)
    }
}
