//! Puts the parts of an answer together.

use openhands_protocol::message::{
    Content, Message, MessageToolCall, ReasoningItem, Role, ThinkingBlock, ToolCallOrigin,
};
use openhands_protocol::{ResponseId, ToolCallId};
use tokio::time::Instant;

use crate::error::{Cause, LlmError};
use crate::model::{Completion, ReasoningDelta, StopReason, StreamPart, ToolCallDelta, Usage};

/// An answer that is still arriving.
#[derive(Debug)]
pub struct Fold {
    begun: Instant,
    text: String,
    reasoning: String,
    thinking_blocks: Vec<ThinkingBlock>,
    reasoning_item: Option<ReasoningItem>,
    calls: Vec<MessageToolCall>,
    usage: Usage,
    response_id: Option<ResponseId>,
    stop: Option<StopReason>,
}

impl Default for Fold {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            text: String::new(),
            reasoning: String::new(),
            thinking_blocks: Vec::new(),
            reasoning_item: None,
            calls: Vec::new(),
            usage: Usage::default(),
            response_id: None,
            stop: None,
        }
    }
}

impl Fold {
    /// Takes the next part.
    pub fn add(&mut self, part: StreamPart) {
        match part {
            StreamPart::Text(more) => self.text.push_str(&more),
            StreamPart::Reasoning(ReasoningDelta::Text(more)) => self.reasoning.push_str(&more),
            StreamPart::Reasoning(ReasoningDelta::Block(block)) => self.thinking_blocks.push(block),
            // An answer may hold several; the message has room for the last.
            StreamPart::Reasoning(ReasoningDelta::Item(item)) => self.reasoning_item = Some(item),
            StreamPart::ToolCall(delta) => self.add_call(delta),
            StreamPart::Usage(usage) => self.usage = usage,
            StreamPart::ResponseId(id) => self.response_id = Some(id),
            StreamPart::Restart(_) => {
                *self = Self {
                    begun: self.begun,
                    ..Self::default()
                }
            }
            StreamPart::End(stop) => self.stop = Some(stop),
        }
    }

    fn add_call(&mut self, delta: ToolCallDelta) {
        if self.calls.len() <= delta.index {
            // Bounded by the number of calls that a provider announces one after the other.
            self.calls
                .resize_with(delta.index.min(MAX_CALLS) + 1, MessageToolCall::default);
        }
        let Some(call) = self.calls.get_mut(delta.index) else {
            return;
        };
        if let Some(id) = delta.id {
            call.id = ToolCallId::from(id);
        }
        if delta.responses_item_id.is_some() {
            call.responses_item_id = delta.responses_item_id;
            call.origin = ToolCallOrigin::Responses;
        }
        if let Some(name) = delta.name {
            call.name = name;
        }
        call.arguments.push_str(&delta.arguments);
    }

    /// The whole answer. An answer that did not end is an error.
    pub fn finish(self) -> Result<Completion, LlmError> {
        let Some(stop) = self.stop else {
            return Err(LlmError::classify(
                Cause::Connection,
                "The model's answer broke off.",
            ));
        };
        let calls: Vec<_> = self
            .calls
            .into_iter()
            .filter(|call| !call.name.is_empty())
            .collect();
        let message = Message {
            role: Role::Assistant,
            content: if self.text.is_empty() {
                Vec::new()
            } else {
                vec![Content::text(self.text)]
            },
            tool_calls: (!calls.is_empty()).then_some(calls),
            reasoning_content: (!self.reasoning.is_empty()).then_some(self.reasoning),
            thinking_blocks: self.thinking_blocks,
            responses_reasoning_item: self.reasoning_item,
            ..Message::default()
        };
        Ok(Completion {
            message,
            response_id: self
                .response_id
                .unwrap_or_else(|| ResponseId::from(uuid::Uuid::new_v4().to_string())),
            usage: self.usage,
            stop,
            latency: self.begun.elapsed(),
        })
    }
}

/// No provider lets a model make more calls than this in one answer; a larger index is nonsense.
const MAX_CALLS: usize = 1024;

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
