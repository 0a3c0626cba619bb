//! Children, process trees, pseudo-terminals and the persistent shell.

mod exit;
mod spawn;
mod tree;
mod watchdog;

pub use exit::{Exit, KILLED, TIMED_OUT, UNKNOWN};
pub use rustix::process::Signal;
pub use spawn::{Cgroup, Spawn, SpawnError, Stdio};
pub use tree::{KillError, Tree};
pub use watchdog::User;
