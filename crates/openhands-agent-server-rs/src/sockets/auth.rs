//! Who may open a socket: by the query, by a header, or by the first frame.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use axum::http::HeaderMap;
use openhands_protocol::conversation::AuthFrame;
use openhands_protocol::{Reading, Secret};
use serde_json::Value;

use crate::app::App;
use crate::http::{KEY_HEADER, is_key};

/// How long the first frame may take.
const FIRST_FRAME: Duration = Duration::from_secs(10);

/// What is known of a client before the socket is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It may come in.
    Admitted,
    /// It must say its key in the first frame.
    MustSay,
    /// It gave a wrong key.
    Refused,
}

/// Looks at the key in the query, else in the header.
pub(crate) fn admission(app: &App, query_key: Option<&str>, headers: &HeaderMap) -> Admission {
    let keys = &app.config().session_api_keys;
    if keys.is_empty() {
        return Admission::Admitted;
    }
    let header = headers
        .get(KEY_HEADER)
        .map(axum::http::HeaderValue::as_bytes);
    match query_key.map(str::as_bytes).or(header) {
        Some(given) if is_key(keys, given) => Admission::Admitted,
        Some(_) => Admission::Refused,
        None => Admission::MustSay,
    }
}

/// Waits for the frame with the key. Says whether the client may stay; if not, the socket is closed.
pub(crate) async fn first_frame(app: &App, socket: &mut WebSocket) -> bool {
    let said = tokio::time::timeout(FIRST_FRAME, first_text(socket)).await;
    let keys = &app.config().session_api_keys;
    let key = said.ok().flatten().and_then(|text| key_in(&text));
    let is_good = key.is_some_and(|key| is_key(keys, key.expose().unwrap_or_default().as_bytes()));
    if !is_good {
        let close = CloseFrame {
            code: 4001,
            reason: "Authentication failed".into(),
        };
        let _ = socket.send(Message::Close(Some(close))).await;
    }
    is_good
}

async fn first_text(socket: &mut WebSocket) -> Option<String> {
    while let Some(Ok(message)) = socket.recv().await {
        match message {
            Message::Text(text) => return Some(text.to_string()),
            Message::Ping(_) | Message::Pong(_) => {}
            Message::Binary(_) | Message::Close(_) => return None,
        }
    }
    None
}

fn key_in(text: &str) -> Option<Secret> {
    if !is_auth_frame(text) {
        return None;
    }
    let frame: AuthFrame = Reading::lenient().from_slice(text.as_bytes()).ok()?;
    frame.session_api_key
}

/// Whether a frame says a key and nothing else. One that comes later than it must is ignored.
pub(crate) fn is_auth_frame(text: &str) -> bool {
    let Ok(Value::Object(members)) = serde_json::from_str::<Value>(text) else {
        return false;
    };
    let is_known = |name: &String| name == "type" || name == "session_api_key";
    members.get("type") == Some(&Value::from("auth")) && members.keys().all(is_known)
}
