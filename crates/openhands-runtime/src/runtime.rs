//! The seam between the mind and the hands.

use std::any::Any;
use std::fmt;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation};
use openhands_tools::{CallContext, ToolError};
use tokio::io::DuplexStream;

use crate::workspace::{Exec, Workspace};

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

    /// Whether the tools run apart from this process, so that what they write must not decide what this process does.
    fn is_apart(&self) -> bool {
        true
    }

    /// The files and programs of the machine on which the tools run.
    fn workspace(&self) -> &dyn Workspace;

    /// Starts a program on the machine on which the tools run, and holds its input and output.
    fn attach(&self, program: Exec) -> BoxFuture<'_, Result<Attached, RuntimeError>> {
        Box::pin(async move {
            let name = program.argv.first().cloned().unwrap_or_default();
            Err(RuntimeError::Unreachable(format!(
                "no program can be held there: {name}"
            )))
        })
    }

    /// Gives up what the tools hold: shells, kernels, browsers. Later calls may start them anew.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// What may be on the way between us and a program, in each direction.
pub(crate) const PIPE_BYTES: usize = 64 << 10;

/// A program that runs, by the ends of its pipes. Dropping it ends the program: at once on this machine, at the end of its
/// input on another one.
pub struct Attached {
    /// What it reads.
    pub stdin: DuplexStream,
    /// What it says.
    pub stdout: DuplexStream,
    /// Ends it when it is dropped.
    pub guard: Box<dyn Any + Send + Sync>,
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attached").finish_non_exhaustive()
    }
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
