//! A VS Code server beside this one: it is found, started, watched, started again, and ended with us.
//!
//! ```text
//!   program    which VS Code server this machine has
//!   child      one run of it: start, wait until it is ready, follow its output, end
//!   supervise  run after run, until there is nothing to run or the server stops
//! ```
//!
//! No VS Code on the machine, or a port that is taken, is no error: there is none then.

mod child;
mod program;
mod supervise;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use openhands_sdk_rs::process::{Environment, User, command_environment};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::config::Config;
use program::Program;
use supervise::Supervisor;

/// How long VS Code may take to start.
const START_LIMIT: Duration = Duration::from_secs(30);
/// The pause before the first restart.
const FIRST_DELAY: Duration = Duration::from_secs(1);
/// Where the images of OpenHands keep their VS Code.
const IMAGE_ROOT: &str = "/openhands/.openvscode-server";

/// How VS Code is found and started.
#[derive(Debug, Clone)]
pub(crate) struct VsCodeSetup {
    /// Where it listens.
    pub(crate) port: u16,
    /// The path below which it answers, for proxies that serve it beside other things.
    pub(crate) base_path: Option<String>,
    /// What a visitor must show; a random one if it is none that VS Code takes.
    pub(crate) token: Option<String>,
    /// The server to start, if it is named.
    pub(crate) program: Option<PathBuf>,
    /// Where an image keeps it.
    pub(crate) image_root: PathBuf,
    /// The environment of commands.
    pub(crate) env: Environment,
    /// The user to run as, if not the server's; only root may choose.
    pub(crate) user: Option<User>,
    /// Where it is started, if not where the server was.
    pub(crate) directory: Option<PathBuf>,
    /// How long a start may take.
    pub(crate) start_limit: Duration,
    /// The pause before the first restart; it doubles with each failure in a row.
    pub(crate) first_delay: Duration,
}

impl VsCodeSetup {
    /// What the settings say.
    pub(crate) fn of(config: &Config) -> Self {
        let server = config.env.iter();
        Self {
            port: config.vscode_port,
            base_path: config.vscode_base_path.clone(),
            token: config.first_session_key().map(str::to_owned),
            program: config.vscode_program.clone(),
            image_root: IMAGE_ROOT.into(),
            env: command_environment(server.map(|(name, value)| (name.into(), value.into()))),
            user: None,
            directory: None,
            start_limit: START_LIMIT,
            first_delay: FIRST_DELAY,
        }
    }
}

/// The VS Code server, or the reason that there is none.
#[derive(Debug)]
pub(crate) struct VsCode {
    port: u16,
    base_path: Option<String>,
    token: String,
    running: watch::Receiver<bool>,
    stop: CancellationToken,
    task: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl VsCode {
    /// Begins to start VS Code and returns. Needs a Tokio runtime.
    pub(crate) fn start(setup: VsCodeSetup) -> Self {
        let token = setup
            .token
            .clone()
            .filter(|token| is_token(token))
            .unwrap_or_else(random_token);
        let (is_running, running) = watch::channel(false);
        let stop = CancellationToken::new();
        let (port, base_path) = (setup.port, setup.base_path.clone());
        let supervisor = Supervisor {
            token: token.clone(),
            running: is_running,
            stop: stop.clone(),
        };
        let task = tokio::spawn(async move {
            if let Some(program) = Program::find(&setup).await {
                supervisor.run(&program, &setup).await;
            } else {
                tracing::info!("there is no VS Code server on this machine");
            }
        });
        Self {
            port,
            base_path,
            token,
            running,
            stop,
            task: Mutex::new(Some(AbortOnDropHandle::new(task))),
        }
    }

    /// Whether it takes visitors.
    pub(crate) fn is_running(&self) -> bool {
        *self.running.borrow()
    }

    /// Waits until it takes visitors, or there is nothing that could.
    pub(crate) async fn running(&self) {
        let _ = self.running.clone().wait_for(|running| *running).await;
    }

    /// Where to open a directory in VS Code, with the token in it; none if VS Code does not run.
    pub(crate) fn url(&self, base_url: Option<&str>, directory: &str) -> Option<String> {
        if !self.is_running() {
            return None;
        }
        let mut url = base_url.map_or_else(
            || format!("http://localhost:{}", self.port),
            |base| base.trim_end_matches('/').to_owned(),
        );
        if let Some(base_path) = self.base_path.as_deref().filter(|path| !path.is_empty()) {
            url.push('/');
            url.push_str(base_path.trim_matches('/'));
        }
        let token = quoted(&self.token);
        Some(format!("{url}/?tkn={token}&folder={}", quoted(directory)))
    }

    /// Waits until VS Code runs or does not.
    #[cfg(test)]
    pub(crate) async fn until_running(&self, wanted: bool) {
        let mut running = self.running.clone();
        let seen = running.wait_for(|running| *running == wanted);
        tokio::time::timeout(Duration::from_secs(30), seen)
            .await
            .expect("VS Code changes its state in time")
            .expect("the supervisor lives");
    }

    /// Ends VS Code and waits for it.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        let task = self.task.lock().take();
        if let Some(task) = task {
            // A task that panicked has dropped its process, and so ended it.
            let _ = task.await;
        }
    }
}

/// VS Code takes no other characters.
fn is_token(token: &str) -> bool {
    !token.is_empty()
        && token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// 32 random bytes.
fn random_token() -> String {
    let halves = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()];
    halves.map(|half| half.simple().to_string()).concat()
}

/// A value of a query, with slashes left as they are.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.-~/".contains(&byte) {
            quoted.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(quoted, "%{byte:02X}");
        }
    }
    quoted
}

#[cfg(test)]
#[path = "vscode_tests.rs"]
mod tests;
