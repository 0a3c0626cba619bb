//! The files of a conversation's workspace, as a web server shows them.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use openhands_protocol::ConversationId;
use openhands_protocol::workspace::{WorkspaceFilePath, WorkspacePath};
use openhands_sdk_rs::tools::{absolute, blocking, resolve};

use crate::app::App;
use crate::http::{Access, ApiError, Path, Routes};
use crate::services::files::content_type;
use crate::v1::file_response::FileResponse;
use crate::v1::forward;
use crate::v1::place::unknown;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/conversations/{conversation_id}/workspace", root)
        .says("The index page of a conversation's workspace")
        .access(Access::KeyOrCookie)
        .get("/api/conversations/{conversation_id}/workspace/", root)
        .says("The index page of a conversation's workspace")
        .access(Access::KeyOrCookie)
        .hidden()
        .get(
            "/api/conversations/{conversation_id}/workspace/{*file_path}",
            file,
        )
        .says("A file of a conversation's workspace")
        .access(Access::KeyOrCookie)
        .all_of_runtime()
}

async fn root(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspacePath>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    serve(&app, path.conversation_id, String::new(), &headers).await
}

async fn file(
    State(app): State<Arc<App>>,
    Path(path): Path<WorkspaceFilePath>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    serve(&app, path.conversation_id, path.file_path, &headers).await
}

async fn serve(
    app: &App,
    id: ConversationId,
    path: String,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let workspace = if let Some(told) = forward::told(app, headers) {
        told.workspace
    } else {
        let entry = app.conversations.entry(id).ok_or_else(|| unknown(id))?;
        entry.working_dir()
    };
    let file = blocking(move || find(&workspace, &path))
        .await
        .map_err(ApiError::internal)??;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    match FileResponse::open(&file, content_type::header_of_name(&name)).await {
        Ok(file) => file.answer(headers),
        Err(_) => Err(ApiError::not_found("File not found")),
    }
}

/// The real path of what is asked for, which must be in the workspace after all links are followed.
fn find(workspace: &FilePath, path: &str) -> Result<PathBuf, ApiError> {
    let workspace = resolve(&absolute(workspace));
    if !workspace.is_dir() {
        return Err(ApiError::not_found("Workspace directory does not exist"));
    }
    if path.contains('\0') {
        return Err(ApiError::not_found("File not found"));
    }
    let inside = |path: &FilePath| {
        let real = resolve(path);
        if real.starts_with(&workspace) {
            Ok(real)
        } else {
            Err(ApiError::bad_request("Path is outside the workspace"))
        }
    };
    let target = inside(&workspace.join(path))?;
    if !target.is_dir() {
        return Ok(target);
    }
    let index = target.join("index.html");
    if index.is_file() {
        inside(&index)
    } else {
        Err(ApiError::not_found("No index.html in directory"))
    }
}
