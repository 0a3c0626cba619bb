//! Where tool calls execute.
//!
//! The agent decides, a [`Runtime`] executes: [`LocalRuntime`] runs the tools in this process. A [`Workspace`] is the
//! small view of the runtime's files and programs that skills, hooks and git set-up need; it is always that of the
//! machine on which the tools run.
//!
//! This crate knows no language model, no agent and no conversation.

#[cfg(feature = "docker")]
pub mod docker;
mod endpoint;
pub mod hands;
mod local;
mod local_workspace;
mod remote;
mod runtime;
mod workspace;

pub use endpoint::{Endpoint, Endpoints};
pub use local::LocalRuntime;
pub use local_workspace::LocalWorkspace;
pub use remote::{RemoteRequest, RemoteRuntime, RemoteWorkspace};
pub use runtime::{Attached, Runtime, RuntimeError};
pub use workspace::{Entry, EntryKind, Exec, ExecOutput, Workspace, WorkspaceError};
