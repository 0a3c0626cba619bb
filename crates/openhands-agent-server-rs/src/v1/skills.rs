//! Skills: from all sources, the catalog, and fetching the public ones.

use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::skills::{
    SkillCatalogResponse, SkillsRequest, SkillsResponse, SyncResponse, SyncStatus,
};

use crate::app::App;
use crate::http::{Body, Reply, Routes};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/api/skills", list)
        .says("The skills of all sources; of two with the same name, that of the later source")
        .answers::<SkillsResponse>(200)
        .get("/api/skills/catalog", catalog)
        .says("The user's and the public skills")
        .answers::<SkillCatalogResponse>(200)
        .post("/api/skills/sync", sync)
        .says("Fetches the public skills")
        .answers::<SyncResponse>(200)
}

async fn list(
    State(app): State<Arc<App>>,
    Body(request): Body<SkillsRequest>,
) -> Reply<SkillsResponse> {
    let found = app.skills.load(&request).await;
    Reply(SkillsResponse {
        skills: found.skills,
        sources: found.sources,
        ..SkillsResponse::default()
    })
}

async fn catalog(State(app): State<Arc<App>>) -> Reply<SkillCatalogResponse> {
    Reply(SkillCatalogResponse {
        skills: app.skills.catalog().await,
        ..SkillCatalogResponse::default()
    })
}

async fn sync(State(app): State<Arc<App>>) -> Reply<SyncResponse> {
    let (status, message) = match app.skills.sync().await {
        Ok(()) => (SyncStatus::Success, "Skills repository synced successfully"),
        Err(problem) => {
            tracing::warn!(problem, "public skills were not fetched");
            (SyncStatus::Error, "Failed to sync skills repository")
        }
    };
    Reply(SyncResponse {
        status,
        message: message.to_owned(),
        ..SyncResponse::default()
    })
}
