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
use tokio::sync::{Notify, broadcast, mpsc};

use super::relay::McpNotice;

/// Progress kept for calls that are not registered yet.
const MAX_UNCLAIMED: usize = 64;

/// Takes notifications.
#[derive(Debug, Clone)]
pub(super) struct Handler {
    /// The server's list of tools has changed.
    pub(super) tools_changed: Arc<Notify>,
    pub(super) progress: Arc<Progress>,
    notices: broadcast::Sender<McpNotice>,
}

impl Handler {
    pub(super) fn new(notices: broadcast::Sender<McpNotice>) -> Self {
        Self {
            tools_changed: Arc::default(),
            progress: Arc::default(),
            notices,
        }
    }

    fn tell(&self, notice: McpNotice) {
        // Usually nobody listens.
        let _ = self.notices.send(notice);
    }
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

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tell(McpNotice::PromptsChanged);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.tell(McpNotice::ResourcesChanged);
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
    calls: HashMap<ProgressToken, Watcher>,
    /// A server may answer before the sender of a call knows its token.
    unclaimed: VecDeque<ProgressNotificationParam>,
}

/// Who watches a call. Neither form waits for a slow reader.
#[derive(Debug)]
pub(super) enum Watcher {
    /// A line for each step.
    Lines(OutputSink),
    /// The steps themselves.
    Relay(mpsc::Sender<ProgressNotificationParam>),
}

impl Watcher {
    fn push(&self, progress: &ProgressNotificationParam) {
        match self {
            Self::Lines(sink) => sink.push(line(progress)),
            Self::Relay(sender) => {
                let _ = sender.try_send(progress.clone());
            }
        }
    }
}

impl Progress {
    /// Sends the progress of a call to `sink` until the guard is dropped.
    pub(super) fn watch(self: &Arc<Self>, token: ProgressToken, sink: Watcher) -> Watching {
        let mut watched = self.0.lock();
        // What is there for other calls stays: they may be about to register, too.
        watched.unclaimed.retain(|progress| {
            let own = progress.progress_token == token;
            if own {
                sink.push(progress);
            }
            !own
        });
        watched.calls.insert(token.clone(), sink);
        Watching {
            progress: Arc::clone(self),
            token,
        }
    }

    fn push(&self, progress: ProgressNotificationParam) {
        let mut watched = self.0.lock();
        if let Some(sink) = watched.calls.get(&progress.progress_token) {
            sink.push(&progress);
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

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::NumberOrString;

    fn progress(call: i64, step: f64) -> ProgressNotificationParam {
        ProgressNotificationParam::new(ProgressToken(NumberOrString::Number(call)), step)
    }

    fn watch(on: &Arc<Progress>, call: i64) -> (Watching, tokio::sync::mpsc::Receiver<Bytes>) {
        let (sink, shown) = OutputSink::channel(8);
        let token = progress(call, 0.0).progress_token;
        (on.watch(token, Watcher::Lines(sink)), shown)
    }

    #[test]
    fn progress_that_comes_before_its_call_is_known_is_kept_for_it() {
        let all = Arc::new(Progress::default());
        all.push(progress(1, 1.0));
        all.push(progress(2, 2.5));
        let (_one, mut first) = watch(&all, 1);
        let (two, mut second) = watch(&all, 2);
        assert_eq!(first.try_recv().unwrap(), "[1]\n");
        assert_eq!(second.try_recv().unwrap(), "[2.5]\n");
        all.push(progress(2, 3.0).with_total(4.0).with_message("more"));
        assert_eq!(second.try_recv().unwrap(), "[3/4] more\n");
        drop(two);
        all.push(progress(2, 4.0));
        assert!(second.try_recv().is_err());
        assert!(first.try_recv().is_err());
    }

    #[test]
    fn progress_that_nobody_claims_is_bounded() {
        let all = Arc::new(Progress::default());
        for step in 0..1000 {
            all.push(progress(1, f64::from(step)));
        }
        assert_eq!(all.0.lock().unclaimed.len(), MAX_UNCLAIMED);
    }
}
