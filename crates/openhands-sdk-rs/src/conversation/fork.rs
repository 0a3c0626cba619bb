//! Copies of a conversation, and moving within one.

use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::conversation::ConversationStats;
use openhands_protocol::{ConversationId, EventId};

use crate::conversation::transition::{Cause, next};
use crate::conversation::{Conversation, ConversationError};
use crate::event_log::LogError;

/// What a copy is to be.
#[derive(Debug, Clone)]
pub struct Fork {
    /// Its id.
    pub id: ConversationId,
    /// The last event that it takes along; all of them if unset.
    pub from_event: Option<EventId>,
    /// Its tags.
    pub tags: IndexMap<String, String>,
    /// Whether it counts its own use of models from zero.
    pub reset_metrics: bool,
}

impl Default for Fork {
    fn default() -> Self {
        Self {
            id: ConversationId::random(),
            from_event: None,
            tags: IndexMap::new(),
            reset_metrics: true,
        }
    }
}

impl Conversation {
    /// A new conversation that begins as a copy of this one, or of one of its branches. Agent and workspace are the
    /// same; secrets that were added later are left out.
    pub async fn fork(&self, fork: Fork) -> Result<Self, ConversationError> {
        if let Some(id) = &fork.from_event
            && self.inner.log.index_of(id).is_none()
        {
            return Err(LogError::UnknownEvent(id.clone()).into());
        }
        self.command(|this| async move { this.copy(fork).await })
            .await
    }

    async fn copy(&self, fork: Fork) -> Result<Self, ConversationError> {
        let host = &self.inner.host;
        let (log, lease) = crate::conversation::open::open_log(host, fork.id).await?;
        self.inner
            .log
            .fork_into(&log, fork.from_event.as_ref())
            .await?;
        let mut state = self.inner.state.read().clone();
        let head = log.head();
        state.id = fork.id;
        state.persistence_dir = host
            .directory_of(fork.id)
            .map(|directory| directory.to_string_lossy().into_owned());
        state.execution_status = next(state.execution_status, Cause::Fork)?;
        state.last_user_message_id = None;
        state.leaf_event_id = head.leaf().cloned();
        state.head_is_empty = head.is_empty();
        state.blocked_actions.clear();
        state.tags = fork.tags;
        if fork.reset_metrics {
            state.stats = ConversationStats::default();
        }
        let added = self.inner.added_secrets.lock().clone();
        state
            .secret_registry
            .secret_sources
            .retain(|name, _| !added.contains(name));
        let unsaved = self.inner.extras.clone();
        let copy = Self::assemble(&Arc::clone(host), log, lease, state, unsaved);
        copy.inner.writer().await.save().await?;
        copy.recover().await?;
        Ok(copy)
    }

    /// Moves the head to an event, or before all of them. What comes next is attached there.
    pub async fn navigate(&self, to: Option<EventId>) -> Result<(), ConversationError> {
        self.command(|this| async move {
            let mut writer = this.inner.writer().await;
            this.inner.log.navigate(to)?;
            writer.forget_branch();
            let head = this.inner.log.head();
            {
                let mut state = this.inner.state.write();
                state.leaf_event_id = head.leaf().cloned();
                state.head_is_empty = head.is_empty();
            }
            writer.save().await
        })
        .await
    }
}
