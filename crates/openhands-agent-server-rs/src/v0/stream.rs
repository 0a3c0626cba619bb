//! `/execute_action/stream`: an action whose output is sent while it runs. Not part of V0: its plain route answers at the end.
//!
//! Server-sent events: `output` with `{"output": text}` as it comes, then one `observation`, or one `error` with
//! `{"status", "detail"}`. A preview: what counts is the observation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use openhands_protocol::Form;
use openhands_protocol::v0::{V0Action, V0Observation};
use openhands_sdk_rs::tools::OutputSink;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::execute_action::{parse, perform};
use super::refusal::Refusal;
use super::sandbox::Sandbox;
use crate::http::pairs;

/// Pieces of output that wait for a client; one that is slower loses some.
const PIECES: usize = 1024;
/// A sign of life for what stands between.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The action is the body, as in the plain route.
pub(super) async fn post(State(sandbox): State<Arc<Sandbox>>, body: Bytes) -> Response {
    start(sandbox, parse(&body))
}

/// The action is in the query (`?action={...}`), because an `EventSource` in a browser sends no body.
pub(super) async fn get(
    State(sandbox): State<Arc<Sandbox>>,
    RawQuery(query): RawQuery,
) -> Response {
    let action = pairs(query.as_deref().unwrap_or_default())
        .into_iter()
        .rfind(|(name, _)| name == "action")
        .map(|(_, action)| action)
        .ok_or_else(|| Refusal::missing("('query', 'action')", &serde_json::Value::Null))
        .and_then(|action| parse(&format!(r#"{{"action":{action}}}"#).into()));
    start(sandbox, action)
}

fn start(sandbox: Arc<Sandbox>, action: Result<V0Action, Refusal>) -> Response {
    let action = match action {
        Ok(action) => action,
        Err(refusal) => return refusal.into_response(),
    };
    let (sink, pieces) = OutputSink::channel(PIECES);
    // Only this telling ends with the client; the action itself goes on.
    let performing = AbortOnDropHandle::new(tokio::spawn(perform(sandbox, action, sink)));
    let events = stream::unfold(
        Some(Telling {
            pieces,
            performing,
            rest: Vec::new(),
        }),
        |telling| async move { telling?.next().await },
    );
    Sse::new(events)
        .keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
        .into_response()
}

struct Telling {
    pieces: mpsc::Receiver<Bytes>,
    performing: AbortOnDropHandle<Result<V0Observation, Refusal>>,
    /// The start of a character whose end has not come yet.
    rest: Vec<u8>,
}

type Told = (Result<Event, Infallible>, Option<Telling>);

impl Telling {
    async fn next(mut self) -> Option<Told> {
        // All senders are gone when the action has ended, and not before.
        while let Some(piece) = self.pieces.recv().await {
            self.rest.extend_from_slice(&piece);
            let text = whole_text(&mut self.rest);
            if !text.is_empty() {
                return Some((
                    Ok(event("output", &json!({"output": text}).to_string())),
                    Some(self),
                ));
            }
        }
        let done = match self.performing.await {
            Ok(done) => done,
            Err(lost) => Err(Refusal::action(lost)),
        };
        let last = match done.map(|observation| Form::REST.to_string(&observation)) {
            Ok(Ok(observation)) => event("observation", &observation),
            Ok(Err(error)) => failed(&Refusal::action(error)),
            Err(refusal) => failed(&refusal),
        };
        Some((Ok(last), None))
    }
}

fn event(name: &str, data: &str) -> Event {
    Event::default().event(name).data(data)
}

fn failed(refusal: &Refusal) -> Event {
    let told = json!({"status": refusal.status().as_u16(), "detail": refusal.detail()});
    event("error", &told.to_string())
}

/// Takes the text out of the bytes, and leaves a character that is not whole yet.
fn whole_text(bytes: &mut Vec<u8>) -> String {
    let mut end = bytes.len();
    if let Err(wrong) = std::str::from_utf8(bytes) {
        // Only a last character may still become whole.
        let tail = bytes.get(wrong.valid_up_to()..).unwrap_or_default();
        if wrong.error_len().is_none() && tail.len() < 4 {
            end = wrong.valid_up_to();
        }
    }
    let rest = bytes.split_off(end);
    let text = String::from_utf8_lossy(bytes).into_owned();
    *bytes = rest;
    text
}

#[cfg(test)]
#[path = "stream_tests.rs"]
mod tests;
