//! `/sockets/session/{id}`: events with their place in the log, so that a client can go on exactly where it was, and
//! what is being written meanwhile.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use openhands_protocol::conversation::{
    DeltaFrame, DeltaKind as WireKind, ErrorFrame, ItemAbortedFrame, ItemStartedFrame, SyncFrame,
};
use openhands_protocol::{ConversationId, EventId, Extra, Form};
use openhands_sdk_rs::conversation::{DeltaKind, FullState};
use openhands_sdk_rs::event_log::StoredEvent;
use openhands_sdk_rs::{Live, Subscription, Update};

use crate::app::App;
use crate::http::Parameters;
use crate::services::conversations::Held;
use crate::sockets::client_frame::{FrameError, Messages};
use crate::sockets::connection::{self, Closing, Source};
use crate::sockets::events::{Opening, enter, text};

/// The largest frame.
const MAX_FRAME_BYTES: usize = 4 << 20;
const TOO_LARGE: Closing = Closing::new(1013, "frame_too_large");

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
    let after = match opening.parameter("after_seq").map(str::parse::<i64>) {
        None => None,
        Some(Ok(after)) if after >= -1 => Some(after),
        Some(_) => return StatusCode::FORBIDDEN.into_response(),
    };
    let (id, admission) = (opening.id, opening.admission);
    opening.upgrade.on_upgrade(move |socket| async move {
        if let Some((socket, held)) = enter(&app, socket, id, admission).await {
            serve(app, socket, held, id, after).await;
        }
    })
}

async fn serve(
    app: Arc<App>,
    socket: WebSocket,
    held: Held,
    _: ConversationId,
    after: Option<i64>,
) {
    let entry = Arc::clone(held.entry());
    let Some(_place) = entry.watch() else {
        return connection::refuse(socket, Closing::CROWDED).await;
    };
    let source = match Frames::new(held, after) {
        Ok(source) => source,
        Err(closing) => return connection::refuse(socket, closing).await,
    };
    let listener = Messages {
        app: Arc::clone(&app),
        entry,
        tell,
    };
    connection::serve(socket, source, listener, &app).await;
}

/// The frames of the socket.
struct Frames {
    /// Keeps the conversation in memory.
    held: Held,
    subscription: Subscription,
    ready: VecDeque<Utf8Bytes>,
    /// The events before this one are sent again; the whole state comes after them.
    replay_end: u64,
    is_state_sent: bool,
    /// The place of the last event that was sent.
    last: i64,
    /// The items that the client knows to have begun: it hears of no other ones.
    begun: HashSet<EventId>,
}

impl Frames {
    fn new(held: Held, after: Option<i64>) -> Result<Self, Closing> {
        let events = held.conversation().events();
        let len = events.len();
        let last = seq(len) - 1;
        let from = match after {
            None => len,
            Some(after) => u64::try_from(after + 1).unwrap_or(0).min(len),
        };
        let sync = SyncFrame {
            from_seq: after,
            through_seq: Some(last),
            ..SyncFrame::default()
        };
        Ok(Self {
            subscription: held.conversation().subscribe(from),
            ready: VecDeque::from([text(&sync)?]),
            replay_end: len,
            is_state_sent: false,
            last: seq(from) - 1,
            begun: HashSet::new(),
            held,
        })
    }

    /// An event with its place. Its bytes are those of the log.
    fn durable(&mut self, stored: &StoredEvent) -> Result<Utf8Bytes, Closing> {
        self.last = seq(stored.index());
        self.begun.remove(stored.id());
        let mut frame = Vec::with_capacity(stored.json().len() + 64);
        frame.extend_from_slice(br#"{"type":"durable","seq":"#);
        frame.extend_from_slice(self.last.to_string().as_bytes());
        frame.extend_from_slice(br#","event":"#);
        frame.extend_from_slice(stored.json());
        frame.push(b'}');
        if frame.len() > MAX_FRAME_BYTES {
            return Err(TOO_LARGE);
        }
        Utf8Bytes::try_from(frame).map_err(|_| Closing::FAILED)
    }

    fn live(&mut self, live: Live) -> Result<Option<Utf8Bytes>, Closing> {
        Ok(match live {
            Live::FullState(state) => Some(transient(&state)?),
            Live::Started { item, attempt } => {
                self.begun.insert(item.clone());
                Some(text(&ItemStartedFrame {
                    item_id: item,
                    attempt: attempt.into(),
                    anchor_seq: self.last,
                    ..ItemStartedFrame::default()
                })?)
            }
            Live::Delta {
                item,
                attempt,
                order,
                response,
                kind,
                content,
            } if self.begun.contains(&item) => Some(text(&DeltaFrame {
                item_id: item,
                attempt: attempt.into(),
                order: seq(order),
                kind: match kind {
                    DeltaKind::Text => WireKind::Text,
                    DeltaKind::Reasoning => WireKind::Reasoning,
                },
                content: content.to_string(),
                chunk_id: response.map(|id| id.to_string()),
                choice_index: Some(0),
                extra: Extra::default(),
            })?),
            Live::Aborted {
                item,
                attempt,
                reason,
            } if self.begun.remove(&item) => Some(text(&ItemAbortedFrame {
                item_id: item,
                attempt: attempt.into(),
                reason: reason.to_owned(),
                ..ItemAbortedFrame::default()
            })?),
            Live::Delta { .. } | Live::Aborted { .. } | Live::Output { .. } => None,
        })
    }
}

/// The whole state, which has no place in the log.
fn transient(state: &FullState) -> Result<Utf8Bytes, Closing> {
    let frame = [
        br#"{"type":"transient","event":"#.as_slice(),
        state.json(),
        b"}",
    ];
    Utf8Bytes::try_from(frame.concat()).map_err(|_| Closing::FAILED)
}

fn seq(index: u64) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

impl Source for Frames {
    async fn next(&mut self) -> Result<Utf8Bytes, Closing> {
        loop {
            if let Some(text) = self.ready.pop_front() {
                return Ok(text);
            }
            if !self.is_state_sent && self.last + 1 >= seq(self.replay_end) {
                self.is_state_sent = true;
                let state = self.held.conversation().full_state();
                return transient(&state.map_err(|_| Closing::FAILED)?);
            }
            match self.subscription.next().await {
                Ok(Some(Update::Event(stored))) => return self.durable(&stored),
                Ok(Some(Update::Live(live))) => {
                    if let Some(text) = self.live(live)? {
                        return Ok(text);
                    }
                }
                Ok(None) if self.held.entry().is_deleted() => std::future::pending().await,
                Ok(None) => return Err(Closing::SERVER_STOPS),
                Err(error) => {
                    tracing::warn!(conversation = %self.held.entry().id(), %error, "a socket cannot go on");
                    return Err(Closing::FAILED);
                }
            }
        }
    }

    fn is_ready(&self) -> bool {
        !self.ready.is_empty() || self.subscription.is_ready()
    }
}

/// An error of a client frame.
fn tell(error: FrameError) -> Option<String> {
    let frame = ErrorFrame {
        code: error.code.to_owned(),
        detail: error.detail,
        ..ErrorFrame::default()
    };
    Form::SOCKET.to_string(&frame).ok()
}
