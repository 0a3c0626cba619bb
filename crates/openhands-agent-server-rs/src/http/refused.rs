//! What a caller is told when a conversation refuses.

use axum::http::StatusCode;
use openhands_sdk_rs::ConversationError;
use openhands_sdk_rs::conversation::{ProfileError, Refused};
use openhands_sdk_rs::event_log::{LeaseError, LogError, StoreError};
use openhands_sdk_rs::llm::LlmErrorKind;

use crate::http::ApiError;
use crate::services::conversations::RefusedRequest;

const LOST: &str = "Conversation is owned by another agent server instance; the write was refused";

impl From<RefusedRequest> for ApiError {
    fn from(error: RefusedRequest) -> Self {
        let said = error.to_string();
        match error {
            RefusedRequest::Unknown(_) | RefusedRequest::Deleted => Self::not_found("Not Found"),
            RefusedRequest::NoSource | RefusedRequest::UnknownEvent { .. } => Self::not_found(said),
            RefusedRequest::Full | RefusedRequest::SavedButFull(_) => Self::too_many(said),
            RefusedRequest::Exists(_) => Self::conflict(said),
            RefusedRequest::Invalid(_) => Self::unprocessable(said),
            RefusedRequest::Files(_) => Self::internal(said),
            RefusedRequest::Sandbox(_) => Self::new(StatusCode::BAD_GATEWAY, said),
            RefusedRequest::Conversation(error) => error.into(),
        }
    }
}

impl From<ConversationError> for ApiError {
    fn from(error: ConversationError) -> Self {
        let said = error.to_string();
        match error {
            ConversationError::Refused(Refused::AlreadyRunning) => {
                Self::conflict("Conversation already running. Wait for completion or pause first.")
            }
            // Better than the reference, which fails with a 500.
            ConversationError::NotAUserMessage => Self::unprocessable(said),
            ConversationError::Lease(LeaseError::Lost | LeaseError::Held { .. })
            | ConversationError::Log(LogError::Store(StoreError::Lease(_))) => Self::conflict(LOST),
            // compat: the reference shows the key of its table in quotes.
            ConversationError::Tool(_) => Self::internal(format!("\"{said}\"")),
            ConversationError::Runtime(_) => Self::new(StatusCode::BAD_GATEWAY, said),
            ConversationError::Condense(_) => Self::conflict(said),
            ConversationError::Profile(ProfileError::NotFound(name)) => {
                Self::not_found(format!("Profile '{name}' not found"))
            }
            ConversationError::Profile(ProfileError::Invalid(_)) => Self::bad_request(said),
            ConversationError::Goal(said) if said.ends_with("already running.") => {
                Self::conflict(said)
            }
            ConversationError::Goal(said) => Self::bad_request(said),
            // Better than the reference, which fails with a 500: whoever asked can tell a model that failed from a server that did.
            ConversationError::Llm(error) => match error.kind {
                LlmErrorKind::Configuration => Self::bad_request(said),
                LlmErrorKind::Timeout => Self::masked(StatusCode::GATEWAY_TIMEOUT, error.told()),
                _ => Self::masked(StatusCode::BAD_GATEWAY, error.told()),
            },
            _ => Self::internal(said),
        }
    }
}
