//! Why the shell could not do what it was asked.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::exit::Exit;
use crate::spawn::SpawnError;

/// A failure of the shell itself; a command that fails is no error.
#[derive(Debug, Error)]
pub enum ShellError {
    /// Bash could not be started.
    #[error("the shell could not be started")]
    Start(#[from] SpawnError),
    /// The terminal or the control socket failed.
    #[error("the shell's terminal failed")]
    Terminal(#[source] io::Error),
    /// Bash, or what its start-up files made of it, ended before it was ready.
    #[error(
        "the shell ended with {exit} while its start-up files ran{}",
        said(output)
    )]
    StartupExited {
        /// How it ended.
        exit: Exit,
        /// What it printed.
        output: String,
    },
    /// Bash was not ready in time.
    #[error("the shell was not ready after {} s: `{running}` is running{}", after.as_secs_f32(), said(output))]
    StartupTimeout {
        /// The limit.
        after: Duration,
        /// The program that runs in the shell's process.
        running: String,
        /// What was printed until then.
        output: String,
    },
    /// A command that every shell has to begin with failed.
    #[error("the shell's first command `{command}` failed{}", said(output))]
    FirstCommand {
        /// The command.
        command: String,
        /// What it printed.
        output: String,
    },
    /// A command runs already.
    #[error("a command is still running")]
    Busy,
    /// No command runs.
    #[error("no command is running")]
    Idle,
    /// A variable cannot have this name.
    #[error("not a name of a variable: {0}")]
    VariableName(String),
    /// A command or a value holds a NUL byte, which bash cannot.
    #[error("a NUL byte in a command or in a variable")]
    Nul,
    /// The program did not read its input in time.
    #[error("the program does not read its input")]
    InputBlocked,
    /// The shell was closed.
    #[error("the shell is closed")]
    Closed,
}

fn said(output: &str) -> String {
    match output.trim() {
        "" => String::new(),
        output => format!("; it printed: {output}"),
    }
}
