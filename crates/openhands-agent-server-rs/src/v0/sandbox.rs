//! Everything that one V0 server has.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_sdk_rs::mcp::McpOptions;
use openhands_sdk_rs::tools::file_editor::{Dialect, FileEditor};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::browser::SandboxBrowser;
use super::command::Settings;
use super::file_viewer::FileViewer;
use super::mcp;
use super::memory_monitor::MemoryMonitor;
use super::plugins::Plugins;
use super::server_info::CpuShare;
use super::shell::SandboxShell;
use super::user;

/// A sandbox: its shell, its editor, and who may use them.
#[derive(Debug)]
pub(super) struct Sandbox {
    pub(super) settings: Settings,
    /// Who owns files that are made.
    pub(super) user_id: u32,
    pub(super) shell: SandboxShell,
    pub(super) editor: Arc<FileEditor>,
    pub(super) plugins: Plugins,
    /// None where it is turned off or there is no Chromium.
    pub(super) browser: Option<SandboxBrowser>,
    pub(super) mcp: Arc<mcp::Router>,
    /// One action at a time.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Actions under way. They go on when the client has gone.
    pub(super) actions: TaskTracker,
    /// Ends the running action.
    pub(super) stop: CancellationToken,
    pub(super) cpu_share: CpuShare,
    _viewer: Option<FileViewer>,
    _memory_monitor: Option<MemoryMonitor>,
    started: Instant,
    last_action: Mutex<Instant>,
}

impl Sandbox {
    /// Makes everything ready.
    pub(super) async fn start(settings: Settings) -> anyhow::Result<Arc<Self>> {
        if let Some(limit) = settings.max_memory_gb {
            // compat: it is told of and no more.
            tracing::info!("the memory limit of {limit} GB is not enforced");
        }
        let viewer = FileViewer::start(settings.port, &settings.viewer_url_file).await;
        let viewer = viewer
            .inspect_err(|error| tracing::warn!(%error, "there is no file viewer"))
            .ok();
        let user_id = user::prepare(&settings).await?;
        let shell = SandboxShell::start(&settings, &settings.working_dir).await?;
        let editor = FileEditor::new(&settings.working_dir).with_dialect(Dialect::V0);
        let plugins = Plugins::start(&settings).await?;
        let variables = settings.environment.to_vec().into_iter();
        let options = McpOptions {
            env: variables
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            start_limit: mcp::START_LIMIT,
            ..McpOptions::default()
        };
        let now = Instant::now();
        Ok(Arc::new(Self {
            user_id,
            shell,
            editor: Arc::new(editor),
            plugins,
            browser: SandboxBrowser::new(&settings),
            mcp: mcp::Router::new(settings.session_key.clone(), options),
            turn: tokio::sync::Mutex::default(),
            actions: TaskTracker::new(),
            stop: CancellationToken::new(),
            cpu_share: CpuShare::start().await,
            _viewer: viewer,
            _memory_monitor: settings.memory_monitor.then(MemoryMonitor::start),
            started: now,
            last_action: Mutex::new(now),
            settings,
        }))
    }

    /// Ends everything that runs.
    pub(super) async fn close(&self) {
        self.stop.cancel();
        tokio::join!(
            self.shell.terminal.close(),
            self.plugins.stop(),
            self.mcp.stop(),
            async {
                if let Some(browser) = &self.browser {
                    browser.close().await;
                }
            }
        );
        self.actions.close();
        self.actions.wait().await;
    }

    /// Notes that an action begins.
    pub(super) fn touch(&self) {
        *self.last_action.lock() = Instant::now();
    }

    /// Since when the server runs.
    pub(super) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// How long ago the last action began.
    pub(super) fn idle_time(&self) -> Duration {
        self.last_action.lock().elapsed()
    }

    /// A path as the shell would understand it, and where the shell is.
    ///
    /// compat: `..` stays as it is written.
    pub(super) async fn resolve(&self, path: &str) -> (PathBuf, PathBuf) {
        let directory = self.shell.directory().await;
        (directory.join(path).components().collect(), directory)
    }
}
