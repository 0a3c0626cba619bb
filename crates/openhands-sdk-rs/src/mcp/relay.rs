//! One server for a program that passes requests on to it, such as a router of servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    ClientRequest, ErrorData, ProgressNotificationParam, ServerCapabilities, ServerResult, Tool,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::handler::Watcher;
use super::server::{Listed, Shared, Status};
use super::session::abandon;

/// What a server said about its lists; about its tools, [`McpServers::changes`](super::McpServers::changes) tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpNotice {
    /// Its prompts are other ones.
    PromptsChanged,
    /// Its resources are other ones.
    ResourcesChanged,
}

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The server answered with an error.
    #[error("{}", .0.message)]
    Answered(ErrorData),
    /// There is no connection, and an attempt to make one failed.
    #[error("the MCP server '{server}' is not connected: {why}")]
    NotConnected {
        /// Its name.
        server: String,
        /// What happened.
        why: String,
    },
    /// The connection was lost, or the request could not be sent.
    #[error("the MCP server '{server}' did not answer: {why}")]
    Failed {
        /// Its name.
        server: String,
        /// What happened.
        why: String,
    },
    /// The limit of a call is over.
    #[error("the MCP server '{server}' did not answer within {} seconds", .limit.as_secs_f64())]
    TimedOut {
        /// Its name.
        server: String,
        /// The limit.
        limit: Duration,
    },
    /// Nobody waits for the answer any more.
    #[error("the request was cancelled")]
    Cancelled,
}

/// One of the servers, spoken to in its own words. It lives as long as the [`McpServers`](super::McpServers) it is of.
#[derive(Clone)]
pub struct McpRelay {
    pub(super) server: Arc<Shared>,
    pub(super) tools: Listed,
}

impl fmt::Debug for McpRelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("McpRelay").field(&self.server.name).finish()
    }
}

impl McpRelay {
    /// The name of the server.
    pub fn name(&self) -> &str {
        &self.server.name
    }

    /// Its tools as it described them, also while it is down.
    pub fn tools(&self) -> Vec<Tool> {
        let tools = Arc::clone(&self.tools.lock());
        tools.iter().map(|tool| tool.raw().clone()).collect()
    }

    /// Whether it has not come up yet, and may still.
    pub fn is_starting(&self) -> bool {
        matches!(&*self.server.status.borrow(), Status::Starting)
    }

    /// What it can do; none while it is down.
    pub fn capabilities(&self) -> Option<ServerCapabilities> {
        match &*self.server.status.borrow() {
            Status::Ready(session) => session
                .peer
                .peer_info()
                .map(|info| info.capabilities.clone()),
            Status::Starting | Status::Down(_) | Status::Failed(_) | Status::Closed => None,
        }
    }

    /// What it says from now on. Who is too slow to take it is told how much was missed.
    pub fn notices(&self) -> broadcast::Receiver<McpNotice> {
        self.server.notices.subscribe()
    }

    /// Asks it. A server that is down is started first.
    ///
    /// Progress goes to `progress` as it comes; what does not fit there is dropped. When `stop` is cancelled, the
    /// server is told. Dropping the future tells it nothing.
    pub async fn request(
        &self,
        request: ClientRequest,
        progress: Option<mpsc::Sender<ProgressNotificationParam>>,
        stop: &CancellationToken,
    ) -> Result<ServerResult, RelayError> {
        let server = || self.server.name.clone();
        let limit = self.server.call_limit;
        let deadline = tokio::time::sleep(limit);
        tokio::pin!(deadline);
        let timed_out = || RelayError::TimedOut {
            server: server(),
            limit,
        };
        let session = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(RelayError::Cancelled),
            session = self.server.session() => session,
            () = &mut deadline => return Err(timed_out()),
        };
        let session = session.map_err(|no| RelayError::NotConnected {
            server: server(),
            why: no.why(),
        })?;
        let failed = |error: ServiceError| match error {
            ServiceError::McpError(error) => RelayError::Answered(error),
            other => RelayError::Failed {
                server: server(),
                why: self.server.failure(&session, &other),
            },
        };
        let mut handle = session
            .peer
            .send_cancellable_request(request, PeerRequestOptions::no_options())
            .await
            .map_err(failed)?;
        let _watching = progress.map(|progress| {
            let token = handle.progress_token.clone();
            session.progress.watch(token, Watcher::Relay(progress))
        });
        tokio::select! {
            biased;
            answer = &mut handle.rx => answer
                .unwrap_or(Err(ServiceError::TransportClosed))
                .map_err(failed),
            () = stop.cancelled() => {
                abandon(handle, "the request was cancelled").await;
                Err(RelayError::Cancelled)
            }
            () = &mut deadline => {
                abandon(handle, "the time limit of the request is over").await;
                Err(timed_out())
            }
        }
    }
}
