//! Reads replies of Anthropic's Messages API.

use openhands_protocol::ResponseId;
use openhands_protocol::message::{RedactedThinkingBlock, ThinkingBlock, ThinkingText};
use serde_json::{Map, Value};

use crate::error::LlmError;
use crate::genai::chat_reply::block_part;
use crate::genai::reply::text;
use crate::model::{ReasoningDelta, StopReason, StreamPart, ToolCallDelta, Usage};
use crate::spaced_json;

/// A reply that is being read.
#[derive(Debug, Default)]
pub(super) struct MessagesReply {
    block: Block,
    calls: usize,
    /// What the first and the last frames said together.
    usage: Map<String, Value>,
    stop: Option<StopReason>,
    pub(super) is_complete: bool,
}

/// The block that is being written.
#[derive(Debug, Default)]
enum Block {
    #[default]
    Other,
    Thinking {
        thinking: String,
        signature: String,
    },
    Call {
        index: usize,
        has_arguments: bool,
    },
}

impl MessagesReply {
    pub(super) fn frame(
        &mut self,
        frame: &Value,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        match text(frame, "/type").unwrap_or_default() {
            "message_start" => {
                if let Some(message) = frame.get("message") {
                    self.read_start(message, parts);
                }
            }
            "content_block_start" => {
                if let Some(block) = frame.get("content_block") {
                    self.begin_block(block, parts);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = frame.get("delta") {
                    self.read_delta(delta, parts);
                }
            }
            "content_block_stop" => self.end_block(parts),
            "message_delta" => {
                self.read_usage(frame.get("usage"));
                if let Some(reason) = text(frame, "/delta/stop_reason") {
                    self.stop = Some(StopReason::from_word(reason));
                }
            }
            "message_stop" => self.finish(parts),
            "error" => return Err(LlmError::from_stream_body(frame)),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn whole(
        &mut self,
        body: &Value,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        let Some(blocks) = body.get("content").and_then(Value::as_array) else {
            return Err(LlmError::no_response());
        };
        self.read_start(body, parts);
        for block in blocks {
            self.begin_block(block, parts);
            if let Some(input) = block.get("input").filter(|input| input.is_object()) {
                self.add_arguments(spaced_json::to_text(input), parts);
            }
            self.end_block(parts);
        }
        self.stop = text(body, "/stop_reason").map(StopReason::from_word);
        self.finish(parts);
        Ok(())
    }

    fn read_start(&mut self, message: &Value, parts: &mut Vec<StreamPart>) {
        if let Some(id) = text(message, "/id") {
            parts.push(StreamPart::ResponseId(ResponseId::from(id)));
        }
        self.read_usage(message.get("usage"));
    }

    fn read_usage(&mut self, usage: Option<&Value>) {
        for (name, value) in usage.and_then(Value::as_object).into_iter().flatten() {
            if !value.is_null() {
                self.usage.insert(name.clone(), value.clone());
            }
        }
    }

    fn begin_block(&mut self, block: &Value, parts: &mut Vec<StreamPart>) {
        self.block = match text(block, "/type").unwrap_or_default() {
            "thinking" => {
                let thinking = text(block, "/thinking").unwrap_or_default().to_owned();
                if !thinking.is_empty() {
                    parts.push(StreamPart::Reasoning(ReasoningDelta::Text(
                        thinking.clone(),
                    )));
                }
                let signature = text(block, "/signature").unwrap_or_default().to_owned();
                Block::Thinking {
                    thinking,
                    signature,
                }
            }
            "redacted_thinking" => {
                parts.push(block_part(ThinkingBlock::Redacted(RedactedThinkingBlock {
                    data: text(block, "/data").unwrap_or_default().to_owned(),
                    ..RedactedThinkingBlock::default()
                })));
                Block::Other
            }
            "tool_use" => {
                let index = self.calls;
                self.calls += 1;
                parts.push(StreamPart::ToolCall(ToolCallDelta {
                    index,
                    id: text(block, "/id").map(str::to_owned),
                    name: text(block, "/name").map(str::to_owned),
                    ..ToolCallDelta::default()
                }));
                Block::Call {
                    index,
                    has_arguments: false,
                }
            }
            _ => {
                if let Some(said) = text(block, "/text") {
                    parts.push(StreamPart::Text(said.to_owned()));
                }
                Block::Other
            }
        };
    }

    fn read_delta(&mut self, delta: &Value, parts: &mut Vec<StreamPart>) {
        if let Some(more) = text(delta, "/text") {
            parts.push(StreamPart::Text(more.to_owned()));
        }
        if let Some(more) = text(delta, "/partial_json") {
            self.add_arguments(more.to_owned(), parts);
        }
        if let Block::Thinking {
            thinking,
            signature,
        } = &mut self.block
        {
            signature.push_str(text(delta, "/signature").unwrap_or_default());
            if let Some(more) = text(delta, "/thinking") {
                thinking.push_str(more);
                parts.push(StreamPart::Reasoning(ReasoningDelta::Text(more.to_owned())));
            }
        }
    }

    fn add_arguments(&mut self, more: String, parts: &mut Vec<StreamPart>) {
        if let Block::Call {
            index,
            has_arguments,
        } = &mut self.block
        {
            *has_arguments = true;
            parts.push(StreamPart::ToolCall(ToolCallDelta {
                index: *index,
                arguments: more,
                ..ToolCallDelta::default()
            }));
        }
    }

    fn end_block(&mut self, parts: &mut Vec<StreamPart>) {
        if let Block::Call {
            has_arguments: false,
            ..
        } = self.block
        {
            // A call without arguments is streamed as no text at all.
            self.add_arguments("{}".to_owned(), parts);
        }
        if let Block::Thinking {
            thinking,
            signature,
        } = std::mem::take(&mut self.block)
        {
            parts.push(block_part(ThinkingBlock::Thinking(ThinkingText {
                thinking,
                signature: (!signature.is_empty()).then_some(signature),
                ..ThinkingText::default()
            })));
        }
    }

    fn finish(&mut self, parts: &mut Vec<StreamPart>) {
        if self.is_complete {
            return;
        }
        self.is_complete = true;
        if !self.usage.is_empty() {
            let usage = Value::Object(std::mem::take(&mut self.usage));
            parts.push(StreamPart::Usage(Usage::from_json(&usage)));
        }
        parts.push(StreamPart::End(self.stop.take().unwrap_or_default()));
    }
}
