//! The runtime of a conversation in its container: calls go over MCP, programs that are held by the engine.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation};
use openhands_sdk_rs::conversation::RuntimeRequest;
use openhands_sdk_rs::runtime::{
    Attached, Endpoints, Exec, RemoteRequest, RemoteRuntime, Runtime, RuntimeError, Workspace,
};
use openhands_sdk_rs::tools::{CallContext, Place, ToolError};

use super::Slot;

/// The runtime of a conversation in its container.
#[derive(Debug)]
pub(super) struct SandboxRuntime {
    remote: RemoteRuntime,
    slot: Arc<Slot>,
}

impl SandboxRuntime {
    /// A container that cannot start is told now: an agent whose every call fails would only spend money.
    pub(super) async fn new(
        slot: Arc<Slot>,
        request: RuntimeRequest,
    ) -> Result<Self, RuntimeError> {
        slot.ready().await.map_err(RuntimeError::Unreachable)?;
        let mut directory = slot.directory().to_owned();
        if request.conversation != request.root {
            directory.push(request.conversation.hex());
        }
        let request = RemoteRequest {
            conversation: request.conversation,
            root: request.root,
            tools: request.tools,
            place: Place {
                working_dir: request.place.working_dir,
                persistence_dir: Some(directory),
            },
            env: Vec::new(),
        };
        let endpoints = Arc::clone(&slot) as Arc<dyn Endpoints>;
        Ok(Self {
            remote: RemoteRuntime::new(endpoints, request),
            slot,
        })
    }
}

impl SandboxRuntime {
    /// Long outputs are written by this server, so it is this server that says where.
    fn keep_here(&self, observation: &mut Observation) {
        let directory = match observation {
            Observation::Terminal(terminal) => &mut terminal.full_output_save_dir,
            Observation::Browser(browser) => &mut browser.full_output_save_dir,
            _ => return,
        };
        if directory.is_some() {
            *directory = Some(self.slot.observations().to_string_lossy().into_owned());
        }
    }
}

impl Runtime for SandboxRuntime {
    fn usable_tools(&self) -> BoxFuture<'_, Result<Vec<String>, RuntimeError>> {
        self.remote.usable_tools()
    }

    fn execute<'a>(
        &'a self,
        tool: &'a str,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'a, Result<Observation, ToolError>> {
        Box::pin(async move {
            // A call may take longer than a container may be idle.
            let _use = self.slot.in_use();
            let mut observation = self.remote.execute(tool, action, cx).await?;
            self.keep_here(&mut observation);
            Ok(observation)
        })
    }

    fn workspace(&self) -> &dyn Workspace {
        self.remote.workspace()
    }

    fn attach(&self, mut program: Exec) -> BoxFuture<'_, Result<Attached, RuntimeError>> {
        Box::pin(async move {
            let sandbox = self.slot.alive().await.map_err(RuntimeError::Unreachable)?;
            program
                .cwd
                .get_or_insert_with(|| self.slot.working_dir().to_owned());
            Ok(sandbox.container().attach(program).await?)
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // A container that is gone holds nothing, and none is made to be told so.
            if self.slot.is_occupied() {
                self.remote.close().await;
            }
        })
    }
}
