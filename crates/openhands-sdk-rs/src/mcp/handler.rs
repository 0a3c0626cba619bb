//! Our side of a connection: what servers may tell us without being asked.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use bytes::Bytes;
use openhands_tools::OutputSink;
use parking_lot::Mutex;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{NotificationContext, RoleClient};
use tokio::sync::Notify;

/// Progress kept for calls that are not registered yet.
const MAX_UNCLAIMED: usize = 64;

/// Takes notifications.
#[derive(Debug, Clone, Default)]
pub(super) struct Handler {
    /// The server's list of tools has changed.
    pub(super) tools_changed: Arc<Notify>,
    pub(super) progress: Arc<Progress>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("openhands", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tools_changed.notify_one();
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.progress.push(progress);
    }
}

/// Progress of running calls, on its way to who watches them.
#[derive(Debug, Default)]
pub(super) struct Progress(Mutex<Watched>);

#[derive(Debug, Default)]
struct Watched {
    calls: HashMap<ProgressToken, OutputSink>,
    /// A server may answer before the sender of a call knows its token.
    unclaimed: VecDeque<ProgressNotificationParam>,
}

impl Progress {
    /// Sends the progress of a call to `sink` until the guard is dropped.
    pub(super) fn watch(self: &Arc<Self>, token: ProgressToken, sink: OutputSink) -> Watching {
        let mut watched = self.0.lock();
        for progress in &watched.unclaimed {
            if progress.progress_token == token {
                sink.push(line(progress));
            }
        }
        watched.unclaimed.clear();
        watched.calls.insert(token.clone(), sink);
        Watching {
            progress: Arc::clone(self),
            token,
        }
    }

    fn push(&self, progress: ProgressNotificationParam) {
        let mut watched = self.0.lock();
        if let Some(sink) = watched.calls.get(&progress.progress_token) {
            sink.push(line(&progress));
            return;
        }
        if watched.unclaimed.len() == MAX_UNCLAIMED {
            watched.unclaimed.pop_front();
        }
        watched.unclaimed.push_back(progress);
    }
}

/// A call whose progress is watched.
#[derive(Debug)]
pub(super) struct Watching {
    progress: Arc<Progress>,
    token: ProgressToken,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.progress.0.lock().calls.remove(&self.token);
    }
}

/// A line about progress: `[1/3] words`.
fn line(progress: &ProgressNotificationParam) -> Bytes {
    let mut line = format!("[{}", progress.progress);
    if let Some(total) = progress.total {
        let _ = write!(line, "/{total}");
    }
    line.push(']');
    if let Some(message) = &progress.message {
        line.push(' ');
        line.push_str(message);
    }
    line.push('\n');
    Bytes::from(line)
}
