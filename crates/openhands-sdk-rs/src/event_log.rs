//! The event log of a conversation: what happened, in order, on disk before anyone sees it.
//!
//! An [`EventLog`] appends events and reads them back by id, position, branch, search or [`Cursor`]. Each
//! event is serialised once; the same bytes go to the store, to sockets and into pages. The log knows
//! nothing of agents or runs: it stores, orders, links and finds.
//!
//! ```text
//! EventLog ── Index (id, parent, kind, source, time of every event, in memory)
//!    │    └── bodies: read when asked for, kept in a bounded cache
//!    ├── Head: where the next event is attached
//!    ├── Cursor: a reader that waits for more
//!    └── EventStore: FileStore (the directory layout, locks, lease, durability) or MemoryStore
//! ```
//!
//! Rules that hold for every log:
//!
//! 1. An event is visible only after the store has it. Position is order of appending.
//! 2. What is stored is never changed, moved over or deleted. A file that cannot be read keeps its position,
//!    is reported as a [`Problem`] and skipped by readers.
//! 3. The index file is disposable: whatever it lacks or gets wrong is taken from the event files.
//! 4. Readers never wait for a writer's I/O, and a writer never waits for readers.
//!
//! ```
//! use openhands_sdk_rs::event_log::{EventLog, MemoryStore};
//! use openhands_sdk_rs::protocol::event::{EventHeader, PauseEvent, Source};
//!
//! let log = EventLog::open_blocking(MemoryStore::default())?;
//! let pause = PauseEvent { header: EventHeader::now(Source::User), extra: Default::default() };
//! let stored = log.append_blocking(pause.into())?;
//! assert_eq!(stored.index(), 0);
//! assert!(stored.json().ends_with(br#""kind":"PauseEvent"}"#));
//! # Ok::<(), openhands_sdk_rs::event_log::LogError>(())
//! ```

mod alarm;
mod append;
mod cache;
mod cursor;
mod durability;
mod error;
mod files;
mod fork;
mod head;
mod header;
mod index;
mod index_file;
mod lease;
mod log;
mod memory;
mod open;
mod patient;
mod problem;
mod read;
mod search;
mod state_text;
mod store;
mod stored;

pub(crate) use append::Showing;
pub use cursor::Cursor;
pub use durability::{Durability, Syncer};
pub use error::LogError;
pub use files::FileStore;
pub use head::Head;
pub use lease::{
    Claim, Clock, LEASE_RENEW_EVERY, LEASE_TTL, Lease, LeaseError, LeaseOwner, WriteGuard,
};
pub use log::{EventLog, Progress};
pub use memory::MemoryStore;
pub use patient::wait_for_files_here;
pub use problem::Problem;
pub use search::{EventFilter, Order, Page, PageRequest};
pub use state_text::StateText;
pub use store::{Document, EventStore, Listing, StoreError};
pub use stored::StoredEvent;
