//! Conversations as clients are shown them, in JSON that is kept until something changes: clients poll far more often
//! than conversations move.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::conversation::ConversationRuntimeInfo;
use openhands_protocol::{ConversationId, Form};
use parking_lot::Mutex;

use crate::services::conversations::{Conversations, Entry, RefusedRequest, without_skills};

/// How many are kept, and how many bytes of them. Those that are polled come back at once after all were dropped; many that were looked at once are
/// not to have their text in memory for ever.
const MAX_KEPT: usize = 8;
const MAX_KEPT_BYTES: usize = 1 << 20;

/// What was shown last, by conversation.
#[derive(Debug, Default)]
pub(super) struct Shown(Mutex<HashMap<ConversationId, (Key, Bytes)>>);

/// As long as this is the same, so is what is shown.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    version: (u64, u64),
    /// Its children are among the others, who are too many to be looked at for every request.
    catalog: u64,
    runtime: ConversationRuntimeInfo,
}

impl Conversations {
    /// What the API shows of a conversation, without its skills, and of the place where its tools run.
    pub(crate) async fn shown(
        &self,
        entry: &Arc<Entry>,
        runtime: ConversationRuntimeInfo,
    ) -> Result<Bytes, RefusedRequest> {
        let id = entry.id();
        // Before the state is read: what was changed in between is found changed the next time.
        let key = entry.version().map(|version| Key {
            version,
            catalog: self.catalog.version(),
            runtime: runtime.clone(),
        });
        if let Some(key) = &key
            && let Some((kept, json)) = self.shown.0.lock().get(&id)
            && kept == key
        {
            return Ok(json.clone());
        }
        let mut info = without_skills(self.info(entry).await?);
        info.runtime_info = Some(runtime);
        let json = Form::REST.to_vec(&info);
        let mut json = json.map_err(|error| RefusedRequest::Files(error.into()))?;
        json.shrink_to_fit();
        let json = Bytes::from(json);
        if let Some(key) = key {
            self.shown.keep(id, key, json.clone());
        }
        Ok(json)
    }
}

impl Shown {
    /// Keeps what was shown last. The newest is kept even if it is larger than the bound alone.
    fn keep(&self, id: ConversationId, key: Key, json: Bytes) {
        let mut kept = self.0.lock();
        kept.remove(&id);
        let bytes: usize = kept.values().map(|(_, json)| json.len()).sum();
        if kept.len() >= MAX_KEPT || bytes + json.len() > MAX_KEPT_BYTES {
            *kept = HashMap::new();
        }
        kept.insert(id, (key, json));
    }
}

#[cfg(test)]
#[path = "shown_tests.rs"]
mod tests;
