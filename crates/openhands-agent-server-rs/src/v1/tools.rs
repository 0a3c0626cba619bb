//! Which tools there are.

use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::server::ToolCatalogResponse;

use crate::app::App;
use crate::http::{Reply, Routes};
use crate::services::tools;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/tools/", list)
        .says("The names of all tools")
        .answers::<Vec<String>>(200)
        .get("/api/tools/catalog", catalog)
        .says("The tools that an agent can be set up with")
        .answers::<ToolCatalogResponse>(200)
}

async fn list() -> Reply<Vec<String>> {
    Reply(tools::names())
}

async fn catalog(State(app): State<Arc<App>>) -> Reply<ToolCatalogResponse> {
    let registry = &app.conversations.host().registry;
    Reply(ToolCatalogResponse {
        tools: tools::catalog(registry, app.launches.has_browser()),
        ..ToolCatalogResponse::default()
    })
}
