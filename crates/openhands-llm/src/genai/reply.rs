//! Reads a reply, frame by frame or whole, in the protocol that it is in.

use serde_json::Value;

use crate::error::{Cause, LlmError};
use crate::genai::chat_reply::ChatReply;
use crate::genai::messages_reply::MessagesReply;
use crate::genai::responses_reply::ResponsesReply;
use crate::model::StreamPart;
use crate::place::at;
use crate::target::Protocol;

/// A reply that is being read.
#[derive(Debug)]
pub(super) enum Reply {
    Chat(ChatReply),
    Responses(ResponsesReply),
    Messages(MessagesReply),
}

impl Reply {
    /// A reader for a protocol, if it is one that is read here.
    pub(super) fn of(protocol: Protocol) -> Option<Self> {
        match protocol {
            Protocol::Chat => Some(Self::Chat(ChatReply::default())),
            Protocol::Responses => Some(Self::Responses(ResponsesReply::default())),
            Protocol::Messages => Some(Self::Messages(MessagesReply::default())),
            Protocol::Library => None,
        }
    }

    /// Reads the data of one server-sent event.
    pub(super) fn frame(
        &mut self,
        data: &str,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            self.close(parts);
            return Ok(());
        }
        let value: Value = serde_json::from_str(data).map_err(|error| {
            LlmError::classify(
                Cause::Connection,
                &format!("The provider's stream cannot be read: {error}"),
            )
        })?;
        match self {
            Self::Chat(reply) => reply.frame(&value, parts),
            Self::Responses(reply) => reply.frame(&value, parts),
            Self::Messages(reply) => reply.frame(&value, parts),
        }
    }

    /// Reads a reply that came in one piece.
    pub(super) fn whole(
        &mut self,
        body: &Value,
        parts: &mut Vec<StreamPart>,
    ) -> Result<(), LlmError> {
        if let Some(error) = body.get("error").filter(|error| !error.is_null()) {
            return Err(LlmError::from_stream_body(error));
        }
        match self {
            Self::Chat(reply) => reply.whole(body, parts),
            Self::Responses(reply) => reply.whole(body, parts),
            Self::Messages(reply) => reply.whole(body, parts),
        }
    }

    /// The connection ended. Some servers leave out the last frame; what the reply says counts.
    pub(super) fn close(&mut self, parts: &mut Vec<StreamPart>) {
        match self {
            Self::Chat(reply) => reply.close(parts),
            Self::Responses(_) | Self::Messages(_) => {}
        }
    }

    /// Whether the reply said that it is complete.
    pub(super) fn is_complete(&self) -> bool {
        match self {
            Self::Chat(reply) => reply.is_complete,
            Self::Responses(reply) => reply.is_complete,
            Self::Messages(reply) => reply.is_complete,
        }
    }
}

/// A text member that is there and not empty.
pub(super) fn text<'a>(value: &'a Value, place: &str) -> Option<&'a str> {
    at(value, place)
        .and_then(Value::as_str)
        .filter(|text| !text.is_empty())
}

/// A number that says which of several things a frame is about.
pub(super) fn index(value: &Value, name: &str) -> Option<usize> {
    value
        .get(name)
        .and_then(Value::as_u64)
        .and_then(|index| usize::try_from(index).ok())
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
