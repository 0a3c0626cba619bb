//! One conversation of the catalog: what is known of it, and the conversation itself while it is in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use openhands_protocol::conversation::{ExecutionStatus, StoredConversation};
use openhands_protocol::{ConversationId, UtcTime};
use openhands_sdk_rs::conversation::Unsaved;
use openhands_sdk_rs::tools::absolute;
use openhands_sdk_rs::{Conversation, Host};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::services::conversations::{RefusedRequest, meta};

/// How many sockets may watch one conversation: a screen of watchers costs each event a write, not a copy.
pub(crate) const MAX_WATCHERS: usize = 4096;

/// A conversation of the catalog.
#[derive(Debug)]
pub(crate) struct Entry {
    id: ConversationId,
    meta: Mutex<StoredConversation>,
    /// Counts the changes of `meta`.
    meta_version: AtomicU64,
    /// Held while the conversation is loaded, closed or deleted, and while `meta.json` is written.
    gate: tokio::sync::Mutex<()>,
    loaded: Mutex<Option<Conversation>>,
    /// The status while it is not in memory.
    resting: Mutex<ExecutionStatus>,
    is_deleted: AtomicBool,
    users: AtomicUsize,
    last_used: Mutex<Instant>,
    /// Held while a run begins, and while the permit of one that ended is given back.
    pub(super) turn: tokio::sync::Mutex<()>,
    pub(super) permit: Mutex<Option<OwnedSemaphorePermit>>,
    /// Whether a title is being made, or was.
    pub(super) is_titled: AtomicBool,
    /// Sockets take one each.
    watchers: Arc<Semaphore>,
}

/// A conversation in use: it stays in memory as long as somebody holds it.
#[derive(Debug)]
pub(crate) struct Held {
    entry: Arc<Entry>,
    conversation: Conversation,
}

impl Entry {
    /// A conversation that is not in memory.
    pub(super) fn new(meta: StoredConversation, status: ExecutionStatus) -> Arc<Self> {
        Arc::new(Self {
            id: meta.id.into(),
            is_titled: AtomicBool::new(meta.title.is_some()),
            meta: Mutex::new(meta),
            meta_version: AtomicU64::new(0),
            gate: tokio::sync::Mutex::new(()),
            loaded: Mutex::new(None),
            resting: Mutex::new(status),
            is_deleted: AtomicBool::new(false),
            users: AtomicUsize::new(0),
            last_used: Mutex::new(Instant::now()),
            turn: tokio::sync::Mutex::new(()),
            permit: Mutex::new(None),
            watchers: Arc::new(Semaphore::new(MAX_WATCHERS)),
        })
    }

    /// A conversation that has just been made.
    pub(super) fn made(meta: StoredConversation, conversation: Conversation) -> Arc<Self> {
        let entry = Self::new(meta, ExecutionStatus::Idle);
        *entry.loaded.lock() = Some(conversation);
        entry
    }

    /// Its id.
    pub(crate) fn id(&self) -> ConversationId {
        self.id
    }

    /// What is known of it besides its state.
    pub(crate) fn meta(&self) -> StoredConversation {
        self.meta.lock().clone()
    }

