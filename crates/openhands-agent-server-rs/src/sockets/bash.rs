//! `/sockets/bash-events`: commands beside the agent and their output; a client may start commands here too.
//!
//! What was stored before comes first, if it is asked for, then what happens, everything once. Requests are taken in the order in
//! which they come, and each is answered by the event of its command, which everybody gets.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use openhands_protocol::bash::{BashError, ExecuteBashRequest};
use openhands_protocol::{BashEventId, Extra, Form, Reading, UtcTime};
use serde_json::Value;

use crate::app::App;
use crate::http::ApiError;
use crate::http::{find, pairs};
use crate::services::bash::{EventStore, Subscription, SubscriptionEnd};
use crate::sockets::auth::{self, Admission, is_auth_frame};
use crate::sockets::client_frame::{FrameError, decode_error};
use crate::sockets::connection::{self, Closing, Listener, Source};

const CROWDED: Closing = Closing::new(1013, "Too many bash event connections");

pub(super) async fn open(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return ApiError::not_found("Not Found").into_response();
    };
    let query = pairs(query.as_deref().unwrap_or_default());
    let admission = auth::admission(&app, find(&query, "session_api_key"), &headers);
    let (false, Some(resend)) = (admission == Admission::Refused, resend(&query)) else {
        return StatusCode::FORBIDDEN.into_response();
    };
    connection::shaped(upgrade).on_upgrade(move |socket| serve(app, socket, admission, resend))
}

/// Whether stored events are sent; nothing if the query makes no sense.
fn resend(query: &[(String, String)]) -> Option<bool> {
    let legacy = match find(query, "resend_all")
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        None | Some("false" | "0" | "no" | "off" | "f" | "n") => false,
        Some("true" | "1" | "yes" | "on" | "t" | "y") => true,
        Some(_) => return None,
    };
    match find(query, "resend_mode") {
        None => Some(legacy),
        Some("all") => Some(true),
        Some(_) => None,
    }
}

async fn serve(app: Arc<App>, mut socket: WebSocket, admission: Admission, resend: bool) {
    if admission == Admission::MustSay && !auth::first_frame(&app, &mut socket).await {
        return;
    }
    let events = Arc::clone(app.bash.flat().events());
    let subscription = match events.subscribe().await {
        Ok(Ok(subscription)) => subscription,
        Ok(Err(_)) => return connection::refuse(socket, CROWDED).await,
        Err(error) => {
            tracing::warn!(%error, "bash events cannot be followed");
            return connection::refuse(socket, Closing::FAILED).await;
        }
    };
    let source = Frames {
        events,
        subscription,
        stored: VecDeque::new(),
        last: None,
        is_replaying: resend,
    };
    let listener = Requests(Arc::clone(&app));
    connection::serve(socket, source, listener, &app).await;
}

/// The frames of the socket.
struct Frames {
    events: Arc<EventStore>,
    subscription: Subscription,
    /// Stored events that were read and not sent yet.
    stored: VecDeque<Utf8Bytes>,
    /// The name of the last stored event that was read.
    last: Option<Box<str>>,
    is_replaying: bool,
}

impl Source for Frames {
    async fn next(&mut self) -> Result<Utf8Bytes, Closing> {
        while self.is_replaying && self.stored.is_empty() {
            let page = self
                .events
                .history(&self.subscription, self.last.clone())
                .await;
            let page = page.map_err(|_| Closing::FAILED)?;
            self.is_replaying = !page.is_empty();
            for (name, event) in page {
                let text = Form::REST.to_string(&event).map_err(|_| Closing::FAILED)?;
                self.stored.push_back(text.into());
                self.last = Some(name);
            }
        }
        if let Some(frame) = self.stored.pop_front() {
            return Ok(frame);
        }
        match self.subscription.next().await {
            Ok(frame) => Utf8Bytes::try_from(frame).map_err(|_| Closing::FAILED),
            Err(SubscriptionEnd::TooSlow) => Err(Closing::SLOW),
            Err(SubscriptionEnd::Closed) => Err(Closing::SERVER_STOPS),
        }
    }
}

/// Starts the commands that a client asks for.
struct Requests(Arc<App>);

impl Listener for Requests {
    async fn hear(&mut self, text: Utf8Bytes) -> Option<String> {
        if is_auth_frame(&text) {
            return None;
        }
        match self.take(&text).await {
            Ok(()) => None,
            Err(error) => tell(error),
        }
    }
}

impl Requests {
    async fn take(&self, text: &str) -> Result<(), FrameError> {
        let request = request(text)?;
        self.0.activity.touch();
        let started = self.0.bash.flat().start(request).await;
        started.map(drop).map_err(|error| FrameError {
            code: "RuntimeError",
            detail: error.to_string(),
        })
    }
}

fn request(text: &str) -> Result<ExecuteBashRequest, FrameError> {
    let value: Value = serde_json::from_str(text).map_err(|error| FrameError {
        code: "JSONDecodeError",
        detail: decode_error(text, &error),
    })?;
    let has_command = value.get("command").is_some();
    let read = Reading::strict()
        .coercing()
        .from_value::<ExecuteBashRequest>(value);
    let invalid = |what: String| FrameError {
        code: "ValidationError",
        detail: format!("1 validation error for ExecuteBashRequest\n{what}"),
    };
    match read {
        Ok(request) => Ok(request),
        Err(_) if !has_command => Err(invalid("command\n  Field required".to_owned())),
        Err(error) => Err(invalid(error.to_string())),
    }
}

fn tell(error: FrameError) -> Option<String> {
    let event = BashError {
        id: BashEventId::random(),
        timestamp: UtcTime::now(),
        code: error.code.to_owned(),
        detail: error.detail,
        extra: Extra::EMPTY,
    };
    Form::REST.to_string(&event).ok()
}
