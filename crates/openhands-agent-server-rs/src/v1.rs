//! The V1 API: one file for each group of routes.

pub(crate) mod agent_profiles;
pub(crate) mod auth;
pub(crate) mod bash;
pub(crate) mod conversations;
pub(crate) mod file_response;
pub(crate) mod files;
pub(crate) mod forward;
pub(crate) mod git;
pub(crate) mod hooks;
pub(crate) mod init;
pub(crate) mod later;
pub(crate) mod llm;
pub(crate) mod mcp;
pub(crate) mod mcp_settings;
pub(crate) mod metrics;
mod place;
pub(crate) mod profiles;
pub(crate) mod provider_connections;
pub(crate) mod runtime;
pub(crate) mod secrets;
pub(crate) mod server_info;
pub(crate) mod settings;
pub(crate) mod skills;
pub(crate) mod static_files;
mod stored;
pub(crate) mod sub_agents;
pub(crate) mod system;
pub(crate) mod tools;
pub(crate) mod vscode;
pub(crate) mod workspace_files;
pub(crate) mod workspaces;

use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::http::{ApiError, Routes, paths};

/// All routes of the API.
pub(crate) fn routes() -> Routes {
    Routes::new()
        .merge(server_info::routes())
        .merge(static_files::routes())
        .merge(init::routes())
        .merge(metrics::routes())
        .merge(system::routes())
        .merge(conversations::routes())
        .merge(git::routes())
        .merge(auth::routes())
        .merge(bash::routes())
        .merge(files::routes())
        .merge(runtime::routes())
        .merge(workspace_files::routes())
        .merge(workspaces::routes())
        .merge(vscode::routes())
        .merge(settings::routes())
        .merge(mcp_settings::routes())
        .merge(secrets::routes())
        .merge(profiles::routes())
        .merge(agent_profiles::routes())
        .merge(provider_connections::routes())
        .merge(tools::routes())
        .merge(skills::routes())
        .merge(hooks::routes())
        .merge(sub_agents::routes())
        .merge(mcp::routes())
        .merge(llm::routes())
        .merge(later::routes())
}

/// There is no such path; perhaps there is with or without a slash at its end.
pub(crate) async fn not_found(request: Request) -> Response {
    if request.headers().contains_key(header::SEC_WEBSOCKET_KEY) {
        // compat: a socket that is not there is refused, not missing.
        return StatusCode::FORBIDDEN.into_response();
    }
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
