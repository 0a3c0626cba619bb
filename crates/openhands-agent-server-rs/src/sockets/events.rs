//! `/sockets/events/{id}`: the whole state first, then the events, as far back as the client wants them.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use openhands_protocol::event::{
    EventHeader, ServerErrorEvent, Source as Origin, StreamingDeltaEvent,
};
use openhands_protocol::{ConversationId, Event, EventTime, Extra, Form};
use openhands_sdk_rs::conversation::{DeltaKind, FullState};
use openhands_sdk_rs::event_log::{EventFilter, Order, PageRequest};
use openhands_sdk_rs::{Live, Subscription, Update};

use crate::app::App;
use crate::http::{ApiError, Parameters, find, pairs};
use crate::services::conversations::Held;
use crate::sockets::auth::{self, Admission};
use crate::sockets::client_frame::{FrameError, Messages};
use crate::sockets::connection::{self, Closing, Source};

/// From where on a client wants the events that were there before it came.
#[derive(Debug, Clone, PartialEq)]
enum Resend {
    Nothing,
    All,
    Since(EventTime),
}

/// A request to open the socket of a conversation, as far as all of them have it in common.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) id: ConversationId,
    pub(super) admission: Admission,
    pub(super) upgrade: WebSocketUpgrade,
    /// The parameters in the query.
    pub(super) query: Vec<(String, String)>,
}

impl Opening {
    /// Reads what all sockets have in common. A handshake that is wrong is refused without a word, as the reference
    /// does: 403.
    pub(super) fn new(
        app: &App,
        path: &Parameters,
        query: Option<&str>,
        headers: &HeaderMap,
        upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    ) -> Result<Self, Box<Response>> {
        let Ok(upgrade) = upgrade else {
            return Err(Box::new(ApiError::not_found("Not Found").into_response()));
        };
        let refused = || Box::new(StatusCode::FORBIDDEN.into_response());
        let query = pairs(query.unwrap_or_default());
        let key = find(&query, "session_api_key");
        let admission = auth::admission(app, key, headers);
        let id = path.first().and_then(|id| id.parse().ok());
        match id {
            Some(id) if admission != Admission::Refused => Ok(Self {
                id,
                admission,
                upgrade: connection::shaped(upgrade),
                query,
            }),
            Some(_) | None => Err(refused()),
        }
    }

    /// A parameter of the query.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        find(&self.query, name)
    }
}

/// Finds the conversation of an open socket; closes the socket if there is none.
pub(super) async fn enter(
    app: &App,
    mut socket: WebSocket,
    id: ConversationId,
    admission: Admission,
) -> Option<(WebSocket, Held)> {
    if admission == Admission::MustSay && !auth::first_frame(app, &mut socket).await {
        return None;
    }
    match app.conversations.open(id).await {
        Ok(held) => Some((socket, held)),
        Err(crate::services::conversations::RefusedRequest::Unknown(_)) => {
            connection::refuse(socket, Closing::UNKNOWN).await;
            None
        }
        Err(error) => {
            tracing::warn!(conversation = %id, %error, "a socket could not be served");
            connection::refuse(socket, Closing::FAILED).await;
            None
        }
    }
}

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
    let Some(resend) = resend(&opening) else {
        return StatusCode::FORBIDDEN.into_response();
    };
    let (id, admission) = (opening.id, opening.admission);
    opening
        .upgrade
        .on_upgrade(move |socket| serve(app, socket, id, admission, resend))
}

/// What is to be sent again; none if the query makes no sense.
fn resend(opening: &Opening) -> Option<Resend> {
    let time = match opening.parameter("after_timestamp") {
        Some(text) => Some(text.parse::<EventTime>().ok()?),
        None => None,
    };
    let all = match opening.parameter("resend_all") {
        Some(word) => truth(word)?,
        None => false,
    };
    match opening.parameter("resend_mode") {
        Some("all") => Some(Resend::All),
        Some("since") => Some(time.map_or(Resend::Nothing, Resend::Since)),
        Some(_) => None,
        None if all => Some(Resend::All),
        None => Some(Resend::Nothing),
    }
}

fn truth(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" | "t" | "y" => Some(true),
        "false" | "0" | "no" | "off" | "f" | "n" => Some(false),
        _ => None,
    }
}

