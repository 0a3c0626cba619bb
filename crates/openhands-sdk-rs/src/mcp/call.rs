//! One call of a server's tool: within its time, until it is cancelled, with its progress shown.

use std::sync::Arc;
use std::time::Duration;

use openhands_protocol::JsonObject;
use openhands_protocol::tool::McpToolObservation;
use openhands_tools::{OutputSink, ToolError};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::handler::Watcher;
use super::result;
use super::server::{Session, Shared};
use super::session::{NoSession, abandon};

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
            session = self.server.session() => session,
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
        let watching = session.progress.watch(
            handle.progress_token.clone(),
            Watcher::Lines(self.output.clone()),
        );
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
        let why = self.server.failure(session, error);
        self.error(format!("Error calling MCP tool {}: {why}", self.tool))
    }

    fn not_connected(&self, no: &NoSession) -> McpToolObservation {
        let why = no.why();
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
