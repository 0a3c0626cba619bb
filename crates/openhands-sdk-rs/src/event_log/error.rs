//! Why the log refused or failed.

use openhands_protocol::EventId;

use crate::event_log::StoreError;

/// Why the log refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// An event must have an id, and not the one that marks roots.
    #[error("an event needs an id of its own")]
    NoId,
    /// The id is in the log already.
    #[error("Event with ID '{id}' already exists at index {index}")]
    DuplicateId {
        /// The id.
        id: EventId,
        /// Where it is.
        index: u64,
    },
    /// The event names a parent that is not in the log.
    #[error("Parent event '{parent}' does not exist for event '{id}'")]
    UnknownParent {
        /// The event.
        id: EventId,
        /// The parent that it names.
        parent: EventId,
    },
    /// No event has this id.
    #[error("Unknown event_id: {0}")]
    UnknownEvent(EventId),
    /// The event is of a kind that is sent but never stored.
    #[error("an event of kind {0} is never stored")]
    NotStored(String),
    /// The event cannot be written as JSON.
    #[error("the event cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
    /// The log was closed.
    #[error("the event log is closed")]
    Closed,
    /// The files on disk are no longer those that were opened.
    #[error("the stored events were replaced: position {index} holds another event")]
    Diverged {
        /// The first position that differs.
        index: u64,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The work was given up because the runtime is shutting down.
    #[error("the runtime is shutting down")]
    ShuttingDown,
}
