//! Recently used events, within a bound on their size.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::event_log::StoredEvent;

/// Events by position. The one that was not used since it came or since it was last spared goes first.
#[derive(Debug)]
pub(crate) struct Cache {
    slots: HashMap<u64, Slot>,
    queue: VecDeque<u64>,
    weight: usize,
    limit: usize,
}

#[derive(Debug)]
struct Slot {
    event: Arc<StoredEvent>,
    used: bool,
}

impl Cache {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            slots: HashMap::new(),
            queue: VecDeque::new(),
            weight: 0,
            limit,
        }
    }

    pub(crate) fn get(&mut self, index: u64) -> Option<Arc<StoredEvent>> {
        let slot = self.slots.get_mut(&index)?;
        slot.used = true;
        Some(Arc::clone(&slot.event))
    }

    pub(crate) fn insert(&mut self, event: Arc<StoredEvent>) {
        let index = event.index();
        if self.slots.contains_key(&index) {
            return;
        }
        self.weight += event.weight();
        self.slots.insert(index, Slot { event, used: false });
        self.queue.push_back(index);
        self.shrink();
    }

    /// Drops the oldest events until the rest fits into less than the bound.
    pub(crate) fn shrink_to(&mut self, limit: usize) {
        for slot in self.slots.values_mut() {
            slot.used = false;
        }
        self.drop_until(limit);
        self.slots.shrink_to_fit();
        self.queue.shrink_to_fit();
    }

    /// Drops events until the rest fits.
    fn shrink(&mut self) {
        self.drop_until(self.limit);
    }

    /// The newest stays even if it is larger than the bound alone.
    fn drop_until(&mut self, limit: usize) {
        while self.weight > limit && self.queue.len() > 1 {
            let Some(oldest) = self.queue.pop_front() else {
                return;
            };
            match self.slots.get_mut(&oldest) {
                Some(slot) if slot.used => {
                    slot.used = false;
                    self.queue.push_back(oldest);
                }
                Some(_) | None => {
                    if let Some(slot) = self.slots.remove(&oldest) {
                        self.weight = self.weight.saturating_sub(slot.event.weight());
                    }
                }
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
