//! The runtime of another machine: the tools run in an inner server, which is reached by MCP over HTTP.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation, Tool};
use openhands_protocol::{ConversationId, Secret};
use openhands_tools::{CallContext, Place, ToolError};
use tokio_util::sync::CancellationToken;

use crate::endpoint::Endpoints;
use crate::runtime::{Runtime, RuntimeError};
use crate::workspace::{Entry, Exec, ExecOutput, Workspace, WorkspaceError};

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
pub struct RemoteRuntime {
    endpoints: Arc<dyn Endpoints>,
    request: RemoteRequest,
    workspace: RemoteWorkspace,
}

impl RemoteRuntime {
    /// A runtime with the tools that an agent wants.
    pub fn new(endpoints: Arc<dyn Endpoints>, request: RemoteRequest) -> Self {
        Self {
            workspace: RemoteWorkspace {
                root: request.place.working_dir.clone(),
            },
            endpoints,
            request,
        }
    }
}

impl fmt::Debug for RemoteRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteRuntime")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}

impl Runtime for RemoteRuntime {
    fn usable_tools(&self) -> BoxFuture<'_, Result<Vec<String>, RuntimeError>> {
        Box::pin(async {
            self.endpoints.endpoint().await?;
            Err(RuntimeError::Unreachable("not connected".to_owned()))
        })
    }

    fn execute<'a>(
        &'a self,
        _tool: &'a str,
        _action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'a, Result<Observation, ToolError>> {
        Box::pin(async { Err(ToolError::Failed("not connected".to_owned())) })
    }

    fn workspace(&self) -> &dyn Workspace {
        &self.workspace
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// The files and programs of the machine of an inner server.
#[derive(Debug)]
pub struct RemoteWorkspace {
    root: PathBuf,
}

fn not_connected<T>() -> Result<T, WorkspaceError> {
    Err(WorkspaceError::Unreachable("not connected".to_owned()))
}

impl Workspace for RemoteWorkspace {
    fn root(&self) -> &Path {
        &self.root
    }

    fn read<'a>(&'a self, _path: &'a Path) -> BoxFuture<'a, Result<Bytes, WorkspaceError>> {
        Box::pin(async { not_connected() })
    }

    fn write<'a>(
        &'a self,
        _path: &'a Path,
        _content: Bytes,
    ) -> BoxFuture<'a, Result<(), WorkspaceError>> {
        Box::pin(async { not_connected() })
    }

    fn list<'a>(&'a self, _path: &'a Path) -> BoxFuture<'a, Result<Vec<Entry>, WorkspaceError>> {
        Box::pin(async { not_connected() })
    }

    fn exec(
        &self,
        _exec: Exec,
        _cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ExecOutput, WorkspaceError>> {
        Box::pin(async { not_connected() })
    }
}
