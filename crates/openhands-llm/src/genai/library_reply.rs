//! Reads replies that the library has translated.

use genai::chat::{
    ChatResponse, ChatStreamEvent, ContentPart, MessageContent, StopReason as LibraryStop,
    StreamEnd,
};
use openhands_protocol::ResponseId;
use openhands_protocol::message::{ThinkingBlock, ThinkingText};
use serde_json::Value;

use crate::genai::chat_reply::block_part;
use crate::model::{ReasoningDelta, StopReason, StreamPart, ToolCallDelta, Usage};
use crate::spaced_json;

/// The parts of one event of a stream.
pub(super) fn event(event: ChatStreamEvent, parts: &mut Vec<StreamPart>) {
    match event {
        ChatStreamEvent::Chunk(chunk) => parts.push(StreamPart::Text(chunk.content)),
        ChatStreamEvent::ReasoningChunk(chunk) => {
            parts.push(StreamPart::Reasoning(ReasoningDelta::Text(chunk.content)));
        }
        ChatStreamEvent::End(end) => self::end(end, parts),
        // Calls and signatures are told whole at the end.
        ChatStreamEvent::Start
        | ChatStreamEvent::ToolCallChunk(_)
        | ChatStreamEvent::ThoughtSignatureChunk(_)
        | ChatStreamEvent::Heartbeat => {}
    }
}

fn end(end: StreamEnd, parts: &mut Vec<StreamPart>) {
    parts.extend(
        end.captured_response_id
            .map(|id| StreamPart::ResponseId(ResponseId::from(id))),
    );
    let has_calls = end
        .captured_content
        .is_some_and(|content| closing(content, false, parts));
    parts.extend(
        end.captured_usage
            .map(|usage| StreamPart::Usage(self::usage(&usage))),
    );
    parts.push(StreamPart::End(stop(
        end.captured_stop_reason.as_ref(),
        has_calls,
    )));
}

/// The parts of a reply that came in one piece.
pub(super) fn whole(response: ChatResponse, parts: &mut Vec<StreamPart>) {
    parts.extend(
        response
            .response_id
            .map(|id| StreamPart::ResponseId(ResponseId::from(id))),
    );
    if let Some(reasoning) = response.reasoning_content {
        parts.push(StreamPart::Reasoning(ReasoningDelta::Text(reasoning)));
    }
    let has_calls = closing(response.content, true, parts);
    parts.push(StreamPart::Usage(usage(&response.usage)));
    parts.push(StreamPart::End(stop(
        response.stop_reason.as_ref(),
        has_calls,
    )));
}

/// What is told at the end: signatures and calls, and the text if it was not streamed. True if there are calls.
fn closing(content: MessageContent, with_text: bool, parts: &mut Vec<StreamPart>) -> bool {
    let mut calls = 0;
    for part in content.into_parts() {
        match part {
            ContentPart::Text(text) if with_text && !text.is_empty() => {
                parts.push(StreamPart::Text(text));
            }
            ContentPart::ThoughtSignature(signature) => {
                parts.push(block_part(ThinkingBlock::Thinking(ThinkingText {
                    signature: Some(signature),
                    ..ThinkingText::default()
                })));
            }
            ContentPart::ToolCall(call) => {
                let arguments = match &call.fn_arguments {
                    Value::String(text) => text.clone(),
                    Value::Null => "{}".to_owned(),
                    other => spaced_json::to_text(other),
                };
                parts.push(StreamPart::ToolCall(ToolCallDelta {
                    index: calls,
                    id: Some(call.call_id),
                    name: Some(call.fn_name),
                    arguments,
                    responses_item_id: None,
                }));
                calls += 1;
            }
            ContentPart::Text(_)
            | ContentPart::Binary(_)
            | ContentPart::ToolResponse(_)
            | ContentPart::ReasoningContent(_)
            | ContentPart::Custom(_) => {}
        }
    }
    calls > 0
}

fn usage(usage: &genai::chat::Usage) -> Usage {
    serde_json::to_value(usage)
        .map(|usage| Usage::from_json(&usage))
        .unwrap_or_default()
}

fn stop(reason: Option<&LibraryStop>, has_calls: bool) -> StopReason {
    match reason {
        _ if has_calls => StopReason::ToolCalls,
        None | Some(LibraryStop::Completed(_) | LibraryStop::StopSequence(_)) => {
            StopReason::Completed
        }
        Some(LibraryStop::ToolCall(_)) => StopReason::ToolCalls,
        Some(LibraryStop::MaxTokens(_)) => StopReason::MaxTokens,
        Some(LibraryStop::ContentFilter(_)) => StopReason::ContentFilter,
        Some(LibraryStop::Other(word)) => StopReason::Other(word.clone()),
    }
}
