//! The V1 API: one file for each group of routes.

pub(crate) mod conversations;
pub(crate) mod git;
pub(crate) mod server_info;
pub(crate) mod vscode;

use std::any::Any;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::http::{ApiError, Routes};

/// All routes of the API.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(server_info::routes())
        .merge(conversations::routes())
        .merge(git::routes())
        .merge(vscode::routes())
}

/// There is no such path.
pub(crate) async fn not_found() -> ApiError {
    ApiError::not_found("Not Found")
}

/// There is such a path, but not with this method.
pub(crate) async fn method_not_allowed() -> ApiError {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
}

/// A handler panicked: the request fails, and no more.
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    ApiError::internal(said.unwrap_or_else(|| "a handler panicked".to_owned())).into_response()
}
