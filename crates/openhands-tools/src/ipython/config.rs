//! How a kernel is started.

use super::output::Limits;
use openhands_process::{Cgroup, Environment, User};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of an IPython session; a fresh kernel gets the same ones.
#[derive(Debug, Clone)]
pub struct IPythonConfig {
    /// The Python to run. Without one, the first on the path that has ipykernel.
    pub interpreter: Option<PathBuf>,
    /// Pythons that are tried before those on the path.
    pub preferred: Vec<PathBuf>,
    /// Where kernels start.
    pub directory: PathBuf,
    /// The whole environment of a kernel.
    pub environment: Environment,
    /// Added to the server's niceness.
    pub nice: i32,
    /// The user to run as, if not the server's; only root may choose.
    pub user: Option<User>,
    /// Whether a kernel's processes get a cgroup of their own.
    pub cgroup: Cgroup,
    /// Cells that every fresh kernel runs before any other; their output is not shown.
    pub setup: Vec<String>,
    /// Holds the private folders with the sockets of kernels; its path must be short.
    pub runtime_root: PathBuf,
    /// How long a kernel may take to start, and its setup.
    pub start_timeout: Duration,
    /// How long an interrupted cell has until its kernel is killed.
    pub interrupt_grace: Duration,
    /// How much a cell may show.
    pub limits: Limits,
}

impl IPythonConfig {
    /// The usual settings, in this directory and environment.
    pub fn new(
        directory: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self {
            interpreter: None,
            preferred: Vec::new(),
            directory: directory.into(),
            environment: environment.into_iter().collect(),
            nice: 0,
            user: None,
            cgroup: Cgroup::Auto,
            setup: Vec::new(),
            runtime_root: PathBuf::from("/tmp"),
            start_timeout: Duration::from_mins(1),
            interrupt_grace: Duration::from_secs(3),
            limits: Limits::default(),
        }
    }
}
