//! Skills: from all sources, the catalog, and fetching the public ones.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::skills::{
    InstallSkillRequest, InstalledSkillResponse, InstalledSkillsListResponse, SkillCatalogResponse,
    SkillMarketplaceResponse, SkillPath, SkillsRequest, SkillsResponse, SyncResponse, SyncStatus,
    UninstallSkillResponse, UpdateSkillResponse, UpdateSkillStateRequest, UpdateSkillStateResponse,
};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes};

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
        .merge(installed().all_hidden())
}

/// What another server installed is shown and loaded. Installing is not there yet.
fn installed() -> Routes {
    Routes::new()
        .get("/api/skills/installed", list_installed)
        .says("The installed skills")
        .answers::<InstalledSkillsListResponse>(200)
        .get("/api/skills/installed/{skill_name}", one_installed)
        .says("An installed skill")
        .answers::<InstalledSkillResponse>(200)
        .get("/api/skills/marketplace", marketplace)
        .says("The skills that can be installed")
        .answers::<SkillMarketplaceResponse>(200)
        .post("/api/skills/install", |_: Body<InstallSkillRequest>| {
            later()
        })
        .says("Installs a skill")
        .answers::<InstalledSkillResponse>(200)
        .patch(
            "/api/skills/installed/{skill_name}",
            |_: Path<SkillPath>, _: Body<UpdateSkillStateRequest>| later(),
        )
        .says("Turns an installed skill on or off")
        .answers::<UpdateSkillStateResponse>(200)
        .delete(
            "/api/skills/installed/{skill_name}",
            |_: Path<SkillPath>| later(),
        )
        .says("Removes an installed skill")
        .answers::<UninstallSkillResponse>(200)
        .post(
            "/api/skills/installed/{skill_name}/refresh",
            |_: Path<SkillPath>| later(),
        )
        .says("Fetches an installed skill again")
        .answers::<UpdateSkillResponse>(200)
}

async fn later() -> ApiError {
    ApiError::masked(
        StatusCode::NOT_IMPLEMENTED,
        "Installing skills is not there yet",
    )
}

async fn list_installed(State(app): State<Arc<App>>) -> Reply<InstalledSkillsListResponse> {
    Reply(InstalledSkillsListResponse {
        skills: app.skills.installed().await,
        ..InstalledSkillsListResponse::default()
    })
}

async fn one_installed(
    State(app): State<Arc<App>>,
    Path(SkillPath { skill_name, .. }): Path<SkillPath>,
) -> Result<Reply<InstalledSkillResponse>, ApiError> {
    let installed = app.skills.installed().await;
    let found = installed.into_iter().find(|skill| skill.name == skill_name);
    found
        .map(Reply)
        .ok_or_else(|| ApiError::not_found(format!("Skill '{skill_name}' is not installed")))
}

async fn marketplace() -> Reply<SkillMarketplaceResponse> {
    Reply(SkillMarketplaceResponse::default())
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
