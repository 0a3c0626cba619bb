//! Commands that clients run beside the agent: start, follow, stop.
//!
//! ```text
//! start ─► command stored, announced ─► process tree ─► output stored, announced ... ─► exit code
//! execute = start, and everything joined          stop = TERM, a second, KILL
//! ```
//!
//! Commands know nothing of each other. What a command leaves running in the background lives on after its exit code, until it is
//! stopped or the server ends; nothing outlives the server.

mod chunks;
mod command;
mod flow;
mod joined;
mod name;
mod parts;
mod rooms;
mod scopes;
mod search;
mod store;
mod subscription;
mod written;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use openhands_protocol::bash::{BashCommand, ExecuteBashRequest};
use openhands_protocol::{BashEventId, Extra};
use openhands_sdk_rs::process::Environment;
use parking_lot::Mutex;
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use command::{Control, Run};
use joined::{Joined, Stored};
use rooms::Rooms;

pub(crate) use joined::Answer;
pub(crate) use scopes::BashServices;
pub(crate) use search::Search;
pub(crate) use store::EventStore;
pub(crate) use subscription::{Subscription, SubscriptionEnd};

/// How long the end of a stopped command is waited for: a second of grace, a second for the kill, and some air.
const STOP_WAIT: Duration = Duration::from_secs(3);

/// How many pieces of output may wait for who joins them; the command waits with the next.
const UNREAD_OUTPUTS: usize = 1;

/// The least time between two looks for old events.
const MIN_RETENTION_PERIOD: Duration = Duration::from_mins(1);

/// Why a command was not started.
#[derive(Debug, Error)]
pub(crate) enum StartError {
    /// The server is stopping.
    #[error("Bash event service is closed")]
    Closed,
    /// The command could not be stored.
    #[error("cannot store the command: {0}")]
    Store(#[from] io::Error),
}

/// Commands with one store of events.
pub(crate) struct BashService {
    store: Arc<EventStore>,
    environment: Environment,
    default_cwd: Option<PathBuf>,
    commands: Mutex<HashMap<BashEventId, Arc<Control>>>,
    tasks: TaskTracker,
    closing: CancellationToken,
}

impl BashService {
    /// Commands get this environment and, where they name no directory, this one, else the server's. Their events are
    /// kept in `events`.
    pub(crate) fn new(
        events: PathBuf,
        environment: Environment,
        default_cwd: Option<PathBuf>,
    ) -> Arc<Self> {
        Self::with_store(EventStore::new(events), environment, default_cwd)
    }

    /// The same for a conversation: when the directory above `events` has gone, nothing is kept any more.
    pub(crate) fn below(
        events: PathBuf,
        environment: Environment,
        workspace: PathBuf,
    ) -> Arc<Self> {
        Self::with_store(EventStore::below(events), environment, Some(workspace))
    }

    fn with_store(
        store: Arc<EventStore>,
        environment: Environment,
        default_cwd: Option<PathBuf>,
    ) -> Arc<Self> {
        Arc::new(Self {
            store,
            environment,
            default_cwd,
            commands: Mutex::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        })
    }

    /// How many commands run, with what they left behind.
    pub(crate) fn running(&self) -> usize {
        self.commands.lock().len()
    }

    /// The stored events.
    pub(crate) fn events(&self) -> &Arc<EventStore> {
        &self.store
    }

    /// Starts a command. It runs whether or not anybody waits for it.
    pub(crate) async fn start(
        self: &Arc<Self>,
        request: ExecuteBashRequest,
    ) -> Result<BashCommand, StartError> {
        self.begin(request, None).await
    }

