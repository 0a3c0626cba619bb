//! Stopping: pause, interrupt, close.

use std::time::Duration;

use openhands_protocol::conversation::ExecutionStatus;
use openhands_protocol::event::{ErrorClassification, InterruptEvent, PauseEvent};

use crate::conversation::transition::Cause;
use crate::conversation::{Conversation, ConversationError, Inner};

/// What an action is answered that was cut off.
pub(crate) const INTERRUPTED: &str =
    "Tool call interrupted before completion. The conversation was paused.";

/// How long an interrupt waits for the run to end. A run that takes longer ends later.
const INTERRUPT_WAIT: Duration = Duration::from_secs(5);

impl Conversation {
    /// Stops after the present step. Means nothing if nothing is under way and nothing waits to begin.
    pub async fn pause(&self) -> Result<(), ConversationError> {
        self.command(|this| async move {
            this.inner.note_pause().await?;
            this.inner.send_full_state();
            Ok(())
        })
        .await
    }

    /// Stops at once: the call to the model and the tools that run are cut off.
    pub async fn interrupt(&self) -> Result<(), ConversationError> {
        self.cut_off().await;
        self.inner.send_full_state();
        Ok(())
    }

    /// Cuts the run off and waits for its end.
    async fn cut_off(&self) {
        let run = self.inner.run.lock().clone();
        if let Some(run) = run {
            run.cancel();
            // A run that hangs on is not waited for: it is cut off and will end.
            let _ = tokio::time::timeout(INTERRUPT_WAIT, self.wait()).await;
        }
    }

    /// Ends all that is under way, gives up shells and servers, saves, and releases the conversation, so that
    /// another process may take it.
    pub async fn close(&self) -> Result<(), ConversationError> {
        let is_running = self.inner.run.lock().is_some();
        if is_running {
            // Watchers get the whole state once, when the run is over.
            self.command(|this| async move { this.inner.note_pause().await })
                .await?;
            self.cut_off().await;
        }
        self.rest().await;
        self.inner.subagents.close().await;
        self.command(|this| async move {
            this.inner.writer().await.save().await?;
            this.inner.log.close().await?;
            if let Some(lease) = &this.inner.lease {
                lease.release()?;
            }
            Ok(())
        })
        .await?;
        self.inner.tasks.close();
        Ok(())
    }

    /// Ends the conversation for good: what is under way is cut off, and its files are removed. The workspace stays.
    pub async fn delete(&self) -> Result<(), ConversationError> {
        self.close().await?;
        self.inner.state.write().execution_status = ExecutionStatus::Deleting;
        let Some(directory) = self.inner.directory() else {
            return Ok(());
        };
        let removed = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(directory)).await;
        match removed.map_err(|_| ConversationError::Gone)? {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(ConversationError::Remove(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Gives up what costs memory or processes: shells, servers, the view. They are made again when needed.
    pub async fn rest(&self) {
        let equipment = self.inner.equipment.lock().await.take();
        if let Some(equipment) = equipment {
            equipment.close().await;
        }
        self.inner.writer().await.forget_branch();
    }
}

impl Inner {
    /// Writes down that somebody wants a pause, if it means anything.
    async fn note_pause(&self) -> Result<(), ConversationError> {
        let mut writer = self.writer().await;
        if writer.turn(Cause::Pause).await? {
            writer.emit(PauseEvent::now()).await?;
            writer.save().await?;
        }
        Ok(())
    }

    /// Writes down that the run was cut off.
    pub(crate) async fn note_interrupt(&self) -> Result<(), ConversationError> {
        let mut writer = self.writer().await;
        writer
            .answer_open(INTERRUPTED, &ErrorClassification::agent_action())
            .await?;
        writer.turn(Cause::Interrupt).await?;
        writer.emit(InterruptEvent::now()).await?;
        writer.save().await
    }
}
