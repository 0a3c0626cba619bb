//! What clients are told when something that is kept cannot be had.

use axum::http::{HeaderMap, StatusCode};

use crate::http::ApiError;
use crate::services::launch::LaunchError;
use crate::services::settings::error::StoreError;
use crate::services::settings::sealing::Exposure;

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let said = error.to_string();
        match error {
            StoreError::NotFound(_) => Self::not_found(said),
            StoreError::Exists(_) | StoreError::Conflict(_) | StoreError::Corrupt(_) => {
                Self::conflict(said)
            }
            StoreError::Unreadable(_) => Self::bad_request(said),
            StoreError::Dangling(_) | StoreError::Invalid => Self::unprocessable(said),
            StoreError::Busy(_) | StoreError::NoKey => {
                Self::masked(StatusCode::SERVICE_UNAVAILABLE, said)
            }
            StoreError::Io(_) => Self::internal(said),
        }
    }
}

/// A write that the disk refused: what exactly is for the log, not for the client.
pub(super) fn failed(error: StoreError, what: &'static str) -> ApiError {
    match error {
        StoreError::Io(error) => {
            tracing::error!(%error, what);
            ApiError::masked(StatusCode::INTERNAL_SERVER_ERROR, what)
        }
        other => other.into(),
    }
}

/// In which form the client wants to see secrets.
pub(super) fn exposure(headers: &HeaderMap) -> Result<Exposure, ApiError> {
    let value = headers.get("x-expose-secrets");
    let value = value.map(|value| String::from_utf8_lossy(value.as_bytes()));
    Exposure::of_header(value.as_deref()).map_err(ApiError::bad_request)
}

impl From<LaunchError> for ApiError {
    fn from(error: LaunchError) -> Self {
        let detail = error.detail();
        match error {
            LaunchError::NotFound(_) => Self::not_found(detail),
            LaunchError::Value(_) | LaunchError::Invalid(_) | LaunchError::Unresolved(_) => {
                Self::unprocessable(detail)
            }
            LaunchError::Busy(_) | LaunchError::NoKey => {
                Self::masked(StatusCode::SERVICE_UNAVAILABLE, error)
            }
            LaunchError::Store(_) => Self::masked(StatusCode::INTERNAL_SERVER_ERROR, error),
            LaunchError::External => Self::masked(StatusCode::NOT_IMPLEMENTED, error),
        }
    }
}
