//! The older transport: a stream of events to the client, and a second address for what the client says.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{Stream, StreamExt as _, stream};
use parking_lot::Mutex;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::face::Face;
use super::router::Router;

/// Messages on their way, in each direction; who sends more waits.
const MAX_QUEUED: usize = 64;
/// Sessions at a time.
const MAX_SESSIONS: usize = 256;
/// So that proxies keep an idle stream.
const PING: Duration = Duration::from_secs(15);

/// The sessions that have a stream open.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<HashMap<Uuid, Inbox>>);

/// Where the messages of a client go.
#[derive(Debug, Clone)]
pub(super) struct Inbox {
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    ended: CancellationToken,
}

impl Inbox {
    /// Hands a message to the session. False if the session has ended.
    pub(super) async fn put(&self, message: ClientJsonRpcMessage) -> bool {
        tokio::select! {
            biased;
            () = self.ended.cancelled() => false,
            sent = self.messages.send(message) => sent.is_ok(),
        }
    }
}

impl Sessions {
    pub(super) fn find(&self, id: Uuid) -> Option<Inbox> {
        self.0.lock().get(&id).cloned()
    }

    fn add(&self, id: Uuid, inbox: Inbox) -> bool {
        let mut sessions = self.0.lock();
        let has_room = sessions.len() < MAX_SESSIONS;
        if has_room {
            sessions.insert(id, inbox);
        }
        has_room
    }
}

/// Takes a session from the list when its stream is dropped, and ends it.
struct Leave {
    router: Arc<Router>,
    id: Uuid,
    _end: DropGuard,
}

impl Drop for Leave {
    fn drop(&mut self) {
        self.router.sessions.0.lock().remove(&self.id);
    }
}

/// Begins a session: its stream, whose first event names the address for messages. None if there are too many.
pub(super) fn open(
    router: &Arc<Router>,
    profile: Option<String>,
    messages_path: &str,
) -> Option<Response> {
    let id = Uuid::new_v4();
    let ended = router.stop.child_token();
    let (messages, inbox) = mpsc::channel(MAX_QUEUED);
    let (outbox, events) = mpsc::channel(MAX_QUEUED);
    let added = router.sessions.add(
        id,
        Inbox {
            messages,
            ended: ended.clone(),
        },
    );
    if !added {
        return None;
    }
    let leave = Leave {
        router: Arc::clone(router),
        id,
        _end: ended.clone().drop_guard(),
    };
    let face = Face::new(router, profile);
    let transport = SseTransport {
        inbox,
        outbox: Some(outbox),
    };
    router.tasks.spawn(async move {
        let begun = Box::pin(rmcp::service::serve_server_with_ct(
            face,
            transport,
            ended.clone(),
        ))
        .await;
        match begun {
            Ok(session) => {
                let _ = session.waiting().await;
            }
            Err(error) => tracing::debug!(%error, "a session of an MCP client did not begin"),
        }
        ended.cancel();
    });
    let address = format!("{messages_path}?session_id={}", id.simple());
    let events = events_of(address, events, leave);
    let stream = Sse::new(events).keep_alive(KeepAlive::new().interval(PING).text("ping"));
    Some(stream.into_response())
}

fn events_of(
    address: String,
    messages: mpsc::Receiver<ServerJsonRpcMessage>,
    leave: Leave,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let endpoint = Event::default().event("endpoint").data(address);
    let messages = stream::unfold((messages, leave), |(mut messages, leave)| async move {
        let message = messages.recv().await?;
        Some((message, (messages, leave)))
    });
    let messages = messages.filter_map(async |message| {
        let text = serde_json::to_string(&message)
            .inspect_err(|error| tracing::warn!(%error, "a message to an MCP client is lost"))
            .ok()?;
        Some(Event::default().event("message").data(text))
    });
    stream::iter([endpoint]).chain(messages).map(Ok)
}

/// One session, as the protocol's library sees it.
struct SseTransport {
    inbox: mpsc::Receiver<ClientJsonRpcMessage>,
    /// None once it is closed.
    outbox: Option<mpsc::Sender<ServerJsonRpcMessage>>,
}

/// The client's stream is gone.
#[derive(Debug, thiserror::Error)]
#[error("the stream of the client has ended")]
struct StreamEnded;

impl Transport<RoleServer> for SseTransport {
    type Error = StreamEnded;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), StreamEnded>> + Send + 'static {
        // At once if there is room, so that messages keep the order in which they were sent.
        let sent = match &self.outbox {
            None => Err(None),
            Some(outbox) => match outbox.try_send(message) {
                Ok(()) => Ok(()),
                Err(mpsc::error::TrySendError::Full(message)) => {
                    Err(Some((outbox.clone(), message)))
                }
                Err(mpsc::error::TrySendError::Closed(_)) => Err(None),
            },
        };
        async move {
            match sent {
                Ok(()) => Ok(()),
                Err(Some((outbox, message))) => outbox.send(message).await.map_err(|_| StreamEnded),
                Err(None) => Err(StreamEnded),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.inbox.recv().await
    }

    async fn close(&mut self) -> Result<(), StreamEnded> {
        self.outbox = None;
        self.inbox.close();
        Ok(())
    }
}
