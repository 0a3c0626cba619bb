//! Where a log keeps its events: the seam between the log and files or memory.

use std::fmt;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::EventId;

use crate::event_log::{LeaseError, Problem};

/// A document that is kept beside the events and replaced whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// The conversation's state, `base_state.json`.
    State,
    /// The log's own index. Disposable.
    Index,
}

/// What a store holds, by name only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The ids in order, without a gap from the first.
    pub ids: Vec<EventId>,
    /// What does not belong or does not fit.
    pub problems: Vec<Problem>,
}

/// Why a store could not do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Someone else has added events: list again, then append after them.
    #[error("another writer has added events; position {index} is taken")]
    Behind {
        /// The position that was wanted.
        index: u64,
    },
    /// The id cannot be part of a file name that both implementations recognise.
    #[error("event id {0:?} cannot be stored: only hex digits and dashes, at least 8 of them")]
    UnstorableId(EventId),
    /// The store was opened for reading.
    #[error("the event store is open for reading only")]
    ReadOnly,
    /// Another process held the lock of the log for too long.
    #[error("the event log is locked by another process")]
    Locked,
    /// The lease does not allow the write.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The file system refused.
    #[error("{doing} failed")]
    Io {
        /// What was tried, on what.
        doing: String,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
}

impl StoreError {
    /// Adds what was being done to an I/O error.
    pub(crate) fn io(doing: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::Io {
            doing: doing.into(),
            source: source.into(),
        }
    }
}

/// A place for events and for the documents beside them.
///
/// All methods may block; the log calls them away from async threads unless [`EventStore::is_immediate`]
/// says that they never do. One log appends at a time, but another process may share the place: then
/// `append` answers [`StoreError::Behind`] instead of writing over anything. When `append` returns, the event
/// survives the death of the process.
pub trait EventStore: fmt::Debug + Send + Sync + 'static {
    /// Names what is stored, without reading it.
    fn list(&self) -> Result<Listing, StoreError>;

    /// Stores one event at the position after the last.
    fn append(&self, index: u64, id: &EventId, json: &Bytes) -> Result<(), StoreError>;

    /// Takes what appending needs, such as locks, once for so many appends; they follow, and then [`EventStore::release`].
    fn hold(&self, _appends: u64) -> Result<(), StoreError> {
        Ok(())
    }

    /// Gives back what was taken for several appends.
    fn release(&self) {}

    /// The bytes of one event, as they are.
    fn read(&self, index: u64, id: &EventId) -> Result<Bytes, StoreError>;

    /// A document, or nothing when it was never saved.
    fn load(&self, document: Document) -> Result<Option<Bytes>, StoreError>;

    /// Replaces a document.
    fn save(&self, document: Document, contents: &[u8]) -> Result<(), StoreError>;

    /// Adds to the end of the index document.
    fn extend_index(&self, records: &[u8]) -> Result<(), StoreError>;

    /// Waits until all that was stored survives the loss of power.
    fn sync(&self) -> Result<(), StoreError>;

    /// Whether the methods return at once, so that no thread is needed for them.
    fn is_immediate(&self) -> bool {
        false
    }
}

impl<S: EventStore + ?Sized> EventStore for Arc<S> {
    fn list(&self) -> Result<Listing, StoreError> {
        (**self).list()
    }

    fn append(&self, index: u64, id: &EventId, json: &Bytes) -> Result<(), StoreError> {
        (**self).append(index, id, json)
    }

    fn hold(&self, appends: u64) -> Result<(), StoreError> {
        (**self).hold(appends)
    }

    fn release(&self) {
        (**self).release();
    }

    fn read(&self, index: u64, id: &EventId) -> Result<Bytes, StoreError> {
        (**self).read(index, id)
    }

    fn load(&self, document: Document) -> Result<Option<Bytes>, StoreError> {
        (**self).load(document)
    }

    fn save(&self, document: Document, contents: &[u8]) -> Result<(), StoreError> {
        (**self).save(document, contents)
    }

    fn extend_index(&self, records: &[u8]) -> Result<(), StoreError> {
        (**self).extend_index(records)
    }

    fn sync(&self) -> Result<(), StoreError> {
        (**self).sync()
    }

    fn is_immediate(&self) -> bool {
        (**self).is_immediate()
    }
}
