//! Models that the user saved by name.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use openhands_protocol::llm::{
    ActivateProfileResponse, ProfileDetailResponse, ProfileListResponse, ProfileMutationResponse,
    ProfilePath, RenameProfileRequest, SaveProfileRequest, ValidateProfileRequest,
    ValidateProfileResponse,
};
use serde_json::Value;

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes};
use crate::services::llm_check;
use crate::services::settings::llm_profiles;
use crate::services::settings::sealing::Exposure;
use crate::services::settings::settings_store::answer;
use crate::v1::stored::{exposure, failed};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/profiles", list)
        .says("The saved models")
        .answers::<ProfileListResponse>(200)
        .get("/api/profiles/{name}", get)
        .says("A saved model; the header X-Expose-Secrets chooses how secrets are shown")
        .answers::<ProfileDetailResponse>(200)
        .post("/api/profiles/{name}", save)
        .says("Saves a model, over one of the same name")
        .answers::<ProfileMutationResponse>(201)
        .delete("/api/profiles/{name}", delete)
        .says("Removes a saved model that no saved agent needs")
        .answers::<ProfileMutationResponse>(200)
        .post("/api/profiles/{name}/validate", validate)
        .says("Tries out a model with one short question")
        .answers::<ValidateProfileResponse>(200)
        .post("/api/profiles/{name}/rename", rename)
        .says("Gives a saved model another name")
        .answers::<ProfileMutationResponse>(200)
        .post("/api/profiles/{name}/activate", activate)
        .says("Makes a saved model the one of the settings")
        .answers::<ActivateProfileResponse>(200)
}

async fn list(State(app): State<Arc<App>>) -> Result<Reply<ProfileListResponse>, ApiError> {
    let listed = app.stores.run(|stores| {
        Ok(ProfileListResponse {
            profiles: stores.llm_profiles.list(&stores.connections)?,
            active_profile: stores.settings.load()?.active_profile,
            ..ProfileListResponse::default()
        })
    });
    Ok(Reply(listed.await?))
}

async fn get(
    State(app): State<Arc<App>>,
    Path(path): Path<ProfilePath>,
    headers: HeaderMap,
) -> Result<Reply<ProfileDetailResponse>, ApiError> {
    let exposure = exposure(&headers)?;
    let got = app.stores.run(move |stores| {
        let name = path.name;
        // Who is to use the model needs the key of its connection; who edits it needs to see that it has one.
        let llm = if exposure == Exposure::Plaintext {
            stores
                .llm_profiles
                .load_usable(&name, &stores.connections)?
        } else {
            stores.llm_profiles.load(&name)?
        };
        let mut config = answer(stores.sealing.to_answer(exposure, &llm)?);
        if exposure == Exposure::Redacted {
            config.insert("api_key".to_owned(), Value::Null);
        }
        Ok(ProfileDetailResponse {
            api_key_set: llm_profiles::has_key(&llm, &stores.connections)?,
            name,
            config,
            ..ProfileDetailResponse::default()
        })
    });
    Ok(Reply(got.await?))
}

async fn save(
    State(app): State<Arc<App>>,
    Path(path): Path<ProfilePath>,
    Body(request): Body<SaveProfileRequest>,
) -> Result<(StatusCode, Reply<ProfileMutationResponse>), ApiError> {
    let saved = app.stores.run(move |stores| {
        let mut llm = request.llm;
        stores.sealing.settle_llm(&mut llm);
        stores
            .llm_profiles
            .save(&path.name, llm, request.include_secrets)?;
        Ok(mutation(
            &path.name,
            format!("Profile '{}' saved", path.name),
        ))
    });
    let saved = saved.await?;
    Ok(Reply(saved).with_status(StatusCode::CREATED))
}

async fn delete(
    State(app): State<Arc<App>>,
    Path(path): Path<ProfilePath>,
) -> Result<Reply<ProfileMutationResponse>, ApiError> {
    let deleted = app.stores.run(move |stores| {
        stores
            .llm_profiles
            .delete(&path.name, &stores.agent_profiles)?;
        stores.rename_active_llm(&path.name, None)?;
        Ok(mutation(
            &path.name,
            format!("Profile '{}' deleted", path.name),
        ))
    });
    Ok(Reply(deleted.await?))
}

async fn rename(
    State(app): State<Arc<App>>,
    Path(path): Path<ProfilePath>,
    Body(request): Body<RenameProfileRequest>,
) -> Result<Reply<ProfileMutationResponse>, ApiError> {
    let renamed = app.stores.run(move |stores| {
        let (name, new_name) = (path.name, request.new_name);
        let agents = &stores.agent_profiles;
        stores.llm_profiles.rename(&name, &new_name, agents)?;
        if name == new_name {
            let message = format!("Profile '{name}' unchanged (same name)");
            return Ok(mutation(&name, message));
        }
        stores.rename_active_llm(&name, Some(&new_name))?;
        let message = format!("Profile '{name}' renamed to '{new_name}'");
        Ok(mutation(&new_name, message))
    });
    Ok(Reply(renamed.await?))
}

async fn activate(
    State(app): State<Arc<App>>,
    Path(path): Path<ProfilePath>,
) -> Result<Reply<ActivateProfileResponse>, ApiError> {
    let activated = app.stores.run(move |stores| {
        let llm_applied = stores.activate_llm(&path.name)?;
        let applied = if llm_applied {
            " and applied to current settings"
        } else {
            ""
        };
        Ok(ActivateProfileResponse {
            message: format!("Profile '{}' activated{applied}", path.name),
            name: path.name,
            llm_applied,
            ..ActivateProfileResponse::default()
        })
    });
    let activated = activated.await;
    activated
        .map(Reply)
        .map_err(|error| failed(error, "Failed to activate profile"))
}

async fn validate(
    State(app): State<Arc<App>>,
    Path(path): Path<ProfilePath>,
    Body(request): Body<ValidateProfileRequest>,
) -> Result<Reply<ValidateProfileResponse>, ApiError> {
    let llm = app.stores.run(move |stores| {
        let mut llm = request.llm;
        stores.sealing.settle_llm(&mut llm);
        llm_profiles::connect(llm, "LLM config", &stores.connections)
    });
    let checked = llm_check::check(&app.models, llm.await?).await;
    if let Some(error) = &checked.error {
        tracing::info!(
            profile = path.name,
            kind = error.kind,
            "a model did not answer"
        );
    }
    Ok(Reply(checked))
}

fn mutation(name: &str, message: String) -> ProfileMutationResponse {
    ProfileMutationResponse {
        name: name.to_owned(),
        message,
        ..ProfileMutationResponse::default()
    }
}
