//! How a shell is started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::env::Environment;
use crate::pty::Size;
use crate::spawn::Cgroup;
use crate::watchdog::User;

/// Settings of a shell; it is started again with the same ones.
#[derive(Debug, Clone)]
pub struct ShellConfig {
    /// The bash to run, 4.4 or newer.
    pub bash: PathBuf,
    /// Where it starts, and starts again.
    pub directory: PathBuf,
    /// Its whole environment. Many shells may share one.
    pub environment: Arc<Environment>,
    /// Added to the server's niceness.
    pub nice: i32,
    /// The user to run as, if not the server's; only root may choose.
    pub user: Option<User>,
    /// Whether the shell's processes get a cgroup of their own.
    pub cgroup: Cgroup,
    /// The terminal's size.
    pub size: Size,
    /// How many bytes of a command's output are kept: half of them from its start, half from its end.
    pub output_cap: usize,
    /// Whether the system's and the user's bashrc are read.
    pub startup_files: bool,
    /// How long start-up files may take.
    pub startup_timeout: Duration,
    /// How long a cancelled command has after Ctrl-C before it is killed.
    pub interrupt_grace: Duration,
}

impl ShellConfig {
    /// The usual settings, in this directory and environment.
    pub fn new(
        directory: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        Self {
            bash: PathBuf::from("bash"),
            directory: directory.into(),
            environment: Arc::new(environment.into_iter().collect()),
            nice: 0,
            user: None,
            cgroup: Cgroup::Auto,
            size: Size {
                rows: 200,
                columns: 256,
            },
            output_cap: 8 << 20,
            startup_files: true,
            startup_timeout: Duration::from_secs(30),
            interrupt_grace: Duration::from_secs(2),
        }
    }
}
