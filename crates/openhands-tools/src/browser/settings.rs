//! How a browser is started and what it may do.

use openhands_process::{Cgroup, Environment, User};
use std::path::PathBuf;
use std::time::Duration;

/// What happens to a dialog that a page opens. Nobody is there to read it, and it would stop the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DialogPolicy {
    /// It is accepted: `confirm` says yes, `prompt` gives its default.
    #[default]
    Accept,
    /// It is dismissed: `confirm` says no, `prompt` gives nothing. A page is still left when it asks whether to.
    Dismiss,
}

/// Settings of a browser; one that comes back gets the same.
#[derive(Debug, Clone)]
pub struct BrowserSettings {
    /// Chromium's program. Without it, the usual names are looked for on the path and where Playwright installs.
    pub executable: Option<PathBuf>,
    /// The whole environment of the browser.
    pub environment: Environment,
    /// Where it runs.
    pub directory: PathBuf,
    /// Where files that pages offer are saved.
    pub downloads: PathBuf,
    /// Width and height of the visible part of a page.
    pub viewport: (u32, u32),
    /// What the browser calls itself, if not by its own name.
    pub user_agent: Option<String>,
    /// A proxy, as Chromium's `--proxy-server` takes it.
    pub proxy: Option<String>,
    /// Hosts that are reached without the proxy, as Chromium's `--proxy-bypass-list` takes them.
    pub proxy_bypass: Option<String>,
    /// Whether Chromium's own sandbox is on. Without a word: unless we are root, or it cannot be had here.
    pub sandbox: Option<bool>,
    /// Permissions that every page has, by CDP's names (`geolocation`, `clipboardReadWrite`).
    pub permissions: Vec<String>,
    /// What happens to dialogs.
    pub dialogs: DialogPolicy,
    /// Memory of all the browser's processes, in bytes, above which its largest page is ended.
    pub max_memory: Option<u64>,
    /// How long the browser may take to start.
    pub start_timeout: Duration,
    /// How long one command may take.
    pub command_timeout: Duration,
    /// How long a page may take to load.
    pub navigation_timeout: Duration,
    /// The user to run as, if not the server's; only root may choose.
    pub user: Option<User>,
    /// Added to the server's niceness.
    pub nice: i32,
    /// Whether the browser's processes get a cgroup of their own.
    pub cgroup: Cgroup,
    /// More arguments for Chromium.
    pub arguments: Vec<String>,
}

impl BrowserSettings {
    /// The usual settings, in this directory and environment.
    pub fn new(
        directory: impl Into<PathBuf>,
        environment: impl IntoIterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
    ) -> Self {
        let directory = directory.into();
        Self {
            executable: None,
            environment: environment.into_iter().collect(),
            downloads: directory.join("downloads"),
            directory,
            viewport: (1280, 720),
            user_agent: None,
            proxy: None,
            proxy_bypass: None,
            sandbox: None,
            permissions: Vec::new(),
            dialogs: DialogPolicy::default(),
            max_memory: Some(4 << 30),
            start_timeout: Duration::from_secs(30),
            command_timeout: Duration::from_secs(30),
            navigation_timeout: Duration::from_secs(30),
            user: None,
            nice: 0,
            cgroup: Cgroup::Auto,
            arguments: Vec::new(),
        }
    }
}
