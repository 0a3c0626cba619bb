//! The hooks of a project.

use axum::extract::State;
use openhands_protocol::hooks::{HooksRequest, HooksResponse};
use openhands_sdk_rs::hooks::config;
use openhands_sdk_rs::runtime::LocalWorkspace;
use std::sync::Arc;

use crate::app::App;
use crate::http::{Body, Reply, Routes};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/api/hooks", read)
        .says("The hooks that a project asks for; null if there are none that can be used")
        .answers::<HooksResponse>(200)
}

async fn read(
    State(app): State<Arc<App>>,
    Body(request): Body<HooksRequest>,
) -> Reply<HooksResponse> {
    let hook_config = match request
        .project_dir
        .filter(|directory| !directory.is_empty())
    {
        Some(directory) => {
            let workspace = LocalWorkspace::new(directory, &app.config().env);
            config::load(&workspace, None)
                .await
                .inspect_err(|error| tracing::warn!(%error, "hooks cannot be read"))
                .ok()
                .flatten()
                .filter(|hooks| !config::is_empty(hooks))
        }
        None => None,
    };
    Reply(HooksResponse {
        hook_config,
        ..HooksResponse::default()
    })
}