async fn serve(
    app: Arc<App>,
    socket: WebSocket,
    id: ConversationId,
    admission: Admission,
    resend: Resend,
) {
    let Some((socket, held)) = enter(&app, socket, id, admission).await else {
        return;
    };
    let entry = Arc::clone(held.entry());
    let Some(_place) = entry.watch() else {
        return connection::refuse(socket, Closing::CROWDED).await;
    };
    let source = match Frames::new(held, &resend).await {
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
    first: VecDeque<Utf8Bytes>,
}

impl Frames {
    async fn new(held: Held, resend: &Resend) -> Result<Self, Closing> {
        let conversation = held.conversation();
        let from = match resend {
            Resend::Nothing => conversation.events().len(),
            Resend::All => 0,
            Resend::Since(time) => first_since(&held, time).await?,
        };
        let subscription = conversation.subscribe(from);
        let state = conversation.full_state().map_err(|_| Closing::FAILED)?;
        Ok(Self {
            subscription,
            first: VecDeque::from([whole(&state)?]),
            held,
        })
    }
}

/// The position of the first event at or after a time.
async fn first_since(held: &Held, time: &EventTime) -> Result<u64, Closing> {
    let events = held.conversation().events();
    let filter = EventFilter {
        since: Some(EventTime::from_civil(time.civil())),
        ..EventFilter::default()
    };
    let request = PageRequest {
        page_id: None,
        limit: 1,
        order: Order::OldestFirst,
    };
    let page = events.search(&filter, &request).await;
    let page = page.map_err(|_| Closing::FAILED)?;
    Ok(page
        .items
        .first()
        .map_or(events.len(), |event| event.index()))
}

impl Source for Frames {
    async fn next(&mut self) -> Result<Utf8Bytes, Closing> {
        if let Some(text) = self.first.pop_front() {
            return Ok(text);
        }
        loop {
            let update = self.subscription.next().await;
            return match update {
                Ok(Some(Update::Event(stored))) => {
                    Utf8Bytes::try_from(stored.json().clone()).map_err(|_| Closing::FAILED)
                }
                Ok(Some(Update::Live(live))) => match frame(&live)? {
                    Some(text) => Ok(text),
                    None => continue,
                },
                // Deleted: compat: the socket stays open, and silent.
                Ok(None) if self.held.entry().is_deleted() => std::future::pending().await,
                Ok(None) => Err(Closing::SERVER_STOPS),
                Err(error) => {
                    tracing::warn!(conversation = %self.held.entry().id(), %error, "a socket cannot go on");
                    Err(Closing::FAILED)
                }
            };
        }
    }

    fn is_ready(&self) -> bool {
        !self.first.is_empty() || self.subscription.is_ready()
    }
}

/// Something live as a frame. Clients know no other kinds than these.
fn frame(live: &Live) -> Result<Option<Utf8Bytes>, Closing> {
    match live {
        Live::FullState(state) => whole(state).map(Some),
        // compat: the first piece of an answer is empty.
        Live::Started { .. } => delta(DeltaKind::Text, "").map(Some),
        Live::Delta { kind, content, .. } => delta(*kind, content).map(Some),
        Live::Aborted { .. } | Live::Output { .. } => Ok(None),
    }
}

/// The whole state as a frame. Sockets share its bytes.
fn whole(state: &FullState) -> Result<Utf8Bytes, Closing> {
    Utf8Bytes::try_from(state.json().clone()).map_err(|_| Closing::FAILED)
}

fn delta(kind: DeltaKind, content: &str) -> Result<Utf8Bytes, Closing> {
    let mut event = StreamingDeltaEvent {
        header: EventHeader::now(Origin::Agent),
        content: None,
        reasoning_content: None,
        extra: Extra::default(),
    };
    match kind {
        DeltaKind::Text => event.content = Some(content.to_owned()),
        DeltaKind::Reasoning => event.reasoning_content = Some(content.to_owned()),
    }
    text(&Event::StreamingDelta(event))
}

pub(super) fn text(value: &impl serde::Serialize) -> Result<Utf8Bytes, Closing> {
    let text = Form::SOCKET.to_string(value);
    text.map(Utf8Bytes::from).map_err(|_| Closing::FAILED)
}

/// An error of a client frame, as an event.
fn tell(error: FrameError) -> Option<String> {
    let event = ServerErrorEvent {
        header: EventHeader::now(Origin::Environment),
        code: error.code.to_owned(),
        detail: error.detail,
        extra: Extra::default(),
    };
    Form::SOCKET.to_string(&event).ok()
}
