//! What the server notes of everything that happens: times, activity, titles.

use std::fmt;
use std::sync::{Arc, Weak};

use openhands_protocol::event::Source;
use openhands_protocol::{ConversationId, Event};
use openhands_sdk_rs::conversation::Observer;
use openhands_sdk_rs::event_log::StoredEvent;

use crate::services::activity::Activity;
use crate::services::conversations::{Catalog, Conversations};

/// Hears of every event of every conversation.
pub(super) struct Watch {
    catalog: Arc<Catalog>,
    activity: Arc<Activity>,
    conversations: Weak<Conversations>,
}

impl Watch {
    pub(super) fn new(
        catalog: &Arc<Catalog>,
        activity: &Arc<Activity>,
        conversations: Weak<Conversations>,
    ) -> Self {
        Self {
            catalog: Arc::clone(catalog),
            activity: Arc::clone(activity),
            conversations,
        }
    }
}

impl Observer for Watch {
    fn event(&self, id: ConversationId, stored: &Arc<StoredEvent>) {
        let event = stored.event();
        if matches!(event, Event::StateUpdate(_)) {
            return;
        }
        self.activity.touch();
        let Some(entry) = self.catalog.read().get(&id).cloned() else {
            // A sub-agent: its parent's events are what counts.
            return;
        };
        entry.touch();
        if let Event::Message(message) = event
            && message.header.source == Source::User
            && let Some(conversations) = self.conversations.upgrade()
        {
            conversations.title_later(&entry, message);
        }
    }

    fn full_state(&self, _: ConversationId, _: &Arc<Event>) {}
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").finish_non_exhaustive()
    }
}
