//! How a command ended, and the numbers that stand for it.

use std::fmt;

/// Exit code that tools report for a command that was ended for taking too long, as timeout(1) does.
pub const TIMED_OUT: i32 = 124;

/// Exit code that a shell reports for a command that was killed (128 + SIGKILL).
pub const KILLED: i32 = 137;

/// Exit code of a command that has none yet, or of which it cannot be known.
pub const UNKNOWN: i32 = -1;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Exit {
    /// Reads a status as wait(2) gives it. A status that is no end (stopped, continued) gives `None`.
    pub fn from_wait_status(status: i32) -> Option<Self> {
        if libc::WIFEXITED(status) {
            Some(Self::Code(libc::WEXITSTATUS(status)))
        } else if libc::WIFSIGNALED(status) {
            Some(Self::Signal(libc::WTERMSIG(status)))
        } else {
            None
        }
    }

    /// Whether the command exited with code 0.
    pub fn success(self) -> bool {
        self == Self::Code(0)
    }

    /// The number a shell puts into `$?`: the code, or 128 plus the signal.
    pub fn shell_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => 128 + signal,
        }
    }

    /// The number Python's `subprocess` reports: the code, or the negated signal.
    pub fn return_code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => -signal,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

impl From<std::process::ExitStatus> for Exit {
    fn from(status: std::process::ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        Self::from_wait_status(status.into_raw()).unwrap_or(Self::Code(UNKNOWN))
    }
}

#[cfg(test)]
#[path = "exit_tests.rs"]
mod tests;
