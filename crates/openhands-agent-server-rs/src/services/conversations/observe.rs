//! What the server notes of everything that happens: times, activity, titles.

use std::fmt;
use std::sync::{Arc, Weak};

use openhands_protocol::event::Source;
use openhands_protocol::{ConversationId, Event};
use openhands_sdk_rs::conversation::{FullState, Observer};
use openhands_sdk_rs::event_log::StoredEvent;

use crate::services::activity::Activity;
use crate::services::conversations::{Catalog, Conversations, Setting};
use crate::services::webhooks::Webhooks;
use crate::telemetry::metrics::Metrics;

/// Hears of every event of every conversation.
pub(super) struct Watch {
    catalog: Arc<Catalog>,
    activity: Arc<Activity>,
    metrics: Arc<Metrics>,
    webhooks: Arc<Webhooks>,
    conversations: Weak<Conversations>,
}

impl Watch {
    pub(super) fn new(
        catalog: &Arc<Catalog>,
        setting: &Setting,
        conversations: Weak<Conversations>,
    ) -> Self {
        Self {
            catalog: Arc::clone(catalog),
            activity: Arc::clone(&setting.activity),
            metrics: Arc::clone(&setting.metrics),
            webhooks: Arc::clone(&setting.webhooks),
            conversations,
        }
    }
}

impl Observer for Watch {
    fn event(&self, id: ConversationId, stored: &Arc<StoredEvent>) {
        self.metrics.event();
        let event = stored.event();
        let is_update = matches!(event, Event::StateUpdate(_));
        if !is_update {
            self.activity.touch();
        }
        let Some(entry) = self.catalog.read().get(&id).cloned() else {
            // A sub-agent: its parent's events are what counts.
            return;
        };
        self.webhooks.event(id, event);
        if is_update {
            return;
        }
        entry.touch();
        if let Event::Message(message) = event
            && message.header.source == Source::User
            && let Some(conversations) = self.conversations.upgrade()
        {
            conversations.title_later(&entry, message);
        }
    }

    fn full_state(&self, id: ConversationId, state: &FullState) {
        if self.catalog.read().contains_key(&id) {
            self.webhooks.full_state(id, state);
        }
    }

    fn wants_full_state(&self) -> bool {
        !self.webhooks.is_empty()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}
