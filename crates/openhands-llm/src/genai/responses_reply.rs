//! Reads replies of OpenAI's Responses API.

use std::collections::HashMap;

use openhands_protocol::ResponseId;
use openhands_protocol::message::ReasoningItem;
use serde_json::Value;

use crate::error::LlmError;
use crate::genai::reply::{index, text};
use crate::model::{ReasoningDelta, StopReason, StreamPart, ToolCallDelta, Usage};

/// A reply that is being read.
#[derive(Debug, Default)]
pub(super) struct ResponsesReply {
    has_id: bool,
    /// Place of an item in the output -> number of the call and how much of its arguments was told.
    calls: HashMap<usize, (usize, usize)>,
    /// Whether pieces arrived before the end; some proxies send nothing but the end.
    has_pieces: bool,
    pub(super) is_complete: bool,
}

impl ResponsesReply {
    pub(super) fn frame(
        &mut self,
        frame: &Value,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        let place = index(frame, "output_index").unwrap_or(0);
        let delta = || text(frame, "/delta").unwrap_or_default().to_owned();
        match text(frame, "/type").unwrap_or_default() {
            "response.created" => {
                if let Some(response) = frame.get("response") {
                    self.read_id(response, parts);
                }
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                self.has_pieces = true;
                parts.push(StreamPart::Text(delta()));
            }
            "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
                parts.push(StreamPart::Reasoning(ReasoningDelta::Text(delta())));
            }
            "response.output_item.added" => {
                if let Some(item) = frame.get("item") {
                    self.begin_item(place, item, parts);
                }
            }
            "response.function_call_arguments.delta" => {
                if let Some((number, told)) = self.calls.get_mut(&place) {
                    let more = delta();
                    *told += more.len();
                    parts.push(arguments(*number, more));
                }
            }
            "response.output_item.done" => {
                if let Some(item) = frame.get("item") {
                    self.end_item(place, item, parts);
                }
            }
            "response.completed" | "response.incomplete" => {
                if let Some(response) = frame.get("response") {
                    self.finish(response, parts);
                }
            }
            "response.failed" | "error" => {
                let inner = frame
                    .pointer("/response/error")
                    .or_else(|| frame.get("error"));
                return Err(LlmError::from_stream_body(inner.unwrap_or(frame)));
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn whole(
        &mut self,
        body: &Value,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        if !body.get("output").is_some_and(Value::is_array) {
            return Err(LlmError::no_response());
        }
        self.finish(body, parts);
        Ok(())
    }

    fn finish(&mut self, response: &Value, parts: &mut Vec<StreamPart>) {
        if self.is_complete {
            return;
        }
        self.read_id(response, parts);
        if !self.has_pieces {
            for (place, item) in response
                .get("output")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .enumerate()
            {
                self.read_item(place, item, parts);
            }
        }
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            parts.push(StreamPart::Usage(Usage::from_json(usage)));
        }
        let stop = match text(response, "/incomplete_details/reason") {
            Some(reason) => StopReason::from_word(reason),
            None if self.calls.is_empty() => StopReason::Completed,
            None => StopReason::ToolCalls,
        };
        self.is_complete = true;
        parts.push(StreamPart::End(stop));
    }

    fn read_id(&mut self, response: &Value, parts: &mut Vec<StreamPart>) {
        if let Some(id) = text(response, "/id").filter(|_| !self.has_id) {
            self.has_id = true;
            parts.push(StreamPart::ResponseId(ResponseId::from(id)));
        }
    }

    /// An item that was not streamed.
    fn read_item(&mut self, place: usize, item: &Value, parts: &mut Vec<StreamPart>) {
        if text(item, "/type") == Some("message") {
            for part in item
                .get("content")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                if let Some(said) = text(part, "/text").or_else(|| text(part, "/refusal")) {
                    parts.push(StreamPart::Text(said.to_owned()));
                }
            }
            return;
        }
        for said in item
            .get("summary")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if let Some(said) = text(said, "/text") {
                parts.push(StreamPart::Reasoning(ReasoningDelta::Text(said.to_owned())));
            }
        }
        self.end_item(place, item, parts);
    }

    fn begin_item(&mut self, place: usize, item: &Value, parts: &mut Vec<StreamPart>) {
        self.has_pieces = true;
        if text(item, "/type") != Some("function_call") || self.calls.contains_key(&place) {
            return;
        }
        let number = self.calls.len();
        self.calls.insert(place, (number, 0));
        parts.push(StreamPart::ToolCall(ToolCallDelta {
            index: number,
            id: text(item, "/call_id")
                .or_else(|| text(item, "/id"))
                .map(str::to_owned),
            responses_item_id: text(item, "/id").map(str::to_owned),
            name: text(item, "/name").map(str::to_owned),
            arguments: String::new(),
        }));
    }

    fn end_item(&mut self, place: usize, item: &Value, parts: &mut Vec<StreamPart>) {
        match text(item, "/type") {
            Some("function_call") => {
                self.begin_item(place, item, parts);
                if let Some((number, told)) = self.calls.get_mut(&place) {
                    // The whole text comes at the end; what the pieces left out is told now.
                    let whole = text(item, "/arguments").unwrap_or_default();
                    if let Some(rest) = whole.get(*told..).filter(|rest| !rest.is_empty()) {
                        *told = whole.len();
                        parts.push(arguments(*number, rest.to_owned()));
                    }
                }
            }
            Some("reasoning") => {
                parts.push(StreamPart::Reasoning(ReasoningDelta::Item(reasoning(item))));
            }
            _ => {}
        }
    }
}

fn arguments(index: usize, arguments: String) -> StreamPart {
    StreamPart::ToolCall(ToolCallDelta {
        index,
        arguments,
        ..ToolCallDelta::default()
    })
}

fn reasoning(item: &Value) -> ReasoningItem {
    let texts = |name: &str| {
        item.get(name).and_then(Value::as_array).map(|list| {
            list.iter()
                .filter_map(|part| text(part, "/text"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
    };
    ReasoningItem {
        id: text(item, "/id").map(str::to_owned),
        summary: texts("summary").unwrap_or_default(),
        content: texts("content").filter(|content| !content.is_empty()),
        encrypted_content: text(item, "/encrypted_content").map(str::to_owned),
        status: text(item, "/status").map(str::to_owned),
        ..ReasoningItem::default()
    }
}
