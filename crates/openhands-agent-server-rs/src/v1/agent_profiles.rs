//! Agents that the user saved by name.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::JsonObject;
use openhands_protocol::agent::{
    ActivateAgentProfileResponse, AgentProfile, AgentProfileDetailResponse,
    AgentProfileDiagnostics, AgentProfileIdPath, AgentProfileListResponse,
    AgentProfileMutationResponse, AgentProfilePath, MaterializeAgentProfileRequest,
    RenameAgentProfileRequest,
};
use openhands_protocol::server::ValidationError;
use serde_json::{Value, json};

use crate::app::App;
use crate::http::{ApiError, Body, MaybeBody, Path, Reply, Routes};
use crate::services::settings::agent_profiles::{not_found, to_json};
use crate::services::settings::error::StoreError;
use crate::services::settings::profile_input::{self, Refusal};
use crate::services::settings::settings_store::answer;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/agent-profiles", list)
        .says("The saved agents; one of them is always active")
        .answers::<AgentProfileListResponse>(200)
        .get("/api/agent-profiles/{name}", get)
        .says("A saved agent")
        .answers::<AgentProfileDetailResponse>(200)
        .post("/api/agent-profiles/{name}", save)
        .says("Saves an agent, over one of the same name")
        .answers::<AgentProfileMutationResponse>(201)
        .delete("/api/agent-profiles/{name}", delete)
        .says("Removes a saved agent")
        .answers::<AgentProfileMutationResponse>(200)
        .post("/api/agent-profiles/{name}/rename", rename)
        .says("Gives a saved agent another name; its id stays")
        .answers::<AgentProfileMutationResponse>(200)
        .post("/api/agent-profiles/{profile_id}/activate", activate)
        .says("Makes a saved agent the active one; the settings stay as they are")
        .answers::<ActivateAgentProfileResponse>(200)
        .post("/api/agent-profiles/{name}/materialize", materialize)
        .says("What would come of a saved agent, or of a draft, if it were started")
        .answers::<AgentProfileDiagnostics>(200)
}

async fn list(State(app): State<Arc<App>>) -> Result<Reply<AgentProfileListResponse>, ApiError> {
    let listed = app.stores.run(|stores| {
        stores.ensure_active_agent()?;
        Ok(AgentProfileListResponse {
            profiles: stores.agent_profiles.lock()?.list()?,
            active_agent_profile_id: stores.settings.load()?.active_agent_profile_id,
            ..AgentProfileListResponse::default()
        })
    });
    Ok(Reply(listed.await?))
}

async fn get(
    State(app): State<Arc<App>>,
    Path(path): Path<AgentProfilePath>,
) -> Result<Reply<AgentProfileDetailResponse>, ApiError> {
    let got = app.stores.run(move |stores| {
        let name = path.name;
        let profile = stores.agent_profiles.lock()?.load(&name)?;
        let profile = profile.ok_or_else(|| not_found(&name))?;
        Ok(AgentProfileDetailResponse {
            profile: answer(to_json(&profile)?),
            name,
            ..AgentProfileDetailResponse::default()
        })
    });
    Ok(Reply(got.await?))
}

async fn save(
    State(app): State<Arc<App>>,
    Path(path): Path<AgentProfilePath>,
    Body(members): Body<JsonObject>,
) -> Result<(StatusCode, Reply<AgentProfileMutationResponse>), ApiError> {
    let profile = profile_input::request(members.0, &path.name).map_err(refused)?;
    app.stores
        .run(move |stores| stores.agent_profiles.lock()?.save(profile))
        .await?;
    let message = format!("Agent profile '{}' saved", path.name);
    Ok(Reply(mutation(path.name, message)).with_status(StatusCode::CREATED))
}

async fn delete(
    State(app): State<Arc<App>>,
    Path(path): Path<AgentProfilePath>,
) -> Result<Reply<AgentProfileMutationResponse>, ApiError> {
    let name = path.name.clone();
    app.stores
        .run(move |stores| stores.delete_agent(&name))
        .await?;
    let message = format!("Agent profile '{}' deleted", path.name);
    Ok(Reply(mutation(path.name, message)))
}

async fn rename(
    State(app): State<Arc<App>>,
    Path(path): Path<AgentProfilePath>,
    Body(request): Body<RenameAgentProfileRequest>,
) -> Result<Reply<AgentProfileMutationResponse>, ApiError> {
    let (name, new_name) = (path.name.clone(), request.new_name.clone());
    app.stores
        .run(move |stores| stores.agent_profiles.lock()?.rename(&name, &new_name))
        .await?;
    let message = if path.name == request.new_name {
        format!("Agent profile '{}' unchanged (same name)", path.name)
    } else {
        format!(
            "Agent profile '{}' renamed to '{}'",
            path.name, request.new_name
        )
    };
    Ok(Reply(mutation(request.new_name, message)))
}

async fn activate(
    State(app): State<Arc<App>>,
    Path(path): Path<AgentProfileIdPath>,
) -> Result<Reply<ActivateAgentProfileResponse>, ApiError> {
    let id = path.profile_id;
    let activated = app.stores.run({
        let id = id.clone();
        move |stores| {
            stores.require_agent(&id)?;
            stores.settings.update(|settings| {
                settings.active_agent_profile_id = Some(id);
                Ok(())
            })
        }
    });
    activated.await.map_err(|error| match error {
        StoreError::Corrupt(_) | StoreError::Io(_) => {
            tracing::error!(%error, "an agent profile could not be activated");
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            ApiError::masked(status, "Failed to activate agent profile")
        }
        other => other.into(),
    })?;
    Ok(Reply(ActivateAgentProfileResponse {
        message: format!("Agent profile '{id}' activated"),
        id,
        ..ActivateAgentProfileResponse::default()
    }))
}

async fn materialize(
    State(app): State<Arc<App>>,
    Path(path): Path<AgentProfilePath>,
    MaybeBody(request): MaybeBody<MaterializeAgentProfileRequest>,
) -> Result<Reply<AgentProfileDiagnostics>, ApiError> {
    let draft = request.and_then(|request| request.profile);
    let profile: AgentProfile = match draft {
        Some(draft) => profile_input::request(draft.0, &path.name).map_err(refused)?,
        None => {
            app.stores
                .run(move |stores| {
                    let profile = stores.agent_profiles.lock()?.load(&path.name)?;
                    profile.ok_or_else(|| not_found(&path.name))
                })
                .await?
        }
    };
    Ok(Reply(app.launches.preview(&profile).await?))
}

/// All that is wrong with a saved agent. compat: without the values, which may be long.
fn refused(refusal: Refusal) -> ApiError {
    match refusal {
        Refusal::Version => ApiError::unprocessable("Invalid agent profile"),
        Refusal::Problems(problems) => {
            let told = |problem: ValidationError| json!({"loc": problem.loc, "type": problem.kind, "msg": problem.msg});
            let problems: Vec<Value> = problems.into_iter().map(told).collect();
            ApiError::unprocessable(problems)
        }
    }
}

fn mutation(name: String, message: String) -> AgentProfileMutationResponse {
    AgentProfileMutationResponse {
        name,
        message,
        ..AgentProfileMutationResponse::default()
    }
}
