//! Reads replies of OpenAI's chat completions.

use openhands_protocol::ResponseId;
use openhands_protocol::message::{RedactedThinkingBlock, ThinkingBlock, ThinkingText};
use serde_json::Value;

use crate::error::LlmError;
use crate::genai::reply::{index, text};
use crate::model::{ReasoningDelta, StopReason, StreamPart, ToolCallDelta, Usage};
use crate::place::at;
use crate::spaced_json;

/// A reply that is being read.
#[derive(Debug, Default)]
pub(super) struct ChatReply {
    has_id: bool,
    /// For each call, whether its name was told.
    calls: Vec<bool>,
    thinking: String,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    pub(super) is_complete: bool,
}

impl ChatReply {
    pub(super) fn frame(
        &mut self,
        frame: &Value,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        if let Some(error) = frame.get("error").filter(|error| !error.is_null()) {
            return Err(LlmError::from_stream_body(error));
        }
        self.read_common(frame, parts);
        let Some(choice) = at(frame, "/choices/0") else {
            return Ok(());
        };
        if let Some(delta) = choice.get("delta") {
            self.read_message(delta, parts);
        }
        if let Some(reason) = text(choice, "/finish_reason") {
            self.stop = Some(StopReason::from_word(reason));
        }
        Ok(())
    }

    pub(super) fn whole(
        &mut self,
        body: &Value,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        self.read_common(body, parts);
        let Some(choice) = at(body, "/choices/0") else {
            return Err(LlmError::no_response());
        };
        if let Some(message) = choice.get("message") {
            self.read_message(message, parts);
        }
        self.stop = Some(
            text(choice, "/finish_reason").map_or(StopReason::Completed, StopReason::from_word),
        );
        self.close(parts);
        Ok(())
    }

    pub(super) fn close(&mut self, parts: &mut Vec<StreamPart>) {
        if self.is_complete {
            return;
        }
        let Some(stop) = self.stop.take() else { return };
        self.is_complete = true;
        parts.extend(self.usage.take().map(StreamPart::Usage));
        parts.push(StreamPart::End(stop));
    }

    fn read_common(&mut self, frame: &Value, parts: &mut Vec<StreamPart>) {
        if let Some(id) = text(frame, "/id").filter(|_| !self.has_id) {
            self.has_id = true;
            parts.push(StreamPart::ResponseId(ResponseId::from(id)));
        }
        let usage = frame.get("usage").filter(|usage| usage.is_object());
        // Groq tells it elsewhere.
        if let Some(usage) = usage.or_else(|| at(frame, "/x_groq/usage")) {
            self.usage = Some(Usage::from_json(usage));
        }
    }

    fn read_message(&mut self, message: &Value, parts: &mut Vec<StreamPart>) {
        if let Some(more) =
            text(message, "/reasoning_content").or_else(|| text(message, "/reasoning"))
        {
            parts.push(StreamPart::Reasoning(ReasoningDelta::Text(more.to_owned())));
        }
        for block in message
            .get("thinking_blocks")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            self.read_thinking(block, parts);
        }
        match message.get("content") {
            Some(Value::String(more)) if !more.is_empty() => {
                parts.push(StreamPart::Text(more.clone()));
            }
            Some(Value::Array(chunks)) => chunks.iter().for_each(|chunk| read_chunk(chunk, parts)),
            _ => {}
        }
        if let Some(refusal) = text(message, "/refusal") {
            parts.push(StreamPart::Text(refusal.to_owned()));
        }
        for (place, call) in message
            .get("tool_calls")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            self.read_call(place, call, parts);
        }
    }

    /// Claude's thinking through a proxy: text in pieces, then the signature.
    fn read_thinking(&mut self, block: &Value, parts: &mut Vec<StreamPart>) {
        if let Some(data) = text(block, "/data") {
            parts.push(block_part(ThinkingBlock::Redacted(RedactedThinkingBlock {
                data: data.to_owned(),
                ..RedactedThinkingBlock::default()
            })));
            return;
        }
        self.thinking
            .push_str(text(block, "/thinking").unwrap_or_default());
        if let Some(signature) = text(block, "/signature") {
            parts.push(block_part(ThinkingBlock::Thinking(ThinkingText {
                thinking: std::mem::take(&mut self.thinking),
                signature: Some(signature.to_owned()),
                ..ThinkingText::default()
            })));
        }
    }

    fn read_call(&mut self, place: usize, call: &Value, parts: &mut Vec<StreamPart>) {
        let id = text(call, "/id");
        let name = text(call, "/function/name");
        let number = index(call, "index").unwrap_or_else(|| {
            // Without a number, an id or a name begins a new call.
            if id.is_some() || name.is_some() {
                self.calls.len()
            } else {
                self.calls.len().saturating_sub(1).max(place)
            }
        });
        while self.calls.len() <= number && self.calls.len() < MAX_CALLS {
            self.calls.push(false);
        }
        // Some servers repeat id and name in every piece.
        let is_new = self
            .calls
            .get_mut(number)
            .is_some_and(|told| !std::mem::replace(told, *told || name.is_some()));
        let arguments = match at(call, "/function/arguments") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Object(object)) => spaced_json::to_text(&Value::Object(object.clone())),
            _ => String::new(),
        };
        parts.push(StreamPart::ToolCall(ToolCallDelta {
            index: number,
            id: id.filter(|_| is_new).map(str::to_owned),
            name: name.filter(|_| is_new).map(str::to_owned),
            arguments,
            responses_item_id: None,
        }));
    }
}

/// No answer has more calls; a larger number is nonsense.
const MAX_CALLS: usize = 1024;

/// Mistral writes text and thinking as chunks of the content.
fn read_chunk(chunk: &Value, parts: &mut Vec<StreamPart>) {
    if let Some(more) = text(chunk, "/text") {
        parts.push(StreamPart::Text(more.to_owned()));
    }
    for more in chunk
        .get("thinking")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(more) = text(more, "/text") {
            parts.push(StreamPart::Reasoning(ReasoningDelta::Text(more.to_owned())));
        }
    }
}

pub(super) fn block_part(block: ThinkingBlock) -> StreamPart {
    StreamPart::Reasoning(ReasoningDelta::Block(block))
}

#[cfg(test)]
#[path = "chat_reply_tests.rs"]
mod tests;
