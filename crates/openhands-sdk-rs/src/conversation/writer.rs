//! The single writer: appends events and changes the state. Whoever holds it is the only one who does.

use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_protocol::conversation::ExecutionStatus;
use openhands_protocol::event::ConversationStateUpdateEvent;
use openhands_protocol::{Event, Form, Names, Nulls, Secrets};
use serde::Serialize;
use tokio::sync::MutexGuard;

use crate::conversation::transition::{Cause, next};
use crate::conversation::{Branch, ConversationError, Inner};
use crate::event_log::{StateText, StoredEvent};

/// Saving may take one part in so many of the time of a run.
const SAVE_SHARE: u32 = 50;

/// What only the writer needs.
#[derive(Debug, Default)]
pub(crate) struct WriterState {
    text: StateText,
    /// When the state was last saved, and how long that took.
    saved: Option<(Instant, Duration)>,
    /// Whether there is more in the state than was saved.
    pub(crate) is_behind: bool,
    /// Made from the log when it is first needed.
    branch: Option<Branch>,
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
        Writer {
            inner: self,
            own: self.writer.lock().await,
        }
    }
}

impl Writer<'_> {
    /// Appends an event. It is stored and visible when this returns.
    pub(crate) async fn emit(
        &mut self,
        event: impl Into<Event>,
    ) -> Result<Arc<StoredEvent>, ConversationError> {
        let stored = self.inner.log.append(event.into()).await?;
        if !matches!(stored.event(), Event::StateUpdate(_)) {
            let mut state = self.inner.state.write();
            state.leaf_event_id = Some(stored.id().clone());
            state.head_is_empty = false;
        }
        self.note(&stored);
        Ok(stored)
    }

    /// Those who keep up with the log hear of an event that was stored.
    fn note(&mut self, stored: &Arc<StoredEvent>) {
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

    async fn tell_as(
        &mut self,
        key: &str,
        value: &impl Serialize,
        form: &Form,
    ) -> Result<(), ConversationError> {
        let value = form
            .to_value(value)
            .map_err(ConversationError::Unwritable)?;
        self.emit(ConversationStateUpdateEvent::new(key, value))
            .await?;
        Ok(())
    }

    /// Tells about a new value of a state field and saves the state, in one go on the disk.
    pub(crate) async fn tell_and_save(
        &mut self,
        key: &str,
        value: &impl Serialize,
    ) -> Result<(), ConversationError> {
        let value = Form::SOCKET
            .to_value(value)
            .map_err(ConversationError::Unwritable)?;
        let begun = Instant::now();
        // An update of the state moves nothing that is in the state, so that its text can be made before.
        let text = self.text()?;
        let update = ConversationStateUpdateEvent::new(key, value);
        let (stored, saved) = self.inner.log.append_and_save(update.into(), text).await?;
        self.note(&stored);
        saved?;
        self.own.saved = Some((Instant::now(), begun.elapsed()));
        self.own.is_behind = false;
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
        let before = self.status();
        let after = next(before, cause)?;
        if before == after {
            return Ok(false);
        }
        self.inner.state.write().execution_status = after;
        self.tell_and_save("execution_status", &after).await?;
        Ok(true)
    }

    /// Saves the state at the end of a step. A state that has become large is not written with every one of many quick
    /// steps: what is lost by a kill is then the list of the last calls, whose sums are in the log.
    pub(crate) async fn save_step(&mut self) -> Result<(), ConversationError> {
        match self.own.saved {
            Some((at, took)) if at.elapsed() < took * SAVE_SHARE => {
                self.own.is_behind = true;
                Ok(())
            }
            Some(_) | None => self.save().await,
        }
    }

    /// Saves the state.
    pub(crate) async fn save(&mut self) -> Result<(), ConversationError> {
        let begun = Instant::now();
        let as_of = self.inner.log.len();
        let text = self.text()?;
        self.inner.log.save_state(text, as_of).await?;
        self.own.saved = Some((Instant::now(), begun.elapsed()));
        self.own.is_behind = false;
        Ok(())
    }

    /// The active branch.
    pub(crate) async fn branch(&mut self) -> Result<&mut Branch, ConversationError> {
        if self.own.branch.is_none() {
            let events = self.inner.log.active_branch(None).await?;
            self.own.branch = Some(Branch::of(&events));
        }
        Ok(self.own.branch.get_or_insert_default())
    }

    /// Forgets the branch: the head was moved, or memory is wanted back.
    pub(crate) fn forget_branch(&mut self) {
        self.own.branch = None;
    }
}
