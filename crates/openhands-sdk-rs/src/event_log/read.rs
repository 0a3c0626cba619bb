//! Reading by id, by position and along a branch.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use openhands_protocol::EventId;

use crate::event_log::header::Header;
use crate::event_log::log::Inner;
use crate::event_log::open::chain;
use crate::event_log::{EventLog, LogError, Problem, StoredEvent};

impl EventLog {
    /// The event with this id; none if it is unknown or unreadable.
    pub async fn get(&self, id: &EventId) -> Result<Option<Arc<StoredEvent>>, LogError> {
        let Some(index) = self.index_of(id) else {
            return Ok(None);
        };
        Ok(self.load_all(vec![index]).await?.pop())
    }

    /// The position of the event with this id.
    pub fn index_of(&self, id: &EventId) -> Option<u64> {
        self.inner.index.read().find(id)
    }

    /// The id of the event at this position.
    pub fn id_at(&self, index: u64) -> Option<EventId> {
        let index_of_log = self.inner.index.read();
        index_of_log.get(index).map(|entry| entry.id.clone())
    }

    /// The kind of the event at this position, without reading it.
    pub fn kind_at(&self, index: u64) -> Option<String> {
        let index_of_log = self.inner.index.read();
        index_of_log
            .get(index)
            .map(|entry| entry.kind.as_str().to_owned())
    }

    /// How many events have a kind that is wanted, without reading them.
    pub fn count_kinds(&self, wanted: impl Fn(&str) -> bool) -> usize {
        let index = self.inner.index.read();
        let kinds = index.entries().iter().map(|entry| entry.kind.as_str());
        kinds.filter(|kind| wanted(kind)).count()
    }

    /// The position that the event at this position is attached to; none for a root.
    pub fn parent_of(&self, index: u64) -> Option<u64> {
        self.inner.index.read().parent_of(index)
    }

    /// The events at these positions, in order. Unreadable ones are left out, and positions past the end.
    pub async fn range(&self, range: Range<u64>) -> Result<Vec<Arc<StoredEvent>>, LogError> {
        let end = range.end.min(self.len());
        self.load_all((range.start..end).collect()).await
    }

    /// Adds the events at these positions to others, if all of them are in memory. Says whether they are. For those who follow the log: there may
    /// be many, and each of them comes here for each event.
    pub(crate) fn add_at_hand(
        &self,
        range: Range<u64>,
        to: &mut VecDeque<Arc<StoredEvent>>,
    ) -> bool {
        let before = to.len();
        let mut cache = self.inner.cache.lock();
        for index in range {
            let Some(event) = cache.get(index) else {
                to.truncate(before);
                return false;
            };
            to.push_back(event);
        }
        true
    }

    /// The positions from the root to an event, or the last `limit` of them. Needs no bodies.
    pub fn branch(&self, leaf: &EventId, limit: Option<usize>) -> Result<Vec<u64>, LogError> {
        let index = self.inner.index.read();
        let leaf = index
            .find(leaf)
            .ok_or_else(|| LogError::UnknownEvent(leaf.clone()))?;
        let mut path: Vec<u64> = index
            .up(Some(leaf))
            .take(limit.unwrap_or(usize::MAX))
            .collect();
        path.reverse();
        Ok(path)
    }

    /// The events from the root to the head, or the last `limit` of them: the conversation as it stands.
    pub async fn active_branch(
        &self,
        limit: Option<usize>,
    ) -> Result<Vec<Arc<StoredEvent>>, LogError> {
        let path = match self.head().leaf() {
            Some(leaf) => self.branch(leaf, limit)?,
            None => Vec::new(),
        };
        self.load_all(path).await
    }

    /// Bodies, from memory if all are there, else read where it may block.
    pub(crate) async fn load_all(
        &self,
        wanted: Vec<u64>,
    ) -> Result<Vec<Arc<StoredEvent>>, LogError> {
        let at_hand: Option<Vec<_>> = {
            let mut cache = self.inner.cache.lock();
            wanted.iter().map(|index| cache.get(*index)).collect()
        };
        match at_hand {
            Some(events) => Ok(events),
            None => {
                self.blocking(move |inner| {
                    Ok(wanted
                        .iter()
                        .filter_map(|index| inner.load(*index))
                        .collect())
                })
                .await
            }
        }
    }
}

impl Inner {
    /// One body, from memory or from the store. One that cannot be read is reported and left out.
    pub(crate) fn load(&self, index: u64) -> Option<Arc<StoredEvent>> {
        if let Some(event) = self.cache.lock().get(index) {
            return Some(event);
        }
        let id = self.index.read().get(index)?.id.clone();
        let json = self
            .store
            .read(index, &id)
            .map_err(|error| chain(&error))
            .and_then(|json| Header::peek(&json).map(|_| json));
        match json {
            Ok(json) => {
                let event = Arc::new(StoredEvent::read(index, id, json));
                self.cache.lock().insert(Arc::clone(&event));
                Some(event)
            }
            Err(reason) => {
                self.report(Problem::Unreadable { index, id, reason });
                None
            }
        }
    }
}
