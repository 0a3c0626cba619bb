//! Reads replies that the library has translated.

use std::collections::HashSet;

use genai::chat::{
    ChatResponse, ChatStreamEvent, ContentPart, MessageContent, StopReason as LibraryStop,
    StreamEnd, ToolCall,
};
use openhands_protocol::ResponseId;
use openhands_protocol::message::{ThinkingBlock, ThinkingText};
use serde_json::Value;

use crate::genai::chat_reply::block_part;
use crate::genai::library_request::{MADE_UP, THOUGHT};
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
    // A call carries its own signature along; here it would be told twice.
    let of_calls: HashSet<String> = content
        .tool_calls()
        .iter()
        .filter_map(|call| call.thought_signatures.clone())
        .flatten()
        .collect();
    for part in content.into_parts() {
        match part {
            ContentPart::Text(text) if with_text && !text.is_empty() => {
                parts.push(StreamPart::Text(text));
            }
            ContentPart::ThoughtSignature(signature) if !of_calls.contains(&signature) => {
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
                    id: Some(id(&call)),
                    name: Some(call.fn_name),
                    arguments,
                    responses_item_id: None,
                }));
                calls += 1;
            }
            ContentPart::Text(_)
            | ContentPart::ThoughtSignature(_)
            | ContentPart::Binary(_)
            | ContentPart::ToolResponse(_)
            | ContentPart::ReasoningContent(_)
            | ContentPart::Custom(_) => {}
        }
    }
    calls > 0
}

/// The id of a call, with the signature of the thought behind it. Google's models give none, and the library numbers
/// them anew in each reply: a conversation needs ids that do not come back.
fn id(call: &ToolCall) -> String {
    let mut id = if call.call_id.is_empty() || call.call_id.starts_with("call#") {
        format!("{MADE_UP}{}", uuid::Uuid::new_v4().simple())
    } else {
        call.call_id.clone()
    };
    if let Some(thought) = call.thought_signatures.iter().flatten().next() {
        id.push_str(THOUGHT);
        id.push_str(thought);
    }
    id
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
