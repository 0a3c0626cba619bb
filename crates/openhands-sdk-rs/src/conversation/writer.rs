//! The single writer: appends events and changes the state. Whoever holds it is the only one who does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_protocol::conversation::{ConversationStatsSnapshot, ExecutionStatus};
use openhands_protocol::event::ConversationStateUpdateEvent;
use openhands_protocol::{Event, Form, Names, Nulls, Secrets};
use serde::Serialize;
use tokio::sync::MutexGuard;

use crate::conversation::transition::{Cause, next};
use crate::conversation::{Branch, ConversationError, Inner};
use crate::event_log::{Showing, StateText, StoredEvent};

/// How soon a change of the state is saved. Its event is in the log at once.
const SAVE_DELAY: Duration = Duration::from_millis(50);

/// How long events are kept back that would only be in the way of what is about to follow.
const HELD_SHORTLY: Duration = Duration::from_millis(1);

/// Saving may take one part in so many of the time.
const SAVE_SHARE: u32 = 50;

/// What only the writer needs.
#[derive(Debug, Default)]
pub(crate) struct WriterState {
    text: StateText,
    /// How long it took to save the state the last time.
    saved_in: Option<Duration>,
    /// Whether there is more in the state than was saved.
    pub(crate) is_behind: bool,
    /// Whether a task is waiting to save it.
    is_due: bool,
    /// Events that go with the next one.
    held: Vec<Event>,
    /// The status that the conversation will have when its event is stored.
    turned: Option<ExecutionStatus>,
    /// The status in the saved state.
    saved_status: Option<ExecutionStatus>,
    /// Made from the log when it is first needed. In a box: most conversations have none.
    branch: Option<Box<Branch>>,
    /// Counts messages of users, so that a step notices one that came while it was at work.
    pub(crate) user_messages: u64,
    /// A run is to follow the present one.
    pub(crate) runs_again: bool,
}

/// The right to write.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    inner: &'a Inner,
    pub(crate) own: MutexGuard<'a, WriterState>,
}

impl Inner {
    /// Waits for the right to write. It is never held for long.
    pub(crate) async fn writer(&self) -> Writer<'_> {
        let mut own = self.writer.lock().await;
        // Of someone who could not append what would have made it the status.
        own.turned = None;
        Writer { inner: self, own }
    }
}

