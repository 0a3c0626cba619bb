//! The V1 API: one file for each group of routes.

pub(crate) mod conversations;
pub(crate) mod git;
pub(crate) mod init;
pub(crate) mod metrics;
pub(crate) mod server_info;
pub(crate) mod system;
pub(crate) mod vscode;

use std::any::Any;

use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::http::{ApiError, Routes, paths};

/// All routes of the API.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(server_info::routes())
        .merge(init::routes())
        .merge(metrics::routes())
        .merge(system::routes())
        .merge(conversations::routes())
        .merge(git::routes())
        .merge(vscode::routes())
}

/// There is no such path; perhaps there is with or without a slash at its end.
pub(crate) async fn not_found(request: Request) -> Response {
    let host = request.headers().get(header::HOST);
    let host = host
        .and_then(|host| host.to_str().ok())
        .unwrap_or("localhost");
    match paths::other_spelling(App::known_operations(), request.uri().path()) {
        None => ApiError::not_found("Not Found").into_response(),
        Some(path) => {
            let address = paths::address(host, &path, request.uri());
            (
                StatusCode::TEMPORARY_REDIRECT,
                [(header::LOCATION, address)],
            )
                .into_response()
        }
    }
}

/// There is such a path, but not with this method. compat: the first method of the path is named.
pub(crate) async fn method_not_allowed(request: Request) -> ApiError {
    let path = request.uri().path();
    let served = App::known_operations()
        .iter()
        .filter(|operation| paths::matches(operation.path, path))
        // Of two patterns that fit, the router took the one with fewer parameters.
        .min_by_key(|operation| operation.parameters().len());
    ApiError::method_not_allowed(served.map_or(&Method::GET, |operation| &operation.method))
}

/// A handler panicked: the request fails, and no more.
pub(crate) fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    ApiError::internal(said.unwrap_or_else(|| "a handler panicked".to_owned())).into_response()
}
