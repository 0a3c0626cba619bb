//! The list of directories that the UI offers.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::Extra;
use openhands_protocol::workspace::{
    AddWorkspaceParentsRequest, AddWorkspacesRequest, DeleteResponse, StoredWorkspaces,
    WorkspaceQuery, WorkspacesListResponse,
};

use crate::app::App;
use crate::http::{ApiError, Body, Query, Reply, Routes};
use crate::services::workspaces::WorkspacesError;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/workspaces", list)
        .says("The workspaces that the UI offers")
        .answers::<WorkspacesListResponse>(200)
        .post("/api/workspaces", add)
        .says("Add workspaces to the list")
        .answers::<WorkspacesListResponse>(200)
        .delete("/api/workspaces", remove)
        .says("Take a workspace off the list")
        .answers::<DeleteResponse>(200)
        .post("/api/workspaces/parents", add_parents)
        .says("Add directories whose children are offered")
        .answers::<WorkspacesListResponse>(200)
        .delete("/api/workspaces/parents", remove_parent)
        .says("Take a directory whose children are offered off the list")
        .answers::<DeleteResponse>(200)
}

type Listed = Result<Reply<WorkspacesListResponse>, ApiError>;

async fn list(State(app): State<Arc<App>>) -> Listed {
    listed(app.workspaces.list().await)
}

async fn add(State(app): State<Arc<App>>, Body(request): Body<AddWorkspacesRequest>) -> Listed {
    listed(app.workspaces.add(request.workspaces).await)
}

async fn add_parents(
    State(app): State<Arc<App>>,
    Body(request): Body<AddWorkspaceParentsRequest>,
) -> Listed {
    listed(app.workspaces.add_parents(request.parents).await)
}

async fn remove(
    State(app): State<Arc<App>>,
    Query(query): Query<WorkspaceQuery>,
) -> Result<Reply<DeleteResponse>, ApiError> {
    removed(
        app.workspaces.remove(query.path).await,
        "Workspace not found",
    )
}

async fn remove_parent(
    State(app): State<Arc<App>>,
    Query(query): Query<WorkspaceQuery>,
) -> Result<Reply<DeleteResponse>, ApiError> {
    removed(
        app.workspaces.remove_parent(query.path).await,
        "Workspace parent not found",
    )
}

fn listed(list: Result<StoredWorkspaces, WorkspacesError>) -> Listed {
    let list = list.map_err(refused)?;
    Ok(Reply(WorkspacesListResponse {
        workspaces: list.workspaces,
        workspace_parents: list.workspace_parents,
        extra: Extra::EMPTY,
    }))
}

fn removed(
    removed: Result<bool, WorkspacesError>,
    missing: &'static str,
) -> Result<Reply<DeleteResponse>, ApiError> {
    if removed.map_err(refused)? {
        Ok(Reply(DeleteResponse::default()))
    } else {
        Err(ApiError::not_found(missing))
    }
}

fn refused(error: WorkspacesError) -> ApiError {
    match error {
        WorkspacesError::Corrupted => ApiError::conflict(error.to_string()),
        WorkspacesError::File(_) => ApiError::masked(StatusCode::INTERNAL_SERVER_ERROR, error),
    }
}
