//! Why a request to a conversation was refused or failed.

use openhands_protocol::{ConversationId, EventId};
use openhands_sdk_rs::ConversationError;

/// Why a request to a conversation was refused or failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RefusedRequest {
    /// There is no such conversation.
    #[error("Conversation not found: {0}")]
    Unknown(ConversationId),
    /// It was deleted while somebody still held it.
    #[error("inactive_service")]
    Deleted,
    /// As many conversations run as may.
    #[error("Conversation run limit reached. Retry the request later.")]
    Full,
    /// The message is stored, but as many conversations run as may.
    #[error(
        "Message saved, but the conversation run limit was reached. Retry POST /api/conversations/{0}/run without resending the message."
    )]
    SavedButFull(ConversationId),
    /// There is already one of this id.
    #[error("Conversation with id {0} already exists")]
    Exists(ConversationId),
    /// There is nothing to copy.
    #[error("Source conversation not found")]
    NoSource,
    /// There is no such event.
    #[error("Unknown {field}: {id}")]
    UnknownEvent {
        /// What the request calls it.
        field: &'static str,
        /// What was asked for.
        id: EventId,
    },
    /// The request cannot be carried out as it is.
    #[error("{0}")]
    Invalid(String),
    /// The files of the conversation cannot be written or read.
    #[error("the files of the conversation cannot be used: {0}")]
    Files(#[source] std::io::Error),
    /// The container of the conversation cannot be used.
    #[error("{0}")]
    Sandbox(String),
    /// The conversation refused or failed.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
}
