//! Why a server cannot be used.

use std::time::Duration;

use openhands_protocol::mcp::McpErrorKind;

/// Why a server cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServerError {
    /// What kind of problem it is, in the words of the wire.
    pub kind: McpErrorKind,
    /// What happened, for a person.
    pub message: String,
}

impl ServerError {
    /// The server cannot be reached or does not speak the protocol.
    pub(super) fn connection(reason: impl std::fmt::Display) -> Self {
        Self {
            kind: McpErrorKind::Connection,
            message: format!("Client failed to connect: {reason}"),
        }
    }

    /// The server was there and is gone.
    pub(super) fn lost(why: impl std::fmt::Display) -> Self {
        Self {
            kind: McpErrorKind::Connection,
            message: format!("Connection lost: {why}"),
        }
    }

    /// The server did not list its tools in time.
    pub(super) fn timeout(limit: Duration, server: &str) -> Self {
        Self {
            kind: McpErrorKind::Timeout,
            // The first line is the one that clients know.
            message: format!(
                "MCP tool listing timed out after {:?} seconds.\nMCP servers configured: {server}\n\n\
                 The server may need more time to start, or it does not answer. Raise the limit, or try the \
                 server's command or address by hand.\n",
                limit.as_secs_f64()
            ),
        }
    }

    /// Something else.
    pub(super) fn unknown(reason: impl std::fmt::Display) -> Self {
        Self {
            kind: McpErrorKind::Unknown,
            message: reason.to_string(),
        }
    }
}
