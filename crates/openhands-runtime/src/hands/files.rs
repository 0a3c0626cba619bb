//! Files and programs on the wire.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use openhands_process::Exit;
use serde::{Deserialize, Serialize};

use super::meta::Exposed;
use crate::workspace::{Entry, EntryKind, Exec, ExecOutput, WorkspaceError};

/// What can be tried with a file; the words of the errors.
const ACTIONS: [&str; 3] = ["cannot read", "cannot write", "cannot list"];

/// Bytes as text.
mod bytes_as_text {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(from)?;
        STANDARD.decode(text.as_bytes()).map_err(D::Error::custom)
    }
}

/// Which file is to be read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReadParams {
    /// Its path, absolute or below the working directory.
    pub path: PathBuf,
}

/// What is in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReadWire {
    /// All of it.
    #[serde(with = "bytes_as_text")]
    pub content: Vec<u8>,
}

/// A file that is to be written, or a part of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WriteParams {
    /// Its path, absolute or below the working directory.
    pub path: PathBuf,
    /// The parts of one file have one name.
    pub upload: String,
    /// Where this part begins.
    pub offset: usize,
    /// Whether it is the last part.
    pub is_last: bool,
    /// The part.
    #[serde(with = "bytes_as_text")]
    pub content: Vec<u8>,
}

/// Which directory is to be listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListParams {
    /// Its path, absolute or below the working directory.
    pub path: PathBuf,
}

/// A name in a directory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EntryWire {
    name: String,
    kind: KindWire,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum KindWire {
    File,
    Directory,
    Other,
}

impl From<Entry> for EntryWire {
    fn from(entry: Entry) -> Self {
        let kind = match entry.kind {
            EntryKind::File => KindWire::File,
            EntryKind::Directory => KindWire::Directory,
            EntryKind::Other => KindWire::Other,
        };
        Self {
            name: entry.name,
            kind,
        }
    }
}

impl From<EntryWire> for Entry {
    fn from(entry: EntryWire) -> Self {
        let kind = match entry.kind {
            KindWire::File => EntryKind::File,
            KindWire::Directory => EntryKind::Directory,
            KindWire::Other => EntryKind::Other,
        };
        Self {
            name: entry.name,
            kind,
        }
    }
}

/// A program that is to be run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExecParams {
    argv: Vec<String>,
    cwd: Option<PathBuf>,
    env: Vec<(String, Exposed)>,
    #[serde(with = "bytes_as_text")]
    stdin: Vec<u8>,
    timeout_ms: u64,
    keep_bytes: usize,
}

impl From<Exec> for ExecParams {
    fn from(exec: Exec) -> Self {
        Self {
            argv: exec.argv,
            cwd: exec.cwd,
            env: Exposed::all(&exec.env),
            stdin: exec.stdin.into(),
            timeout_ms: u64::try_from(exec.timeout.as_millis()).unwrap_or(u64::MAX),
            keep_bytes: exec.keep_bytes,
        }
    }
}

impl From<ExecParams> for Exec {
    fn from(params: ExecParams) -> Self {
        Self {
            argv: params.argv,
            cwd: params.cwd,
            env: params
                .env
                .into_iter()
                .map(|(name, value)| (name, value.into_secret()))
                .collect(),
            stdin: Bytes::from(params.stdin),
            timeout: Duration::from_millis(params.timeout_ms),
            keep_bytes: params.keep_bytes,
        }
    }
}

/// What a program left.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExecWire {
    code: Option<i32>,
    signal: Option<i32>,
    timed_out: bool,
    #[serde(with = "bytes_as_text")]
    stdout: Vec<u8>,
    #[serde(with = "bytes_as_text")]
    stderr: Vec<u8>,
}

impl From<ExecOutput> for ExecWire {
    fn from(output: ExecOutput) -> Self {
        let (code, signal) = match output.exit {
            Some(Exit::Code(code)) => (Some(code), None),
            Some(Exit::Signal(signal)) => (None, Some(signal)),
            None => (None, None),
        };
        Self {
            code,
            signal,
            timed_out: output.timed_out,
            stdout: output.stdout,
            stderr: output.stderr,
        }
    }
}

impl From<ExecWire> for ExecOutput {
    fn from(wire: ExecWire) -> Self {
        Self {
            exit: wire
                .code
                .map(Exit::Code)
                .or_else(|| wire.signal.map(Exit::Signal)),
            timed_out: wire.timed_out,
            stdout: wire.stdout,
            stderr: wire.stderr,
        }
    }
}

/// Why something could not be done with a file or a program.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileError {
    /// A file or directory.
    File {
        /// What was tried.
        action: String,
        /// With what.
        path: PathBuf,
        /// The number of the system's error, if it was one.
        errno: Option<i32>,
        /// Whether there is nothing at the path, if it was no error of the system.
        is_missing: bool,
        /// Why it failed.
        reason: String,
    },
    /// A file is larger than what is read in one piece.
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A program could not be started.
    Start {
        /// Which program.
        program: String,
        /// Why.
        reason: String,
    },
    /// Anything else.
    Other {
        /// Why.
        reason: String,
    },
}

impl From<&WorkspaceError> for FileError {
    fn from(error: &WorkspaceError) -> Self {
        match error {
            WorkspaceError::File {
                action,
                path,
                source,
            } => Self::File {
                action: (*action).to_owned(),
                path: path.clone(),
                errno: source.raw_os_error(),
                is_missing: error.is_not_found(),
                reason: source.to_string(),
            },
            WorkspaceError::TooLarge { path, size, limit } => Self::TooLarge {
                path: path.clone(),
                size: *size,
                limit: *limit,
            },
            WorkspaceError::Start { program, reason } => Self::Start {
                program: program.clone(),
                reason: reason.clone(),
            },
            WorkspaceError::Unreachable(reason) => Self::Other {
                reason: reason.clone(),
            },
        }
    }
}

impl From<FileError> for WorkspaceError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::File {
                action,
                path,
                errno,
                is_missing,
                reason,
            } => Self::File {
                action: ACTIONS
                    .into_iter()
                    .find(|known| *known == action)
                    .unwrap_or("cannot use"),
                path,
                source: match errno {
                    Some(errno) => io::Error::from_raw_os_error(errno),
                    None if is_missing => io::Error::new(io::ErrorKind::NotFound, reason),
                    None => io::Error::other(reason),
                },
            },
            FileError::TooLarge { path, size, limit } => Self::TooLarge { path, size, limit },
            FileError::Start { program, reason } => Self::Start { program, reason },
            FileError::Other { reason } => Self::Unreachable(reason),
        }
    }
}
