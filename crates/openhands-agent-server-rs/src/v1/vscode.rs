//! The editor beside the server.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::server::{VsCodeStatus, VsCodeUrlQuery, VsCodeUrlResponse};

use crate::app::App;
use crate::http::{ApiError, Query, Reply, Routes};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/vscode/url", flat_url)
        .says("Where to open a directory in the editor; null if it does not run")
        .answers::<VsCodeUrlResponse>(200)
        .get("/api/vscode/status", flat_status)
        .says("Whether the editor runs")
        .answers::<VsCodeStatus>(200)
}

async fn flat_url(
    State(app): State<Arc<App>>,
    Query(query): Query<VsCodeUrlQuery>,
) -> Result<Reply<VsCodeUrlResponse>, ApiError> {
    url(&app, &query)
}

async fn flat_status(State(app): State<Arc<App>>) -> Reply<VsCodeStatus> {
    status(&app)
}

/// Where to open `query.workspace_dir`, which the caller has checked.
pub(crate) fn url(app: &App, query: &VsCodeUrlQuery) -> Result<Reply<VsCodeUrlResponse>, ApiError> {
    let Some(vscode) = &app.vscode else {
        return Err(ApiError::masked(
            StatusCode::SERVICE_UNAVAILABLE,
            "VSCode is disabled in configuration. Set enable_vscode=true to enable.",
        ));
    };
    Ok(Reply(VsCodeUrlResponse {
        url: vscode.url(query.base_url.as_deref(), &query.workspace_dir),
        ..VsCodeUrlResponse::default()
    }))
}

/// Whether the editor runs.
pub(crate) fn status(app: &App) -> Reply<VsCodeStatus> {
    Reply(VsCodeStatus {
        running: app
            .vscode
            .as_ref()
            .is_some_and(crate::services::vscode::VsCode::is_running),
        enabled: app.vscode.is_some(),
        message: app
            .vscode
            .is_none()
            .then(|| "VSCode is disabled in configuration".to_owned()),
        ..VsCodeStatus::default()
    })
}
