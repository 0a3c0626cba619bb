//! Children, process trees, pseudo-terminals and the persistent shell.

mod account;
mod env;
mod exit;
mod output;
mod pty;
mod screen;
mod shell;
mod spawn;
mod tree;
mod watchdog;

pub use account::Account;
pub use env::{Environment, command_environment, shell_environment};
pub use exit::{Exit, KILLED, TIMED_OUT, UNKNOWN};
pub use output::HeadTail;
pub use pty::Size;
pub use rustix::process::Signal;
pub use screen::{Rendered, render};
pub use shell::{
    Captured, Completed, Key, Outcome, Output, Shell, ShellConfig, ShellError, Wait,
    is_variable_name,
};
pub use spawn::{Cgroup, Spawn, SpawnError, Stdio};
pub use tree::{KillError, Tree};
pub use watchdog::User;
