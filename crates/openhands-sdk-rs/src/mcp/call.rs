//! One call of a server's tool: within its time, until it is cancelled, with its progress shown.

use std::sync::Arc;
use std::time::Duration;

use openhands_protocol::JsonObject;
use openhands_protocol::tool::McpToolObservation;
use openhands_tools::{OutputSink, ToolError};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::connection;
use super::error::ServerError;
use super::result;
use super::server::{Order, Session, Shared, Status};

/// For telling a server that an answer is not wanted any more.
const CANCEL_LIMIT: Duration = Duration::from_secs(1);

/// A call on its way.
pub(super) struct Call {
    pub(super) server: Arc<Shared>,
    /// The name that the model uses.
    pub(super) tool: String,
    /// The name that the server uses.
    pub(super) remote: String,
    pub(super) arguments: JsonObject,
    pub(super) output: OutputSink,
}

/// Why there is no session.
enum NoSession {
    Closed,
    Failed(ServerError),
}

impl Call {
    /// Runs to an observation. Failures are observations too: the model reads them.
    pub(super) async fn run(
        self,
        stop: CancellationToken,
    ) -> Result<McpToolObservation, ToolError> {
        let limit = self.server.call_limit;
        let deadline = tokio::time::sleep(limit);
        tokio::pin!(deadline);
        let session = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(ToolError::Cancelled),
            session = self.session() => session,
            () = &mut deadline => return Ok(self.timed_out(limit)),
        };
        let session = match session {
            Ok(session) => session,
            Err(no) => return Ok(self.not_connected(&no)),
        };
        let mut handle = match self.send(&session).await {
            Ok(handle) => handle,
            Err(error) => return Ok(self.failed(&session, &error)),
        };
        let watching = session
            .progress
            .watch(handle.progress_token.clone(), self.output.clone());
        let answer = tokio::select! {
            biased;
            answer = &mut handle.rx => Some(answer.unwrap_or(Err(ServiceError::TransportClosed))),
            () = stop.cancelled() => None,
            () = &mut deadline => {
                abandon(handle, "the time limit of the call is over").await;
                return Ok(self.timed_out(limit));
            }
        };
        drop(watching);
        match answer {
            Some(Ok(answer)) => Ok(self.answered(answer)),
            Some(Err(error)) => Ok(self.failed(&session, &error)),
            None => {
                abandon(handle, "the call was interrupted").await;
                Err(ToolError::Cancelled)
            }
        }
    }

    /// The session there is, or what one attempt to connect brings.
    async fn session(&self) -> Result<Session, NoSession> {
        let status = self.server.status.borrow().clone();
        match status {
            Status::Ready(session) if !session.peer.is_transport_closed() => return Ok(session),
            Status::Closed => return Err(NoSession::Closed),
            Status::Ready(_) | Status::Starting | Status::Down(_) | Status::Failed(_) => {}
        }
        let (reply, answer) = oneshot::channel();
        let attempt = async {
            self.server.orders.send(Order::Connect(reply)).await.ok()?;
            answer.await.ok()
        };
        match tokio::time::timeout(self.server.start_limit, attempt).await {
            Ok(Some(Ok(session))) => Ok(session),
            Ok(Some(Err(error))) => Err(NoSession::Failed(error)),
            Ok(None) => Err(NoSession::Closed),
            Err(_) => Err(NoSession::Failed(ServerError::timeout(
                self.server.start_limit,
                &self.server.name,
            ))),
        }
    }

    async fn send(&self, session: &Session) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let params = CallToolRequestParams::new(self.remote.clone())
            .with_arguments(self.arguments.0.clone());
        session
            .peer
            .send_cancellable_request(
                ClientRequest::CallToolRequest(CallToolRequest::new(params)),
                PeerRequestOptions::no_options(),
            )
            .await
    }

    fn answered(&self, answer: ServerResult) -> McpToolObservation {
        // What the library does not know as a tool's result comes as it was sent, such as one with new kinds of blocks.
        let value = match answer {
            ServerResult::CallToolResult(result) => serde_json::to_value(result).ok(),
            ServerResult::CustomResult(result) => Some(result.0),
            ServerResult::EmptyResult(_) => Some(Value::Object(serde_json::Map::new())),
            _ => None,
        };
        match value
            .as_ref()
            .and_then(|value| result::observation(&self.tool, value))
        {
            Some(observation) => observation,
            None => self.error(format!(
                "Error calling MCP tool {}: the server answered with something else than a result",
                self.tool
            )),
        }
    }

    fn failed(&self, session: &Session, error: &ServiceError) -> McpToolObservation {
        let why = match error {
            ServiceError::McpError(error) => error.message.to_string(),
            ServiceError::TransportSend(error) => {
                // The next call gets a new session. With many orders waiting, the server is being looked after anyway.
                let order = Order::Broken {
                    number: session.number,
                };
                let _ = self.server.orders.try_send(order);
                connection::reason(error.error.as_ref())
            }
            ServiceError::TransportClosed => {
                format!(
                    "the connection to the server '{}' was lost",
                    self.server.name
                )
            }
            other => other.to_string(),
        };
        self.error(format!("Error calling MCP tool {}: {why}", self.tool))
    }

    fn not_connected(&self, no: &NoSession) -> McpToolObservation {
        let why = match no {
            NoSession::Closed => "The client was closed and does not connect again.".to_owned(),
            NoSession::Failed(error) => format!("Reconnection attempt failed: {error}"),
        };
        self.error(format!(
            "MCP client not connected for tool '{}'. {why}",
            self.tool
        ))
    }

    fn timed_out(&self, limit: Duration) -> McpToolObservation {
        self.error(format!(
            "MCP tool '{}' timed out after {} seconds. Its server does not answer, or the work takes too long. \
             Try again with less to do, or do it in another way.",
            self.tool,
            limit.as_secs_f64()
        ))
    }

    fn error(&self, text: String) -> McpToolObservation {
        McpToolObservation {
            tool_name: self.tool.clone(),
            ..McpToolObservation::with_error(text)
        }
    }
}

/// Tells the server that nobody waits for the answer any more.
async fn abandon(handle: RequestHandle<RoleClient>, why: &str) {
    let _ = tokio::time::timeout(CANCEL_LIMIT, handle.cancel(Some(why.to_owned()))).await;
}