impl Writer<'_> {
    /// Appends an event. It is stored and visible when this returns.
    pub(crate) async fn emit(
        &mut self,
        event: impl Into<Event>,
    ) -> Result<Arc<StoredEvent>, ConversationError> {
        if self.own.held.is_empty() {
            let stored = self.inner.log.append(event.into()).await?;
            self.note(&stored);
            return Ok(stored);
        }
        let mut stored = self.emit_all([event.into()]).await?;
        stored.pop().ok_or(ConversationError::Gone)
    }

    /// Appends several events, in one go on the disk.
    pub(crate) async fn emit_all(
        &mut self,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Vec<Arc<StoredEvent>>, ConversationError> {
        self.store_all(events, Showing::Now).await
    }

    /// The same, with a choice of when watchers see them.
    pub(crate) async fn store_all(
        &mut self,
        events: impl IntoIterator<Item = Event>,
        showing: Showing,
    ) -> Result<Vec<Arc<StoredEvent>>, ConversationError> {
        let mut batch = std::mem::take(&mut self.own.held);
        let held = batch.len();
        batch.extend(events);
        let status = self.own.turned.take();
        let conversation = self.inner.me.clone();
        let appended = self.inner.log.append_all(batch, showing, move || {
            // In this order nobody is told of a status that a kill could take back, and nobody who was told of one sees another.
            if let (Some(status), Some(conversation)) = (status, conversation.upgrade()) {
                conversation.state.write().execution_status = status;
            }
        });
        let (mut stored, all) = appended.await?;
        for stored in &stored {
            self.note(stored);
        }
        all?;
        Ok(stored.split_off(held))
    }

    /// Keeps an event back until the next one, so that both take one way to the disk. Whoever holds one sees to it that something follows
    /// soon: the end of a step appends what is left.
    pub(crate) fn hold(&mut self, event: Event) {
        self.own.held.push(event);
    }

    /// The same where nothing may follow for long, as while a model is asked: then they are appended soon by themselves.
    pub(crate) fn hold_shortly(&mut self, events: Vec<Event>) {
        self.own.held.extend(events);
        let conversation = self.inner.me.clone();
        self.inner.spawn_work(async move {
            tokio::time::sleep(HELD_SHORTLY).await;
            let Some(inner) = conversation.upgrade() else {
                return;
            };
            if let Err(error) = inner.writer().await.emit_held().await {
                tracing::error!(conversation = %inner.id, %error, "events cannot be stored");
            }
        });
    }

    /// Appends what was kept back.
    pub(crate) async fn emit_held(&mut self) -> Result<(), ConversationError> {
        if !self.own.held.is_empty() {
            self.emit_all([]).await?;
        }
        Ok(())
    }

    /// Those who keep up with the log hear of an event that was stored.
    fn note(&mut self, stored: &Arc<StoredEvent>) {
        if !matches!(stored.event(), Event::StateUpdate(_)) {
            let mut state = self.inner.state.write();
            state.leaf_event_id = Some(stored.id().clone());
            state.head_is_empty = false;
        }
        if let Some(branch) = &mut self.own.branch {
            branch.push(stored);
        }
        if let Some(observer) = &self.inner.host.observer {
            observer.event(self.inner.id, stored);
        }
    }

    /// Tells watchers and the log about a new value of a state field.
    pub(crate) async fn tell(
        &mut self,
        key: &str,
        value: &impl Serialize,
    ) -> Result<(), ConversationError> {
        self.tell_as(key, value, &Form::SOCKET).await
    }

    /// The same for a value that is shown with its nulls.
    pub(crate) async fn tell_whole(
        &mut self,
        key: &str,
        value: &impl Serialize,
    ) -> Result<(), ConversationError> {
        let form = Form::new(Nulls::Keep, Secrets::Stars, Names::Internal);
        self.tell_as(key, value, &form).await
    }

    /// The same of the sums of what models used, with the next event.
    pub(crate) fn hold_stats(
        &mut self,
        sums: &ConversationStatsSnapshot,
    ) -> Result<(), ConversationError> {
        let form = Form::new(Nulls::Keep, Secrets::Stars, Names::Internal);
        let event = update_as("stats", sums, &form)?;
        self.hold(event);
        Ok(())
    }

    async fn tell_as(
        &mut self,
        key: &str,
        value: &impl Serialize,
        form: &Form,
    ) -> Result<(), ConversationError> {
        self.emit(update_as(key, value, form)?).await?;
        Ok(())
    }

    fn text(&mut self) -> Result<bytes::Bytes, ConversationError> {
        let mut state = self.inner.state.write();
        let text = self.own.text.write(&mut state, &self.inner.disk_form);
        text.map(Into::into).map_err(ConversationError::Unwritable)
    }

    /// The conversation that is written.
    pub(crate) fn inner(&self) -> &Inner {
        self.inner
    }

    /// The event that the next one is attached to.
    pub(crate) fn head(&self) -> Option<openhands_protocol::EventId> {
        self.inner.log.head().leaf().cloned()
    }

    /// Tells about the hooks that were given at the beginning, before the model is first told what it is.
    pub(crate) async fn tell_hooks(&mut self) -> Result<(), ConversationError> {
        let hooks = self.inner.state.read().hook_config.clone();
        let is_first = self
            .inner
            .log
            .count_kinds(|kind| kind == "SystemPromptEvent")
            == 0;
        match hooks {
            Some(hooks) if is_first => self.tell("hook_config", &hooks).await,
            Some(_) | None => Ok(()),
        }
    }

    /// The present status.
    pub(crate) fn status(&self) -> ExecutionStatus {
        self.inner.state.read().execution_status
    }

    /// Moves to the status that follows. Says whether it is another one.
    pub(crate) async fn turn(&mut self, cause: Cause) -> Result<bool, ConversationError> {
        match self.turned(cause)? {
            Some(update) => self.emit_all([update]).await.map(|_| true),
            None => Ok(false),
        }
    }

    /// The event that tells of the status that follows, if it is another one. It is to be appended by [`Writer::emit_all`], which makes it the
    /// status.
    pub(crate) fn turned(&mut self, cause: Cause) -> Result<Option<Event>, ConversationError> {
        let before = self.own.turned.unwrap_or_else(|| self.status());
        let after = next(before, cause)?;
        if before == after {
            return Ok(None);
        }
        self.own.turned = Some(after);
        self.save_later();
        update("execution_status", &after).map(Some)
    }

    /// Sees to it that the state is saved soon, and not more often than a small part of the time allows. Until then its changes are in the
    /// log, from which a state is mended that a kill has left behind; only the list of the last calls to models is lost, and its sums are not.
    pub(crate) fn save_later(&mut self) {
        self.own.is_behind = true;
        if std::mem::replace(&mut self.own.is_due, true) {
            return;
        }
        let took = self.own.saved_in.unwrap_or_default();
        let delay = SAVE_DELAY.max(took.saturating_mul(SAVE_SHARE));
        let conversation = self.inner.me.clone();
        // It keeps nothing alive: whoever closes a conversation saves it.
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            let Some(inner) = conversation.upgrade() else {
                return;
            };
            let mut writer = inner.writer().await;
            writer.own.is_due = false;
            if writer.own.is_behind
                && let Err(error) = writer.save().await
            {
                tracing::error!(conversation = %inner.id, %error, "the state cannot be saved");
            }
        });
    }

    /// Saves the state unless its status is saved: before something begins that a kill would leave half done, it says so, whoever reads it.
    pub(crate) async fn save_status(&mut self) -> Result<(), ConversationError> {
        if self.own.saved_status == Some(self.status()) {
            return Ok(());
        }
        self.save().await
    }

    /// Saves the state.
    pub(crate) async fn save(&mut self) -> Result<(), ConversationError> {
        let begun = Instant::now();
        let as_of = self.inner.log.stored_len();
        let status = self.status();
        let text = self.text()?;
        self.inner.log.save_state(text, as_of).await?;
        self.own.saved_in = Some(begun.elapsed());
        self.own.saved_status = Some(status);
        self.own.is_behind = false;
        Ok(())
    }

    /// The active branch.
    pub(crate) async fn branch(&mut self) -> Result<&mut Branch, ConversationError> {
        if self.own.branch.is_none() {
            let events = self.inner.log.active_branch(None).await?;
            self.own.branch = Some(Box::new(Branch::of(&events)));
        }
        Ok(self.own.branch.get_or_insert_default())
    }

    /// Lets go of what a run needs and what is soon made again.
    pub(crate) fn rest(&mut self) {
        self.own.text.rest();
        if let Some(branch) = &mut self.own.branch {
            branch.rest();
        }
    }

    /// Forgets the branch: the head was moved, or memory is wanted back.
    pub(crate) fn forget_branch(&mut self) {
        self.own.branch = None;
    }
}

/// Tells of a new value of a state field.
pub(crate) fn update(key: &str, value: &impl Serialize) -> Result<Event, ConversationError> {
    update_as(key, value, &Form::SOCKET)
}

fn update_as(key: &str, value: &impl Serialize, form: &Form) -> Result<Event, ConversationError> {
    let value = form
        .to_value(value)
        .map_err(ConversationError::Unwritable)?;
    Ok(ConversationStateUpdateEvent::new(key, value).into())
}
