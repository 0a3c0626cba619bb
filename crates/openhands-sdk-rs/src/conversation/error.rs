//! Why a conversation refused or failed.

use openhands_llm::LlmError;
use openhands_runtime::RuntimeError;
use openhands_tools::CreateError;

use crate::conversation::ProfileError;
use crate::conversation::transition::Refused;
use crate::event_log::{LeaseError, LogError};
use crate::security::AnalyzerError;

/// Why a conversation refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum ConversationError {
    /// It cannot happen in the present status.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Only a user speaks to an agent.
    #[error("Only user messages are allowed to be sent to the agent.")]
    NotAUserMessage,
    /// There is nothing to resume, or it is of another version.
    #[error("the conversation's state cannot be read: {0}")]
    UnreadableState(String),
    /// The agent is of a kind that this crate does not run.
    #[error("agents of kind '{0}' cannot be run here")]
    UnknownAgent(String),
    /// The events cannot be stored or read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Another process owns the conversation.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// A tool of the agent cannot be made.
    #[error("{0}")]
    Tool(#[from] CreateError),
    /// The place where tools run cannot be had.
    #[error(transparent)]
    Runtime(RuntimeError),
    /// The model cannot be used, or failed.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// A saved model cannot be had.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The security analyzer cannot be made.
    #[error(transparent)]
    Analyzer(#[from] AnalyzerError),
    /// A value cannot be written as JSON.
    #[error("the state cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
    /// The agent's prompt cannot be made.
    #[error("{0}")]
    Prompt(String),
    /// There is no worktree for a child.
    #[error("no worktree could be made: {0}")]
    Worktree(String),
    /// The files of the conversation cannot be removed.
    #[error("the conversation's files cannot be removed: {0}")]
    Remove(#[source] std::io::Error),
    /// The settings of MCP servers cannot work.
    #[error("{0}")]
    Mcp(String),
    /// There is no condenser, or it could not do its work.
    #[error("Cannot condense conversation: {0}")]
    Condense(String),
    /// The goal loop refused.
    #[error("{0}")]
    Goal(&'static str),
    /// A tool is broken beyond what the model could mend.
    #[error("{0}")]
    BrokenTool(String),
    /// Code in a step panicked; this is what it said.
    #[error("the step panicked: {0}")]
    Panicked(String),
    /// The task that carried it out is gone.
    #[error("the work was given up")]
    Gone,
}

impl From<RuntimeError> for ConversationError {
    fn from(error: RuntimeError) -> Self {
        match error {
            RuntimeError::Tool(error) => Self::Tool(error),
            other @ RuntimeError::Unreachable(_) => Self::Runtime(other),
        }
    }
}
