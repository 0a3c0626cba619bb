//! The files and programs of the machine on which the tools run, as far as the mind needs them.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use openhands_process::Exit;
use openhands_protocol::Secret;
use tokio_util::sync::CancellationToken;

/// A small view of a machine: read, write, list, execute.
///
/// Paths are absolute or relative to the root. Implementers bound what they read and never follow a program beyond its
/// time limit.
pub trait Workspace: Send + Sync {
    /// The working directory of the conversation.
    fn root(&self) -> &Path;

    /// The whole of a file.
    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Bytes, WorkspaceError>>;

    /// Puts a file in the place of whatever was there; its directories are made.
    fn write<'a>(
        &'a self,
        path: &'a Path,
        content: Bytes,
    ) -> BoxFuture<'a, Result<(), WorkspaceError>>;

    /// What is in a directory, sorted by name.
    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<Entry>, WorkspaceError>>;

    /// Runs a program to its end, its time limit or its cancellation, whichever comes first. Nothing that it started
    /// is left behind.
    fn exec(
        &self,
        exec: Exec,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<ExecOutput, WorkspaceError>>;
}

/// One name in a directory. What a link leads to is what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, without the directory.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What a name in a directory stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A device, a socket, a link that leads nowhere.
    Other,
}

/// A program to be run.
#[derive(Debug, Clone)]
pub struct Exec {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it runs; the root if unset.
    pub cwd: Option<PathBuf>,
    /// Variables beyond those that every command on the machine gets.
    pub env: Vec<(String, Secret)>,
    /// What it reads.
    pub stdin: Bytes,
    /// When it is ended.
    pub timeout: Duration,
    /// How much of each stream is kept; the middle of more is dropped.
    pub keep_bytes: usize,
}

impl Exec {
    /// A program with nothing to read, 30 seconds and 1 MiB of each stream.
    pub fn new(argv: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: None,
            env: Vec::new(),
            stdin: Bytes::new(),
            timeout: Duration::from_secs(30),
            keep_bytes: 1 << 20,
        }
    }

    /// A command line for `bash -c`.
    pub fn shell(command: impl Into<String>) -> Self {
        Self::new(["bash".to_owned(), "-c".to_owned(), command.into()])
    }
}

/// What a program left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecOutput {
    /// How it ended; none if it was ended by its time limit or by cancellation.
    pub exit: Option<Exit>,
    /// Whether the time limit ended it.
    pub timed_out: bool,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

/// Why a workspace could not do something.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// A file or directory.
    #[error("{action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
    /// A file is larger than what is read in one piece.
    #[error("{} has {size} bytes, more than the {limit} that are read in one piece", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A program could not be started.
    #[error("cannot run {program}: {reason}")]
    Start {
        /// Which program.
        program: String,
        /// Why.
        reason: String,
    },
    /// The machine cannot be reached.
    #[error("the workspace cannot be reached: {0}")]
    Unreachable(String),
}

impl WorkspaceError {
    /// Whether the reason is that there is no such file.
    pub fn is_not_found(&self) -> bool {
        match self {
            Self::File { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
            Self::TooLarge { .. } | Self::Start { .. } | Self::Unreachable(_) => false,
        }
    }
}
