//! A store in memory: for conversations that are not kept, and for tests.

use bytes::Bytes;
use openhands_protocol::EventId;
use parking_lot::Mutex;

use crate::event_log::index::place;
use crate::event_log::{Document, EventStore, Listing, StoreError};

/// A store in memory. What it holds is gone with it.
#[derive(Debug, Default)]
pub struct MemoryStore {
    contents: Mutex<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    events: Vec<(EventId, Bytes)>,
    state: Option<Bytes>,
}

impl EventStore for MemoryStore {
    fn list(&self) -> Result<Listing, StoreError> {
        let contents = self.contents.lock();
        Ok(Listing {
            ids: contents.events.iter().map(|(id, _)| id.clone()).collect(),
            problems: Vec::new(),
        })
    }

    fn append(&self, index: u64, id: &EventId, json: &Bytes) -> Result<(), StoreError> {
        let mut contents = self.contents.lock();
        if contents.events.len() as u64 != index {
            return Err(StoreError::Behind { index });
        }
        contents.events.push((id.clone(), json.clone()));
        Ok(())
    }

    fn read(&self, index: u64, id: &EventId) -> Result<Bytes, StoreError> {
        let contents = self.contents.lock();
        match contents.events.get(place(index)) {
            Some((known, json)) if known == id => Ok(json.clone()),
            Some(_) | None => Err(StoreError::io(
                format!("reading event {index}"),
                std::io::ErrorKind::NotFound,
            )),
        }
    }

    fn load(&self, document: Document) -> Result<Option<Bytes>, StoreError> {
        Ok(match document {
            Document::State => self.contents.lock().state.clone(),
            Document::Index => None,
        })
    }

    fn save(&self, document: Document, contents: &[u8]) -> Result<(), StoreError> {
        match document {
            Document::State => self.contents.lock().state = Some(Bytes::copy_from_slice(contents)),
            // The index in memory is the log's own; a second copy has no reader.
            Document::Index => {}
        }
        Ok(())
    }

    fn extend_index(&self, _records: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn is_immediate(&self) -> bool {
        true
    }
}
