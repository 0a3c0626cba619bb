//! What waiting for a command comes to.

use std::path::PathBuf;
use std::time::Duration;

use super::report::Report;

/// When to stop waiting for a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wait {
    /// Stop when nothing was printed for so long.
    pub soft: Option<Duration>,
    /// Stop after so long.
    pub hard: Option<Duration>,
}

/// Why waiting stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The command has ended.
    Completed(Completed),
    /// It runs on, and has printed nothing for the soft limit.
    SoftTimeout,
    /// It runs on after the hard limit.
    HardTimeout,
    /// It was cancelled: interrupted, and killed if it did not end by that.
    Cancelled(Completed),
}

/// A command that has ended, and the shell after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// `$?`, or the shell's own exit code if that ended.
    pub exit_code: i32,
    /// The shell's directory now.
    pub directory: PathBuf,
    /// What `command -v python` says; empty if there is none.
    pub python: String,
    /// The process id of the last background job.
    pub last_background: Option<i32>,
    /// Whether the shell ended with the command, and a fresh one is there now.
    pub restarted: bool,
}

impl Completed {
    pub(crate) fn from_report(report: &Report) -> Self {
        Self {
            exit_code: i32::from(report.status),
            directory: report.directory.clone(),
            python: report.python.clone(),
            last_background: report.last_background,
            restarted: false,
        }
    }
}