    /// Runs a command and gives all of its output, with the number and time of the last event. Large output is given while it comes.
    pub(crate) async fn execute(
        self: &Arc<Self>,
        request: ExecuteBashRequest,
    ) -> Result<Answer, StartError> {
        let (sender, mut outputs) = mpsc::channel(UNREAD_OUTPUTS);
        self.begin(request, Some(sender)).await?;
        let mut joined = Joined::new(self.store.directory());
        while let Some(stored) = outputs.recv().await {
            joined = joined.push(stored).await?;
            if joined.is_much() {
                return Ok(joined.flow(outputs));
            }
        }
        // Nothing at all comes only from a task that was dropped with the runtime.
        if joined.is_empty() {
            return Err(StartError::Closed);
        }
        Ok(joined.into_answer()?)
    }

    async fn begin(
        self: &Arc<Self>,
        request: ExecuteBashRequest,
        outputs: Option<mpsc::Sender<Stored>>,
    ) -> Result<BashCommand, StartError> {
        if self.closing.is_cancelled() {
            return Err(StartError::Closed);
        }
        let asked = request.cwd.filter(|cwd| !cwd.is_empty());
        let cwd = asked.or_else(|| {
            self.default_cwd
                .as_ref()
                .map(|cwd| cwd.to_string_lossy().into_owned())
        });
        let command = BashCommand {
            command: request.command,
            cwd,
            timeout: request.timeout,
            id: BashEventId::random(),
            timestamp: self.store.stamp().await?,
            extra: Extra::EMPTY,
        };
        // From before the command is known to anybody, so that a stop always finds it.
        let control = Arc::<Control>::default();
        self.commands
            .lock()
            .insert(command.id, Arc::clone(&control));
        let run = Run {
            command: command.clone(),
            environment: self.environment.clone(),
            store: Arc::clone(&self.store),
            control,
            closing: self.closing.clone(),
            outputs,
            order: 0,
            storing: None,
            text_room: String::new(),
            json_rooms: Rooms::default(),
        };
        let (stored, answer) = oneshot::channel();
        let service = Arc::clone(self);
        // In a task from here on: what was stored is run, also when the caller goes away.
        self.tasks.spawn(async move {
            let id = run.command.id;
            let added = run.store.add_command(run.command.clone()).await;
            let is_stored = added.is_ok();
            // The caller may have gone away.
            let _ = stored.send(added);
            if is_stored {
                run.finish().await;
            }
            service.commands.lock().remove(&id);
        });
        answer.await.map_err(|_| StartError::Closed)??;
        Ok(command)
    }

    /// Stops a command and what it left running. False if there never was one with this id.
    pub(crate) async fn stop(&self, id: BashEventId) -> io::Result<bool> {
        let control = self.commands.lock().get(&id).cloned();
        let Some(control) = control else {
            return self.store.knows(id).await;
        };
        control.stop.cancel();
        // The last output is then stored, or the command is one that nobody can kill.
        let _ = tokio::time::timeout(STOP_WAIT, control.gone.cancelled()).await;
        Ok(true)
    }

    /// Removes old events now and again for as long as the service lives.
    pub(crate) fn keep_events_for(self: &Arc<Self>, retention: Duration) {
        let service = Arc::clone(self);
        let closing = self.closing.clone();
        let period = MIN_RETENTION_PERIOD.max(retention / 2);
        self.tasks
            .spawn(closing.run_until_cancelled_owned(async move {
                loop {
                    let before = Timestamp::now()
                        - jiff::SignedDuration::try_from(retention)
                            .unwrap_or(jiff::SignedDuration::MAX);
                    match service.store.expire(before).await {
                        Ok(0) => {}
                        Ok(count) => tracing::info!(count, "removed old bash events"),
                        Err(error) => tracing::warn!(%error, "cannot remove old bash events"),
                    }
                    tokio::time::sleep(period).await;
                }
            }));
    }

    /// Kills all commands at once and ends all subscriptions. Returns when the last outputs are stored.
    pub(crate) async fn close(&self) {
        self.closing.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.store.close();
    }
}

#[cfg(test)]
#[path = "bash_tests.rs"]
mod tests;
