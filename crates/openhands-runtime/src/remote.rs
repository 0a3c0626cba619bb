//! The runtime of another machine: the tools run in an inner server, which is reached by MCP over HTTP.
//!
//! ```text
//! RemoteRuntime ─┬─► Line: who is there, asks again with the same call id ─► Http: one request, one answer ─► /mcp
//! RemoteWorkspace ┘
//! ```

mod http;
mod line;
mod workspace;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation, Tool};
use openhands_protocol::{ConversationId, Secret};
use openhands_tools::{CallContext, Place, ToolError};
use serde_json::value::RawValue;

use self::http::Reply;
use self::line::{Call, Line, Unanswered};
pub use self::workspace::RemoteWorkspace;
use crate::endpoint::Endpoints;
use crate::hands::{CLOSE, FORM};
use crate::runtime::{Runtime, RuntimeError};
use crate::workspace::Workspace;

/// What a conversation needs of the machine on which its tools run.
#[derive(Debug, Clone)]
pub struct RemoteRequest {
    /// Which conversation asks.
    pub conversation: ConversationId,
    /// The conversation for which it works, at whatever depth; itself if it is no sub-agent.
    pub root: ConversationId,
    /// The tools that its agent wants.
    pub tools: Vec<Tool>,
    /// Where it works and keeps its files, as the inner server sees it.
    pub place: Place,
    /// Variables for everything that runs for the conversation, beyond those of the inner server.
    pub env: Vec<(String, Secret)>,
}

/// Executes tool calls in an inner server. Nothing is asked of it before the first use.
///
/// No call runs twice: when a connection is lost, the same call is asked for again, and the inner server answers with
/// what came of it. An inner server that is gone for good is a clear error of the call.
#[derive(Debug)]
pub struct RemoteRuntime {
    line: Arc<Line>,
    workspace: RemoteWorkspace,
}

impl RemoteRuntime {
    /// A runtime with the tools that an agent wants.
    pub fn new(endpoints: Arc<dyn Endpoints>, request: RemoteRequest) -> Self {
        let root = request.place.working_dir.clone();
        let line = Arc::new(Line::new(
            endpoints,
            request.conversation,
            request.tools,
            request.place,
            &request.env,
        ));
        Self {
            workspace: RemoteWorkspace::new(root, Arc::clone(&line)),
            line,
        }
    }

    async fn run(
        &self,
        tool: &str,
        action: &Action,
        cx: CallContext,
    ) -> Result<Observation, ToolError> {
        if cx.cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let arguments = FORM
            .to_string(action)
            .and_then(RawValue::from_string)
            .map_err(|error| ToolError::Failed(format!("the action cannot be sent: {error}")))?;
        let call = Call {
            of_tool: Some(cx.call),
            env: cx.env,
            output: cx.output,
            ..Call::new()
        };
        match self.line.call(tool, &arguments, call, &cx.cancel).await {
            Ok(reply) => observation(reply),
            Err(_) if cx.cancel.is_cancelled() => Err(ToolError::Cancelled),
            Err(Unanswered(why)) => Err(ToolError::Failed(format!(
                "the sandbox gives no answer: {why}"
            ))),
        }
    }
}

/// The observation of an answer, or the error that it tells of.
fn observation(reply: Reply) -> Result<Observation, ToolError> {
    if let Some(fault) = reply.fault {
        return Err(fault.into_error(reply.text));
    }
    let Some(structured) = reply.structured else {
        return Err(ToolError::Failed(reply.text));
    };
    serde_json::from_str(structured.get()).map_err(|error| {
        ToolError::Failed(format!(
            "the sandbox answered with something else than an observation: {error}"
        ))
    })
}

impl Runtime for RemoteRuntime {
    fn usable_tools(&self) -> BoxFuture<'_, Result<Vec<String>, RuntimeError>> {
        Box::pin(self.line.tools())
    }

    fn execute<'a>(
        &'a self,
        tool: &'a str,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'a, Result<Observation, ToolError>> {
        Box::pin(async move { self.run(tool, &action, cx).await })
    }

    fn workspace(&self) -> &dyn Workspace {
        &self.workspace
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            if let Err(Unanswered(why)) = self.line.ask(CLOSE, &serde_json::Map::new()).await {
                // A server that is gone holds nothing any more.
                tracing::debug!(why, "the tools of a conversation could not be closed");
            }
        })
    }
}
