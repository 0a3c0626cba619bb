//! Copies of conversations.

use std::sync::Arc;

use openhands_protocol::conversation::{ConversationInfo, ForkConversationRequest};
use openhands_protocol::{ConversationId, UtcTime};
use openhands_sdk_rs::ConversationError;
use openhands_sdk_rs::conversation::Fork;
use openhands_sdk_rs::event_log::LogError;

use crate::services::conversations::{Conversations, Entry, RefusedRequest, meta};

impl Conversations {
    /// A new conversation that begins as a copy of another one.
    pub(crate) async fn fork(
        &self,
        source: ConversationId,
        request: ForkConversationRequest,
    ) -> Result<ConversationInfo, RefusedRequest> {
        let held = match self.open(source).await {
            Err(RefusedRequest::Unknown(_)) => return Err(RefusedRequest::NoSource),
            other => other?,
        };
        let id = request.id.unwrap_or_else(ConversationId::random);
        if self.entry(id).is_some() {
            return Err(RefusedRequest::Exists(id));
        }
        let tags = request.tags.unwrap_or_default();
        let fork = Fork {
            id,
            from_event: request.from_event_id.clone(),
            tags: tags.clone(),
            reset_metrics: request.reset_metrics,
        };
        let copy = held
            .conversation()
            .fork(fork)
            .await
            .map_err(unknown_event)?;
        let now = UtcTime::now();
        let mut stored = held.entry().meta();
        stored.id = id.into();
        stored.title = request.title;
        stored.tags = tags;
        stored.metrics = None;
        stored.created_at = now.clone();
        stored.updated_at = now;
        stored.forked_from_conversation_id = Some(source);
        stored.forked_from_event_id = request.from_event_id;
        stored.confirmation_policy = copy.state(|state| state.confirmation_policy.clone());
        meta::save(&self.host, &stored).await?;
        let entry = Entry::made(stored, copy);
        self.catalog.write().insert(id, Arc::clone(&entry));
        self.tell_webhooks(&entry).await;
        self.info(&entry).await
    }
}

fn unknown_event(error: ConversationError) -> RefusedRequest {
    match error {
        ConversationError::Log(LogError::UnknownEvent(id)) => RefusedRequest::UnknownEvent {
            field: "from_event_id",
            id,
        },
        other => other.into(),
    }
}
