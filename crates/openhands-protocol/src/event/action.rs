//! The agent decides to call a tool.

use crate::agent::CriticResult;
use crate::event::Source;
use crate::ids::{ResponseId, ToolCallId};
use crate::json::Json;
use crate::message::{MessageToolCall, ReasoningItem, TextContent, ThinkingBlock};
use crate::text::words;
use crate::tool::Action;
use crate::wire::wire;

words! {
    /// How dangerous an action is.
    pub enum SecurityRisk {
        Unknown = "UNKNOWN",
        Low = "LOW",
        Medium = "MEDIUM",
        High = "HIGH",
    }
}

wire! {
    /// A tool call of the model. Without `action` it could not be executed.
    pub struct ActionEvent ["kind" = "ActionEvent"] event [header: Some(Source::Agent)] {
        /// What the model said before the call. Only the first action of a batch has it.
        thought: Vec<TextContent>,
        reasoning_content: Option<String> = None,
        thinking_blocks: Vec<ThinkingBlock> = Vec::new(),
        responses_reasoning_item: Option<ReasoningItem> = None,
        /// The validated arguments with defaults filled in.
        action: Option<Action> = None,
        tool_name: String,
        tool_call_id: ToolCallId,
        /// The call as the model wrote it.
        tool_call: MessageToolCall,
        /// Shared by all actions of one model response.
        llm_response_id: ResponseId,
        security_risk: SecurityRisk = SecurityRisk::Unknown,
        critic_result: Option<CriticResult> = None,
        summary: Option<String> = None,
    }

    /// A tool call of an external agent.
    pub struct AcpToolCallEvent ["kind" = "ACPToolCallEvent"] event [header: Some(Source::Agent)] {
        tool_call_id: ToolCallId,
        title: String,
        status: Option<String> = None,
        tool_kind: Option<String> = None,
        raw_input: Option<Json> = None,
        raw_output: Option<Json> = None,
        content: Option<Vec<Json>> = None,
        is_error: bool = false,
    }
}
