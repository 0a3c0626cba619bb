//! Hooks around what the agent does: asked before a call and after it, before a message is answered, before a stop.

use std::sync::Arc;

use openhands_protocol::event::{ActionEvent, MessageEvent, ObservationEvent};
use openhands_protocol::llm::Llm;
use openhands_protocol::{Event, EventId};
use tokio_util::sync::CancellationToken;

use crate::agent::step::{Step, StepError};
use crate::conversation::{ConversationError, Equipment, Inner, Writer};
use crate::event_log::StoredEvent;
use crate::hooks::{HookOutcome, HookUsage};

impl Step<'_> {
    /// Asks whether a call may be made, and writes it down. A call that a hook forbids is answered when its turn comes.
    pub(crate) async fn announce_action(
        self,
        event: ActionEvent,
    ) -> Result<Arc<StoredEvent>, StepError> {
        let hooks = &self.equipment.hooks;
        let outcome = hooks.pre_tool_use(&event, self.cancel).await;
        self.conversation
            .book_hooks(self.equipment, &outcome)
            .await?;
        let mut writer = self.conversation.writer().await;
        let id = event.header.id.clone();
        let before = writer.emit_hooks(&outcome).await?;
        if let Some(reason) = outcome.blocked {
            let blocked = {
                let mut state = self.conversation.state.write();
                state.blocked_actions.insert(id, reason);
                state.blocked_actions.clone()
            };
            writer.tell("blocked_actions", &blocked).await?;
        }
        Ok(writer.emit_beside(before, event).await?)
    }

    /// Tells hooks what came of a call, and writes it down.
    pub(crate) async fn announce_observation(
        self,
        action: &ActionEvent,
        event: ObservationEvent,
    ) -> Result<(), StepError> {
        let hooks = &self.equipment.hooks;
        let outcome = hooks.post_tool_use(action, &event, self.cancel).await;
        self.conversation
            .book_hooks(self.equipment, &outcome)
            .await?;
        let mut writer = self.conversation.writer().await;
        let before = writer.emit_hooks(&outcome).await?;
        writer.emit_beside(before, event).await?;
        Ok(())
    }
}

impl Inner {
    /// What hooks say to a message of the user. They are not asked while the writer is held: they may take long.
    pub(crate) async fn ask_prompt_hooks(
        &self,
        equipment: &Equipment,
        event: &MessageEvent,
    ) -> Result<HookOutcome, ConversationError> {
        let cancel = CancellationToken::new();
        let outcome = equipment.hooks.user_prompt_submit(event, &cancel).await;
        self.book_hooks(equipment, &outcome).await?;
        Ok(outcome)
    }

    /// Why the agent may not stop, if a hook says so.
    pub(crate) async fn ask_stop_hooks(
        &self,
        equipment: &Equipment,
        cancel: &CancellationToken,
    ) -> Result<Option<String>, ConversationError> {
        let outcome = equipment.hooks.stop(Some("agent_finished"), cancel).await;
        self.book_hooks(equipment, &outcome).await?;
        self.writer().await.emit_hooks(&outcome).await?;
        Ok(outcome.stop_feedback().map(str::to_owned))
    }

    /// Adds what hooks used of models to the stats.
    pub(crate) async fn book_hooks(
        &self,
        equipment: &Equipment,
        outcome: &HookOutcome,
    ) -> Result<(), ConversationError> {
        for usage in &outcome.usage {
            match usage {
                HookUsage::Call {
                    usage_id,
                    completion,
                } => {
                    let llm = Llm {
                        usage_id: usage_id.clone(),
                        ..equipment.llm.clone()
                    };
                    self.book(&llm, completion).await?;
                }
                HookUsage::Agent { usage_id, metrics } => {
                    self.book_metrics(usage_id, metrics).await?;
                }
            }
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// Writes down which hooks ran. Gives the event that comes before the one that they were asked about.
    ///
    /// compat: hooks stand beside the branch: the event that they were asked about skips them.
    pub(crate) async fn emit_hooks(
        &mut self,
        outcome: &HookOutcome,
    ) -> Result<Option<EventId>, ConversationError> {
        if outcome.events.is_empty() {
            return Ok(None);
        }
        let before = self.head();
        for event in &outcome.events {
            self.emit(event.clone()).await?;
        }
        Ok(before)
    }

    /// Appends an event after another one than the head, if one is given.
    pub(crate) async fn emit_beside(
        &mut self,
        parent: Option<EventId>,
        event: impl Into<Event>,
    ) -> Result<Arc<StoredEvent>, ConversationError> {
        let mut event = event.into();
        if let (Some(parent), Some(header)) = (parent, event.header_mut()) {
            header.parent_id = Some(parent);
        }
        self.emit(event).await
    }
}
