//! The way to a session: the one there is, or what one attempt to connect brings.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::service::{RequestHandle, RoleClient, ServiceError};
use tokio::sync::oneshot;

use super::connection;
use super::error::ServerError;
use super::server::{Order, Session, Shared, Status};

/// For telling a server that an answer is not wanted any more.
const CANCEL_LIMIT: Duration = Duration::from_secs(1);

/// Why there is no session.
pub(super) enum NoSession {
    Closed,
    Failed(ServerError),
}

impl NoSession {
    /// In words, for who asked for the session.
    pub(super) fn why(&self) -> String {
        match self {
            Self::Closed => "The client was closed and does not connect again.".to_owned(),
            Self::Failed(error) => format!("Reconnection attempt failed: {error}"),
        }
    }
}

impl Shared {
    /// The session there is, or what one attempt to connect brings.
    pub(super) async fn session(&self) -> Result<Session, NoSession> {
        let status = self.status.borrow().clone();
        match status {
            Status::Ready(session) if self.is_usable(&session) => return Ok(session),
            Status::Closed => return Err(NoSession::Closed),
            Status::Ready(_) | Status::Starting | Status::Down(_) | Status::Failed(_) => {}
        }
        let (reply, answer) = oneshot::channel();
        let attempt = async {
            self.orders.send(Order::Connect(reply)).await.ok()?;
            answer.await.ok()
        };
        match tokio::time::timeout(self.start_limit, attempt).await {
            Ok(Some(Ok(session))) => Ok(session),
            Ok(Some(Err(error))) => Err(NoSession::Failed(error)),
            Ok(None) => Err(NoSession::Closed),
            Err(_) => Err(NoSession::Failed(ServerError::timeout(
                self.start_limit,
                &self.name,
            ))),
        }
    }

    fn is_usable(&self, session: &Session) -> bool {
        let lost = self.lost.load(Ordering::Relaxed);
        session.number > lost && !session.peer.is_transport_closed()
    }

    /// Why a request failed. A session that could not send it, or was lost meanwhile, is given up.
    pub(super) fn failure(&self, session: &Session, error: &ServiceError) -> String {
        match error {
            ServiceError::McpError(error) => error.message.to_string(),
            ServiceError::TransportSend(error) => {
                self.give_up(session);
                connection::reason(error.error.as_ref())
            }
            ServiceError::TransportClosed => {
                self.give_up(session);
                format!("the connection to the server '{}' was lost", self.name)
            }
            other => other.to_string(),
        }
    }

    /// The next call gets a new session, also if the end of this one is not known everywhere yet.
    fn give_up(&self, session: &Session) {
        self.lost.fetch_max(session.number, Ordering::Relaxed);
        let order = Order::Broken {
            number: session.number,
        };
        // With many orders waiting, the server is being looked after anyway.
        let _ = self.orders.try_send(order);
    }
}

/// Tells the server that nobody waits for the answer any more.
pub(super) async fn abandon(handle: RequestHandle<RoleClient>, why: &str) {
    let _ = tokio::time::timeout(CANCEL_LIMIT, handle.cancel(Some(why.to_owned()))).await;
}
