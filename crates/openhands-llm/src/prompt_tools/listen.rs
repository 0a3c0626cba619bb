//! Passes text on as it arrives, up to where a call may begin.

use openhands_protocol::ToolSpec;

use crate::error::LlmError;
use crate::model::{StopReason, StreamPart, ToolCallDelta};
use crate::prompt_tools::decode::decode;

/// What a call may begin with.
const OPENINGS: &[&str] = &["<function=", "<tool_call>", "</think>"];

/// The text of one answer.
#[derive(Debug, Default)]
pub(super) struct Listen {
    text: String,
    /// Bytes of the text that were passed on.
    told: usize,
}

impl Listen {
    /// Takes more text and gives what of it is certainly not part of a call.
    pub(super) fn hear(&mut self, more: &str) -> Option<String> {
        self.text.push_str(more);
        let safe = self.safe_end();
        let new = self
            .text
            .get(self.told..safe)
            .filter(|new| !new.is_empty())?
            .to_owned();
        self.told = safe;
        Some(new)
    }

    /// Up to where the text is certainly speech: not an opening, nor half of one, nor blanks before it.
    fn safe_end(&self) -> usize {
        let opening = OPENINGS
            .iter()
            .filter_map(|opening| self.text.find(opening))
            .min();
        let end = opening.unwrap_or_else(|| {
            let half = self.text.rfind('<').filter(|at| {
                let tail = self.text.get(*at..).unwrap_or_default();
                OPENINGS.iter().any(|opening| opening.starts_with(tail))
            });
            half.unwrap_or(self.text.len())
        });
        let speech = self.text.get(..end).unwrap_or_default().trim_end();
        speech.len().max(self.told)
    }

    /// The answer is complete: the rest of the speech, and the call.
    pub(super) fn finish(
        self,
        tools: &[ToolSpec],
        number: usize,
        stop: StopReason,
    ) -> Result<Vec<StreamPart>, LlmError> {
        let decoded = decode(&self.text, tools)?;
        let told = self.text.get(..self.told).unwrap_or_default();
        let mut parts = Vec::new();
        // Speech is passed on with its leading blanks, which the decoded text has lost.
        let whole = if decoded.call.is_some() {
            decoded.text.as_str()
        } else {
            self.text.as_str()
        };
        let rest = whole
            .strip_prefix(told)
            .or_else(|| whole.strip_prefix(told.trim_start()));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            parts.push(StreamPart::Text(rest.to_owned()));
        }
        let Some((name, arguments)) = decoded.call else {
            parts.push(StreamPart::End(stop));
            return Ok(parts);
        };
        parts.push(StreamPart::ToolCall(ToolCallDelta {
            index: 0,
            id: Some(format!("toolu_{number:02}")),
            name: Some(name),
            arguments,
            responses_item_id: None,
        }));
        parts.push(StreamPart::End(StopReason::ToolCalls));
        Ok(parts)
    }
}
