//! The seam between the mind and the hands.

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation};
use openhands_tools::{CallContext, ToolError};

use crate::workspace::Workspace;

/// Where the tool calls of one conversation execute.
///
/// The agent hands over whole calls and sees nothing of how they run. An implementer keeps the state of the tools (a
/// shell, an edit history) between calls, answers each call exactly once, and ends a cancelled call early.
pub trait Runtime: Send + Sync {
    /// The names of the tools that can be executed here.
    fn usable_tools(&self) -> BoxFuture<'_, Result<Vec<String>, RuntimeError>>;

    /// Executes an action of the tool `tool`.
    fn execute<'a>(
        &'a self,
        tool: &'a str,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'a, Result<Observation, ToolError>>;

    /// The files and programs of the machine on which the tools run.
    fn workspace(&self) -> &dyn Workspace;

    /// Gives up what the tools hold: shells, kernels, browsers. Later calls may start them anew.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// A runtime cannot be reached or made.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// A tool cannot be made on this machine.
    #[error(transparent)]
    Tool(#[from] openhands_tools::CreateError),
    /// The machine cannot be reached.
    #[error("the runtime cannot be reached: {0}")]
    Unreachable(String),
}
