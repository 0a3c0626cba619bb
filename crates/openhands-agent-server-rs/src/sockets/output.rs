//! `/sockets/output/{id}`: what running tools print, while they run. A preview: what counts is the observation.
//!
//! Frames: `{"tool_call_id": "...", "output": "..."}` for text, in order of each call. The event sockets keep to the
//! kinds that their clients know, so this is a socket of its own.

use std::sync::Arc;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use openhands_sdk_rs::{Live, Subscription, Update};
use serde_json::json;

use crate::app::App;
use crate::http::Parameters;
use crate::services::conversations::Held;
use crate::sockets::connection::{self, Closing, Listener, Source};
use crate::sockets::events::{Opening, enter};

pub(super) async fn open(
    State(app): State<Arc<App>>,
    path: Parameters,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let opening = match Opening::new(&app, &path, query.as_deref(), &headers, upgrade) {
        Ok(opening) => opening,
        Err(refused) => return *refused,
    };
    let (id, admission) = (opening.id, opening.admission);
    opening.upgrade.on_upgrade(move |socket| async move {
        let Some((socket, held)) = enter(&app, socket, id, admission).await else {
            return;
        };
        let entry = Arc::clone(held.entry());
        let Some(_place) = entry.watch() else {
            return connection::refuse(socket, Closing::CROWDED).await;
        };
        let conversation = held.conversation();
        let subscription = conversation.subscribe(conversation.events().len());
        let source = Frames { subscription, held };
        connection::serve(socket, source, Deaf, &app).await;
    })
}

/// Nothing that a client says here means anything.
struct Deaf;

impl Listener for Deaf {
    async fn hear(&mut self, _: Utf8Bytes) -> Option<String> {
        None
    }
}

struct Frames {
    subscription: Subscription,
    /// Keeps the conversation in memory.
    held: Held,
}

impl Source for Frames {
    async fn next(&mut self) -> Result<Utf8Bytes, Closing> {
        loop {
            match self.subscription.next().await {
                Ok(Some(Update::Live(Live::Output { call, chunk }))) => {
                    let text = String::from_utf8_lossy(&chunk);
                    let frame = json!({"tool_call_id": call.as_str(), "output": text});
                    return Ok(frame.to_string().into());
                }
                Ok(Some(_)) => {}
                Ok(None) if self.held.entry().is_deleted() => std::future::pending().await,
                Ok(None) => return Err(Closing::SERVER_STOPS),
                Err(_) => return Err(Closing::FAILED),
            }
        }
    }
}
