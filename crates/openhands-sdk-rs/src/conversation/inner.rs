//! The handle of a conversation, and what it points at.

use std::collections::HashSet;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use openhands_protocol::conversation::{ConversationState, ExecutionStatus};
use openhands_protocol::{ConversationId, Form};
use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::conversation::goal::GoalLoop;
use crate::conversation::live::Sent;
use crate::conversation::run::RunEnd;
use crate::conversation::versioned::Versioned;
use crate::conversation::writer::WriterState;
use crate::conversation::{ConversationError, Equipment, FullState, Host, Subscription, Unsaved};
use crate::event_log::{EventLog, Lease};
use crate::mcp::McpServers;
use crate::secrets::Registry as Secrets;
use crate::subagents::Kept;

/// A conversation. Clones are the same conversation.
#[derive(Clone)]
pub struct Conversation {
    pub(crate) inner: Arc<Inner>,
}

/// What a handle points at.
pub(crate) struct Inner {
    /// Itself, for tools that act on the conversation.
    pub(crate) me: Weak<Inner>,
    pub(crate) id: ConversationId,
    pub(crate) host: Arc<Host>,
    pub(crate) log: EventLog,
    /// Read by anyone at any time; changed only by who holds the writer.
    pub(crate) state: Versioned<ConversationState>,
    pub(crate) secrets: Secrets,
    pub(crate) writer: tokio::sync::Mutex<WriterState>,
    /// What the agent works with; made when it is first needed.
    pub(crate) equipment: tokio::sync::Mutex<Option<Arc<Equipment>>>,
    /// MCP servers that were started before they are needed.
    pub(crate) early_servers: Mutex<Option<Arc<McpServers>>>,
    /// Where live updates go; none when nobody watches.
    pub(crate) live: Mutex<Option<broadcast::Sender<Sent>>>,
    /// The run that is under way.
    pub(crate) run: Mutex<Option<CancellationToken>>,
    pub(crate) goal: Mutex<Option<GoalLoop>>,
    /// Secrets that were added after the beginning.
    pub(crate) added_secrets: Mutex<HashSet<String>>,
    /// How the last run ended; none while one is under way.
    pub(crate) last_run: watch::Sender<Option<RunEnd>>,
    pub(crate) tasks: TaskTracker,
    pub(crate) disk_form: Form,
    pub(crate) lease: Option<Arc<Lease>>,
    pub(crate) extras: Unsaved,
    /// Cuts off the run that is under way and all that are to come.
    pub(crate) stop: CancellationToken,
    pub(crate) subagents: Kept,
}

impl Inner {
    /// Begins work of the agent, on the threads that the host has for it.
    pub(crate) fn spawn_work(&self, work: impl Future<Output = ()> + Send + 'static) {
        match &self.host.workers {
            Some(workers) => self.tasks.spawn_on(work, workers),
            None => self.tasks.spawn(work),
        };
    }

    /// The directory of the conversation, if it has one.
    pub(crate) fn directory(&self) -> Option<PathBuf> {
        self.host.directory_of(self.id)
    }
}

impl Conversation {
    /// Its id.
    pub fn id(&self) -> ConversationId {
        self.inner.id
    }

    /// What it is doing.
    pub fn status(&self) -> ExecutionStatus {
        self.inner.state.read().execution_status
    }

    /// Looks at the state, without waiting for anything that is under way. `look` must be quick.
    pub fn state<T>(&self, look: impl FnOnce(&ConversationState) -> T) -> T {
        look(&self.inner.state.read())
    }

    /// As long as this is the same, so is the state. It may change without the state changing.
    pub fn state_version(&self) -> u64 {
        self.inner.state.version()
    }

    /// Its events.
    pub fn events(&self) -> &EventLog {
        &self.inner.log
    }

    /// The whole state as an event that is sent and never stored.
    pub fn full_state(&self) -> Result<FullState, ConversationError> {
        self.inner.full_state()
    }

    /// Watches it from a position of the log on; 0 is from the start.
    pub fn subscribe(&self, from: u64) -> Subscription {
        Subscription::new(self.clone(), from)
    }

    /// Carries out a command to its end, even if the caller goes away. On the threads that the host has for agents: what follows from a
    /// message, the run, is then begun where the message was stored.
    pub(crate) async fn command<T, F>(
        &self,
        work: impl FnOnce(Self) -> F,
    ) -> Result<T, ConversationError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, ConversationError>> + Send + 'static,
    {
        let work = work(self.clone());
        let done = match &self.inner.host.workers {
            Some(workers) => self.inner.tasks.spawn_on(work, workers),
            None => self.inner.tasks.spawn(work),
        };
        done.await.map_err(|_| ConversationError::Gone)?
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("id", &self.inner.id)
            .field("status", &self.status())
            .field("events", &self.inner.log.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
