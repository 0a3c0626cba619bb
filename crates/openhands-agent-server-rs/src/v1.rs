//! The V1 API: one file for each group of routes.

pub(crate) mod agent_profiles;
pub(crate) mod auth;
pub(crate) mod bash;
pub(crate) mod conversations;
mod file_response;
pub(crate) mod files;
pub(crate) mod git;
pub(crate) mod hooks;
pub(crate) mod llm;
pub(crate) mod mcp;
pub(crate) mod mcp_settings;
mod place;
pub(crate) mod profiles;
pub(crate) mod provider_connections;
pub(crate) mod runtime;
pub(crate) mod secrets;
pub(crate) mod server_info;
pub(crate) mod settings;
pub(crate) mod skills;
mod stored;
pub(crate) mod sub_agents;
pub(crate) mod tools;
pub(crate) mod vscode;
pub(crate) mod workspace_files;
pub(crate) mod workspaces;

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
