//! Why there is no kernel to run a cell.

use openhands_process::{Exit, SpawnError};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A kernel cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum IPythonError {
    /// No Python on the path has ipykernel.
    #[error("no Python with ipykernel was found on the path ({}): install it with `pip install ipykernel`", tried(.0))]
    NoKernel(Vec<PathBuf>),
    /// The Python that was asked for has no ipykernel.
    #[error("{} has no ipykernel: install it with `{} -m pip install ipykernel`", .0.display(), .0.display())]
    WithoutKernel(PathBuf),
    /// The Python that was asked for cannot be run.
    #[error("{} cannot be run", .interpreter.display())]
    Interpreter {
        /// Which.
        interpreter: PathBuf,
        /// Why.
        #[source]
        source: SpawnError,
    },
    /// The private folder of the kernel cannot be made.
    #[error("the kernel's private folder cannot be made")]
    Folder(#[source] io::Error),
    /// The process cannot be started.
    #[error("the kernel cannot be started")]
    Spawn(#[from] SpawnError),
    /// The kernel ended before it was ready.
    #[error("the kernel ended while it started ({exit}){}", said(.output))]
    Ended {
        /// How.
        exit: Exit,
        /// What it printed last.
        output: String,
    },
    /// The kernel was not ready in time.
    #[error("the kernel was not ready after {} seconds{}", .after.as_secs(), said(.output))]
    Slow {
        /// The limit.
        after: Duration,
        /// What it printed last.
        output: String,
    },
    /// The sockets of the kernel do not work.
    #[error("the kernel cannot be reached: {0}")]
    Socket(String),
    /// The call was cancelled before the cell ran.
    #[error("the cell was cancelled before it ran")]
    Cancelled,
}

fn tried(pythons: &[PathBuf]) -> String {
    if pythons.is_empty() {
        return "there is no Python".to_owned();
    }
    let names: Vec<String> = pythons
        .iter()
        .map(|python| python.display().to_string())
        .collect();
    format!("tried {}", names.join(", "))
}

fn said(output: &str) -> String {
    match output.trim() {
        "" => String::new(),
        text => format!(":\n{text}"),
    }
}