    /// The same, to be changed. The number changes first: what is read after a look at it is never older than it.
    fn changing_meta(&self) -> MutexGuard<'_, StoredConversation> {
        let meta = self.meta.lock();
        self.meta_version.fetch_add(1, Ordering::Release);
        meta
    }

    /// As long as this is the same, so is what the API shows of it, except for its children and its runtime. None
    /// while it is not in memory.
    pub(super) fn version(&self) -> Option<(u64, u64)> {
        let state = self.loaded.lock().as_ref()?.state_version();
        Some((state, self.meta_version.load(Ordering::Acquire)))
    }

    /// Looks at what is known of it besides its state. `look` must be quick.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&StoredConversation) -> T) -> T {
        look(&self.meta.lock())
    }

    /// The directory that it works in, wherever commands start.
    pub(crate) fn working_dir(&self) -> PathBuf {
        self.look(|meta| absolute(Path::new(&meta.workspace.working_dir)))
    }

    /// The conversation, if it is in memory.
    pub(crate) fn loaded(&self) -> Option<Conversation> {
        self.loaded.lock().clone()
    }

    /// What it is doing.
    pub(crate) fn status(&self) -> ExecutionStatus {
        match &*self.loaded.lock() {
            Some(conversation) => conversation.status(),
            None => *self.resting.lock(),
        }
    }

    /// Whether it was deleted while somebody still knew it.
    pub(crate) fn is_deleted(&self) -> bool {
        self.is_deleted.load(Ordering::Acquire)
    }

    /// Something happened in it.
    pub(super) fn touch(&self) {
        self.changing_meta().updated_at = UtcTime::now();
    }

    /// A place for a socket; none if all are taken.
    pub(crate) fn watch(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.watchers).try_acquire_owned().ok()
    }

    /// Loads it, if it is not in memory, and holds it there.
    pub(super) async fn open(self: &Arc<Self>, host: &Arc<Host>) -> Result<Held, RefusedRequest> {
        if let Some(held) = self.hold() {
            return Ok(held);
        }
        let _gate = self.gate.lock().await;
        if self.is_deleted() {
            return Err(RefusedRequest::Deleted);
        }
        if let Some(held) = self.hold() {
            return Ok(held);
        }
        let unsaved = self.look(|meta| Unsaved {
            client_tools: meta.client_tools.clone(),
            agent_definitions: meta.agent_definitions.clone(),
            ..Unsaved::default()
        });
        let conversation = Conversation::open_with(host, self.id, unsaved).await?;
        let policy = self.look(|meta| meta.confirmation_policy.clone());
        // compat: a Python server takes the policy from here at every start, so this is the one that counts.
        conversation.set_confirmation_policy(policy).await?;
        *self.loaded.lock() = Some(conversation);
        self.hold().ok_or(RefusedRequest::Deleted)
    }

    fn hold(self: &Arc<Self>) -> Option<Held> {
        let loaded = self.loaded.lock();
        let conversation = loaded.clone()?;
        // Under the lock: nobody takes it out of memory in between.
        self.users.fetch_add(1, Ordering::AcqRel);
        Some(Held {
            entry: Arc::clone(self),
            conversation,
        })
    }

    /// Changes what is known of it and saves that. What cannot be saved is not changed.
    pub(super) async fn change(
        &self,
        host: &Host,
        change: impl FnOnce(&mut StoredConversation),
    ) -> Result<(), RefusedRequest> {
        let _gate = self.gate.lock().await;
        if self.is_deleted() {
            return Err(RefusedRequest::Deleted);
        }
        let mut changed = self.meta();
        change(&mut changed);
        meta::save(host, &changed).await?;
        let mut meta = self.changing_meta();
        if meta.updated_at > changed.updated_at {
            changed.updated_at = meta.updated_at.clone();
        }
        *meta = changed;
        Ok(())
    }

    /// Takes it out of memory if it has not been used for so long and does nothing.
    pub(super) async fn evict(&self, host: &Host, idle: Duration) {
        let Ok(_gate) = self.gate.try_lock() else {
            return;
        };
        let taken = {
            let mut loaded = self.loaded.lock();
            let is_idle = loaded.as_ref().is_some_and(|held| !held.is_active());
            if !is_idle
                || self.users.load(Ordering::Acquire) > 0
                || self.last_used.lock().elapsed() < idle
            {
                return;
            }
            if let Some(conversation) = &*loaded {
                *self.resting.lock() = conversation.status();
            }
            loaded.take()
        };
        if let Some(conversation) = taken {
            self.end(host, &conversation).await;
        }
    }

    /// Takes it out of memory, whatever it does: the server ends.
    pub(super) async fn close(&self, host: &Host) {
        let _gate = self.gate.lock().await;
        if let Some(conversation) = self.loaded() {
            self.end(host, &conversation).await;
        }
    }

    async fn end(&self, host: &Host, conversation: &Conversation) {
        if let Err(error) = conversation.close().await {
            tracing::warn!(conversation = %self.id, %error, "a conversation could not be closed in good order");
        }
        *self.resting.lock() = conversation.status();
        if let Err(error) = meta::save(host, &self.meta()).await {
            tracing::warn!(conversation = %self.id, %error, "meta.json could not be saved");
        }
    }

    /// Ends it for good and removes its files. Who still holds it finds it closed.
    pub(super) async fn delete(self: &Arc<Self>, host: &Arc<Host>) -> Result<(), RefusedRequest> {
        let held = self.open(host).await?;
        let _gate = self.gate.lock().await;
        self.is_deleted.store(true, Ordering::Release);
        held.conversation.delete().await?;
        self.loaded.lock().take();
        Ok(())
    }
}

impl Held {
    /// The conversation.
    pub(crate) fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Its entry in the catalog.
    pub(crate) fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        self.entry.users.fetch_add(1, Ordering::AcqRel);
        Self {
            entry: Arc::clone(&self.entry),
            conversation: self.conversation.clone(),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        *self.entry.last_used.lock() = Instant::now();
        self.entry.users.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
