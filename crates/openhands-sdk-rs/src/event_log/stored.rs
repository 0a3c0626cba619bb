//! An event of the log: its position, the bytes that everyone shares, and the decoded value on demand.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use openhands_protocol::{Event, EventId, RawUnion};
use serde_json::{Map, Value};

/// An event of the log.
#[derive(Debug)]
pub struct StoredEvent {
    index: u64,
    id: EventId,
    json: Bytes,
    /// In a box: what is only passed on is never decoded, and its place would be larger than the rest.
    event: OnceLock<Box<Event>>,
}

impl StoredEvent {
    /// An event that is known decoded, with the bytes that were made of it.
    pub(crate) fn written(index: u64, id: EventId, json: Bytes, event: Event) -> Self {
        Self {
            index,
            id,
            json,
            event: OnceLock::from(Box::new(event)),
        }
    }

    /// An event whose bytes are known to be one JSON object.
    pub(crate) fn read(index: u64, id: EventId, json: Bytes) -> Self {
        Self {
            index,
            id,
            json,
            event: OnceLock::new(),
        }
    }

    /// The position in the log.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The id.
    pub fn id(&self) -> &EventId {
        &self.id
    }

    /// The event as JSON without nulls: what is on disk, and what sockets and pages send.
    pub fn json(&self) -> &Bytes {
        &self.json
    }

    /// The event, decoded at the first call.
    ///
    /// JSON that is well-formed but beyond what can be decoded (nested too deep, a number out of range) is
    /// an unknown event with nothing but its id; [`StoredEvent::json`] still has all of it.
    pub fn event(&self) -> &Event {
        self.event.get_or_init(|| {
            let event = Event::from_slice(&self.json).unwrap_or_else(|error| {
                tracing::warn!(index = self.index, id = %self.id, %error, "event cannot be decoded");
                let id = Value::String(self.id.as_str().to_owned());
                let members = Map::from_iter([("id".to_owned(), id)]);
                Event::Unknown(RawUnion::new(Event::TAG, "", members))
            });
            Box::new(event)
        })
    }

    /// The same event for those who come later: they want the text, which is sent to them. Decoded, it is as large again, and the sums of what
    /// models used are ten times as large.
    pub(crate) fn kept(&self) -> Arc<Self> {
        Arc::new(Self::read(self.index, self.id.clone(), self.json.clone()))
    }

    #[cfg(test)]
    pub(crate) fn is_decoded(&self) -> bool {
        self.event.get().is_some()
    }

    /// What it costs to keep in memory, roughly.
    pub(crate) fn weight(&self) -> usize {
        size_of::<Self>() + self.json.len()
    }
}

#[cfg(test)]
#[path = "stored_tests.rs"]
mod tests;
