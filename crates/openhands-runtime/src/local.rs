//! The runtime of this machine: the tools run in this process.

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation, Tool};
use openhands_tools::{CallContext, Machine, Registry, ToolError, ToolSet};

use crate::local_workspace::LocalWorkspace;
use crate::runtime::{Attached, Runtime, RuntimeError};
use crate::workspace::{Exec, Workspace};

/// Executes tool calls in this process.
#[derive(Debug)]
pub struct LocalRuntime {
    names: Vec<String>,
    tools: ToolSet,
    workspace: LocalWorkspace,
}

impl LocalRuntime {
    /// A runtime with the tools that an agent wants. Nothing is started before the first call.
    pub fn new(
        registry: &Registry,
        wanted: &[Tool],
        machine: &Machine,
    ) -> Result<Self, RuntimeError> {
        Ok(Self {
            names: registry.names().map(str::to_owned).collect(),
            tools: registry.executors(wanted, machine)?,
            workspace: LocalWorkspace::new(&machine.place.working_dir, &machine.env),
        })
    }
}

impl Runtime for LocalRuntime {
    fn usable_tools(&self) -> BoxFuture<'_, Result<Vec<String>, RuntimeError>> {
        Box::pin(async { Ok(self.names.clone()) })
    }

    fn execute<'a>(
        &'a self,
        tool: &'a str,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'a, Result<Observation, ToolError>> {
        Box::pin(self.tools.execute(tool, action, cx))
    }

    fn is_apart(&self) -> bool {
        false
    }

    fn workspace(&self) -> &dyn Workspace {
        &self.workspace
    }

    fn attach(&self, program: Exec) -> BoxFuture<'_, Result<Attached, RuntimeError>> {
        Box::pin(self.workspace.attach(program))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.tools.close())
    }
}
