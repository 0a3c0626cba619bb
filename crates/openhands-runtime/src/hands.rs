//! What both ends of hands over MCP agree on: the names on the wire, and what is in them.
//!
//! A tool call is a `tools/call` whose `_meta` carries, under the prefix `openhands.dev/`, whose call it is
//! ([`CallMeta`]). Its arguments are the action. Its result is the whole observation in `structuredContent`; a call
//! without an observation says why in [`ERROR_KEY`] of the result's `_meta`. Files and programs are further tools, under
//! the reserved prefix [`RESERVED`], which are not listed.

mod files;
mod meta;

use std::time::Duration;

use openhands_protocol::{Form, Names, Nulls, Secrets};
use openhands_tools::ToolError;

pub use files::{
    EntryWire, ExecParams, ExecWire, FileError, ListParams, ReadParams, ReadWire, WriteParams,
};
pub use meta::{CallMeta, Equipment, Exposed};

/// Where an inner server has its hands.
pub const PATH: &str = "/mcp";

/// The header of the session key.
pub const KEY_HEADER: &str = "x-session-api-key";

/// The largest body of a request.
pub const MAX_BODY_BYTES: usize = 64 << 20;

/// How often a call that runs gives a sign of life. A peer that is silent for several of these is gone.
pub const HEARTBEAT: Duration = Duration::from_secs(10);

/// The names that start so are not tools for models.
pub const RESERVED: &str = "openhands.";

/// Tells who the server is and which tools it has.
pub const HELLO: &str = "openhands.hello";
/// Ends a call early; answers when it has ended.
pub const CANCEL: &str = "openhands.cancel";
/// Gives up what the tools of a conversation hold.
pub const CLOSE: &str = "openhands.close";
/// Reads a file.
pub const READ: &str = "openhands.read";
/// Writes a file, or a part of it.
pub const WRITE: &str = "openhands.write";
/// Lists a directory.
pub const LIST: &str = "openhands.list";
/// Runs a program.
pub const EXEC: &str = "openhands.exec";

/// In the `_meta` of a result: why there is no observation.
pub const ERROR_KEY: &str = "openhands.dev/error";

/// How actions and observations are written: whole, to be read back.
pub const FORM: Form = Form::new(Nulls::Keep, Secrets::Plain, Names::Internal);

/// Who an inner server is.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Hello {
    /// This process of the server: another one knows nothing of earlier calls.
    pub instance: String,
    /// The tools that it has.
    pub tools: Vec<String>,
}

/// Which call is to end early.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct CancelParams {
    /// Its id.
    pub call: String,
}

/// Why a call has no observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// The tool refuses it.
    Invalid,
    /// The tool could not do it.
    Failed,
    /// The tool is broken.
    Fatal,
    /// It was cancelled before it had anything to show.
    Cancelled,
    /// The server does not know any more what came of it.
    Lost,
    /// A file or program, with a [`FileError`].
    File,
}

impl Fault {
    /// What a tool's error is on the wire.
    pub fn of(error: &ToolError) -> Self {
        match error {
            ToolError::Invalid(_) => Self::Invalid,
            ToolError::Failed(_) => Self::Failed,
            ToolError::Fatal(_) => Self::Fatal,
            ToolError::Cancelled => Self::Cancelled,
        }
    }

    /// The error that it was.
    pub fn into_error(self, text: String) -> ToolError {
        match self {
            Self::Invalid => ToolError::Invalid(text),
            Self::Failed | Self::Lost | Self::File => ToolError::Failed(text),
            Self::Fatal => ToolError::Fatal(text.into()),
            Self::Cancelled => ToolError::Cancelled,
        }
    }
}
