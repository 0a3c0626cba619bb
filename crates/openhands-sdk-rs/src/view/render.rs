//! An event as the message that the model reads.

use openhands_protocol::ToolCallId;
use openhands_protocol::event::{
    ActionEvent, AgentErrorEvent, MessageEvent, ObservationEvent, SystemPromptEvent,
    UserRejectObservation,
};
use openhands_protocol::message::{Content, Message, Role, TextContent};
use openhands_tools::truncate::{DEFAULT_NOTICE, truncate_middle};

use super::observation_text;

/// The longest text part of a tool message, in characters.
const TOOL_TEXT_LIMIT: usize = 30_000;

/// The system prompt: the part that all conversations share, then this conversation's own.
pub(super) fn system(event: &SystemPromptEvent) -> Message {
    let parts = std::iter::once(&event.system_prompt).chain(&event.dynamic_context);
    Message {
        role: Role::System,
        content: texts(parts),
        ..Message::default()
    }
}

/// What someone said, with what was added for the model.
pub(super) fn said(event: &MessageEvent) -> Message {
    let mut message = event.llm_message.clone();
    message.content.extend(texts(&event.extended_content));
    message
}

/// A call, with what the model thought before it.
pub(super) fn action(event: &ActionEvent) -> Message {
    Message {
        role: Role::Assistant,
        content: texts(&event.thought),
        tool_calls: Some(vec![event.tool_call.clone()]),
        reasoning_content: event.reasoning_content.clone(),
        thinking_blocks: event.thinking_blocks.clone(),
        responses_reasoning_item: event.responses_reasoning_item.clone(),
        ..Message::default()
    }
}

/// What a tool answered, with what was added for the model.
pub(super) fn observation(event: &ObservationEvent) -> Message {
    let mut content = observation_text::for_model(&event.observation);
    content.extend(texts(&event.extended_content));
    answer(&event.tool_name, &event.tool_call_id, content)
}

/// Why an action was not allowed.
pub(super) fn rejection(event: &UserRejectObservation) -> Message {
    let text = format!("Action rejected: {}", event.rejection_reason);
    answer(&event.tool_name, &event.tool_call_id, vec![text.into()])
}

/// Why a call failed.
pub(super) fn error(event: &AgentErrorEvent) -> Message {
    let text = Content::text(event.error.as_str());
    answer(&event.tool_name, &event.tool_call_id, vec![text])
}

fn answer(tool: &str, call: &ToolCallId, mut content: Vec<Content>) -> Message {
    for part in &mut content {
        if let Content::Text(text) = part
            && let std::borrow::Cow::Owned(cut) =
                truncate_middle(&text.text, TOOL_TEXT_LIMIT, DEFAULT_NOTICE)
        {
            text.text = cut;
        }
    }
    Message {
        role: Role::Tool,
        content,
        name: Some(tool.to_owned()),
        tool_call_id: Some(call.clone()),
        ..Message::default()
    }
}

fn texts<'a>(parts: impl IntoIterator<Item = &'a TextContent>) -> Vec<Content> {
    parts.into_iter().cloned().map(Content::Text).collect()
}
