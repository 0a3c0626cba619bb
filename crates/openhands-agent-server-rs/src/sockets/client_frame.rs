//! What a client says on the socket of a conversation: messages to the agent.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use openhands_protocol::message::Message;
use openhands_protocol::{Extra, Reading};
use serde_json::{Value, json};

use crate::app::App;
use crate::services::conversations::{Entry, RefusedRequest};
use crate::sockets::auth::is_auth_frame;
use crate::sockets::connection::Listener;

/// Why a frame could not be carried out: the class of the error, and what it says.
#[derive(Debug)]
pub(crate) struct FrameError {
    pub(crate) code: &'static str,
    pub(crate) detail: String,
}

/// How an error is told on a socket.
pub(crate) type Telling = fn(FrameError) -> Option<String>;

/// Takes messages for a conversation.
#[derive(Debug)]
pub(crate) struct Messages {
    pub(crate) app: Arc<App>,
    pub(crate) entry: Arc<Entry>,
    pub(crate) tell: Telling,
}

impl Listener for Messages {
    async fn hear(&mut self, text: Utf8Bytes) -> Option<String> {
        if is_auth_frame(&text) {
            return None;
        }
        match self.take(&text).await {
            Ok(()) => None,
            Err(error) => (self.tell)(error),
        }
    }
}

impl Messages {
    async fn take(&self, text: &str) -> Result<(), FrameError> {
        let message = message(text)?;
        if self.entry.is_deleted() {
            return Err(refused(&RefusedRequest::Deleted));
        }
        let conversations = &self.app.conversations;
        let said = async {
            let held = conversations.open(self.entry.id()).await?;
            conversations.say(&held, message, true).await
        };
        said.await.map(drop).map_err(|error| refused(&error))
    }
}

fn refused(error: &RefusedRequest) -> FrameError {
    let code = match error {
        RefusedRequest::Full | RefusedRequest::SavedButFull(_) => "ConversationRunLimitExceeded",
        _ => "ValueError",
    };
    FrameError {
        code,
        detail: error.to_string(),
    }
}

fn message(text: &str) -> Result<Message, FrameError> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| FrameError {
        code: "JSONDecodeError",
        detail: decode_error(text, &error),
    })?;
    let has_role = value.get("role").is_some();
    // A text stands for a message of one part.
    if let Some(content) = value.get_mut("content")
        && let Value::String(text) = content
    {
        *content = json!([{"type": "text", "text": text}]);
    }
    let read = Reading::strict().coercing().from_value::<Message>(value);
    match read {
        // compat: clients say more than a message has, such as `run`. It is not kept.
        Ok(message) if has_role => Ok(Message {
            extra: Extra::default(),
            ..message
        }),
        Ok(_) => Err(invalid(
            "1 validation error for Message\nrole\n  Field required",
        )),
        Err(error) => Err(invalid(format!("1 validation error for Message\n{error}"))),
    }
}

fn invalid(detail: impl Into<String>) -> FrameError {
    FrameError {
        code: "ValidationError",
        detail: detail.into(),
    }
}

/// Says where JSON broke off, in the words that clients know.
pub(super) fn decode_error(text: &str, error: &serde_json::Error) -> String {
    let (line, column) = (error.line().max(1), error.column().max(1));
    let before: usize = text
        .split_inclusive('\n')
        .take(line - 1)
        .map(|line| line.chars().count())
        .sum();
    format!(
        "Expecting value: line {line} column {column} (char {})",
        before + column - 1
    )
}
