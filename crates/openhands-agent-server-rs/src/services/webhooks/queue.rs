//! Reports that wait: bounded in number and bytes, taken in batches.

use std::collections::VecDeque;

use bytes::Bytes;
use openhands_protocol::server::WebhookSpec;

/// How much may wait, and how much goes at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    batch: usize,
    batch_bytes: usize,
    queue: usize,
    pub(super) queue_bytes: usize,
}

impl Limits {
    pub(super) fn of_events(spec: &WebhookSpec) -> Self {
        Self {
            batch: count(spec.event_buffer_size),
            batch_bytes: count(spec.max_batch_bytes),
            queue: count(spec.max_queue_size),
            queue_bytes: count(spec.max_queue_bytes),
        }
    }

    /// Conversations are reported one by one.
    pub(super) fn of_conversations(spec: &WebhookSpec) -> Self {
        Self {
            batch: 1,
            ..Self::of_events(spec)
        }
    }
}

/// A limit is at least one: the settings are checked, and a request to set a server up may not be.
fn count(limit: i64) -> usize {
    usize::try_from(limit).unwrap_or(1).max(1)
}

/// Reports that wait, in order.
#[derive(Debug)]
pub(super) struct Queue {
    limits: Limits,
    waiting: VecDeque<Bytes>,
    bytes: usize,
}

impl Queue {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether a batch is worth sending now.
    pub(super) fn is_full(&self) -> bool {
        self.len() >= self.limits.batch || self.bytes >= self.limits.batch_bytes
    }

    /// Adds a report; says how many were dropped for it.
    pub(super) fn put(&mut self, json: Bytes) -> u64 {
        self.bytes += json.len();
        self.waiting.push_back(json);
        self.trim()
    }

    /// Puts reports back to the front; says how many were dropped.
    pub(super) fn put_back(&mut self, batch: Vec<Bytes>) -> u64 {
        for json in batch.into_iter().rev() {
            self.bytes += json.len();
            self.waiting.push_front(json);
        }
        self.trim()
    }

    /// Drops the oldest report; says how many bytes that frees.
    pub(super) fn drop_oldest(&mut self) -> Option<usize> {
        let oldest = self.waiting.pop_front()?;
        self.bytes -= oldest.len();
        Some(oldest.len())
    }

    /// Takes a batch of at most so many reports. One that is too large for a batch goes alone.
    pub(super) fn take(&mut self, most: usize) -> Vec<Bytes> {
        let most = most.min(self.limits.batch);
        let mut batch = Vec::new();
        // The brackets of the list.
        let mut size = 2;
        while batch.len() < most {
            let Some(next) = self.waiting.front() else {
                break;
            };
            let comma = usize::from(!batch.is_empty());
            if !batch.is_empty() && size + comma + next.len() > self.limits.batch_bytes {
                break;
            }
            size += comma + next.len();
            self.bytes -= next.len();
            batch.extend(self.waiting.pop_front());
        }
        batch
    }

    fn trim(&mut self) -> u64 {
        let mut dropped = 0;
        while self.len() > self.limits.queue || self.bytes > self.limits.queue_bytes {
            if self.drop_oldest().is_none() {
                break;
            }
            dropped += 1;
        }
        dropped
    }
}

/// Several JSON texts as one list.
pub(super) fn array(batch: &[Bytes]) -> Bytes {
    let size = batch.iter().map(|json| json.len() + 1).sum::<usize>() + 1;
    let mut list = Vec::with_capacity(size);
    list.push(b'[');
    for (index, json) in batch.iter().enumerate() {
        if index > 0 {
            list.push(b',');
        }
        list.extend_from_slice(json);
    }
    list.push(b']');
    list.into()
}
