//! What the model is told at the start, and how risky its actions were found.

use indexmap::IndexMap;

use crate::event::{SecurityRisk, Source};
use crate::ids::EventId;
use crate::json::JsonObject;
use crate::message::TextContent;
use crate::tool::ToolDefinition;
use crate::wire::wire;

wire! {
    /// System prompt and tools. The first event of a conversation.
    pub struct SystemPromptEvent ["kind" = "SystemPromptEvent"] event [header: Some(Source::Agent)] {
        system_prompt: TextContent,
        tools: Vec<ToolDefinition>,
        /// The part of the prompt that differs per conversation, so that the rest can be cached.
        dynamic_context: Option<TextContent> = None,
    }

    /// What the security analyzer thinks of a batch of actions.
    pub struct SecurityAnalysisEvent ["kind" = "SecurityAnalysisEvent"] event [header: Some(Source::Environment)] {
        analyzer: String,
        policy: String,
        /// Risk by action.
        risks: IndexMap<EventId, SecurityRisk>,
        /// Details by action.
        details: IndexMap<EventId, JsonObject> = IndexMap::new(),
    }
}
