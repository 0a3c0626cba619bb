//! Lists of conversations: pages, counts, several at once.

use std::cmp::Reverse;
use std::sync::Arc;

use openhands_protocol::ConversationId;
use openhands_protocol::conversation::{
    ConversationInfo, ConversationPage, ConversationSortOrder, ExecutionStatus,
};

use crate::services::conversations::{Conversations, Entry};

/// Which conversations are wanted, and in which order.
#[derive(Debug)]
pub(crate) struct ConversationQuery {
    /// Those that are doing this.
    pub(crate) status: Option<ExecutionStatus>,
    /// The order.
    pub(crate) sort_order: ConversationSortOrder,
    /// The one that the page begins with; an unknown one means the first page.
    pub(crate) page_id: Option<String>,
    /// How many at most.
    pub(crate) limit: usize,
}

impl Conversations {
    /// A page of conversations. One whose state cannot be read is left out.
    pub(crate) async fn page(&self, query: &ConversationQuery) -> ConversationPage {
        let mut entries = self.passing(query.status);
        match query.sort_order {
            ConversationSortOrder::CreatedAt => {
                entries.sort_by_cached_key(|entry| entry.look(|meta| meta.created_at.clone()));
            }
            ConversationSortOrder::UpdatedAt => {
                entries.sort_by_cached_key(|entry| entry.look(|meta| meta.updated_at.clone()));
            }
            ConversationSortOrder::CreatedAtDesc => entries
                .sort_by_cached_key(|entry| Reverse(entry.look(|meta| meta.created_at.clone()))),
            ConversationSortOrder::UpdatedAtDesc => entries
                .sort_by_cached_key(|entry| Reverse(entry.look(|meta| meta.updated_at.clone()))),
        }
        let is_first = |entry: &Arc<Entry>| Some(entry.id().hex()) == query.page_id;
        let start = entries.iter().position(is_first).unwrap_or(0);
        let mut page = ConversationPage::default();
        for entry in entries.into_iter().skip(start) {
            if page.items.len() == query.limit {
                page.next_page_id = Some(entry.id().hex());
                break;
            }
            match self.info(&entry).await {
                Ok(info) => page.items.push(info),
                Err(error) => {
                    tracing::warn!(conversation = %entry.id(), %error, "a conversation is left out of a list");
                }
            }
        }
        page
    }

    /// How many conversations there are.
    pub(crate) fn count(&self, status: Option<ExecutionStatus>) -> usize {
        self.passing(status).len()
    }

    /// Some conversations by id; nothing for one that there is not.
    pub(crate) async fn several(&self, ids: &[ConversationId]) -> Vec<Option<ConversationInfo>> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let info = match self.entry(*id) {
                Some(entry) => self.info(&entry).await.ok(),
                None => None,
            };
            found.push(info);
        }
        found
    }

    fn passing(&self, status: Option<ExecutionStatus>) -> Vec<Arc<Entry>> {
        let catalog = self.catalog.read();
        catalog
            .values()
            .filter(|entry| status.is_none_or(|status| entry.status() == status))
            .cloned()
            .collect()
    }
}
