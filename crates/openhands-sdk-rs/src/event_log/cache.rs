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

    /// Drops events that are larger than this, and no others: thousands of small holes in the heap would cost more than they hold.
    pub(crate) fn drop_larger(&mut self, than: usize) {
        let Self { slots, weight, .. } = self;
        self.queue.retain(|index| {
            let is_large = slots
                .get(index)
                .is_some_and(|slot| slot.event.weight() > than);
            if is_large && let Some(slot) = slots.remove(index) {
                *weight = weight.saturating_sub(slot.event.weight());
            }
            !is_large
        });
    }

    /// Drops events until the rest fits. The newest stays even if it is larger than the bound alone.
    fn shrink(&mut self) {
        while self.weight > self.limit && self.queue.len() > 1 {
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

    /// One of the same size with nothing in it.
    pub(crate) fn emptied(&self) -> Self {
        Self::new(self.limit)
    }

    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
