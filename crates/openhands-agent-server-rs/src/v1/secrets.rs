//! Secrets that the server keeps for all conversations.

use std::collections::HashSet;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use openhands_protocol::Secret;
use openhands_protocol::agent::AgentProfile;
use openhands_protocol::secrets::{
    SecretCreateRequest, SecretDeletedResponse, SecretItemResponse, SecretPath,
    SecretsListResponse, SecretsQuery,
};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Query, Reply, Routes};
use crate::services::settings::Stores;
use crate::services::settings::error::StoreError;
use crate::services::settings::names::is_secret_name;
use crate::v1::stored::failed;

const NOT_FOUND: &str = "Secret not found";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/settings/secrets", list)
        .says("The names of the saved secrets")
        .answers::<SecretsListResponse>(200)
        .put("/api/settings/secrets", put)
        .says("Saves a secret, over one of the same name")
        .answers::<SecretItemResponse>(200)
        .get("/api/settings/secrets/{name}", value)
        .says("The value of a saved secret, as plain text")
        .answers::<String>(200)
        .delete("/api/settings/secrets/{name}", delete)
        .says("Removes a saved secret")
        .answers::<SecretDeletedResponse>(200)
}

async fn list(
    State(app): State<Arc<App>>,
    Query(query): Query<SecretsQuery>,
) -> Result<Reply<SecretsListResponse>, ApiError> {
    let secrets = app.stores.run(move |stores| {
        let allowed = match &query.agent_profile_id {
            Some(id) => allowed(stores, id)?,
            None => None,
        };
        let secrets = stores.secrets.list()?.into_iter();
        Ok(secrets
            .filter(|(name, _)| {
                allowed
                    .as_ref()
                    .is_none_or(|allowed| allowed.contains(name))
            })
            .collect::<Vec<_>>())
    });
    let secrets = secrets.await?.into_iter();
    Ok(Reply(SecretsListResponse {
        secrets: secrets
            .map(|(name, description)| item(name, description))
            .collect(),
        ..SecretsListResponse::default()
    }))
}

/// The secrets that a saved agent may use; none if it may use all.
fn allowed(stores: &Stores, id: &str) -> Result<Option<HashSet<String>>, StoreError> {
    let missing = || StoreError::NotFound("Agent profile not found".to_owned());
    let agents = stores.agent_profiles.lock()?;
    let name = agents.name_of(id)?.ok_or_else(missing)?;
    let refs = match agents.load(&name)?.ok_or_else(missing)? {
        AgentProfile::OpenHands(profile) => profile.secret_refs,
        AgentProfile::Acp(profile) => profile.secret_refs,
        AgentProfile::Unknown(_) => None,
    };
    Ok(refs.map(|refs| refs.into_iter().collect()))
}

async fn put(
    State(app): State<Arc<App>>,
    Body(request): Body<SecretCreateRequest>,
) -> Result<Reply<SecretItemResponse>, ApiError> {
    check_name(&request.name)?;
    let text = request.value.expose().unwrap_or_default();
    if text.trim().is_empty() {
        return Err(ApiError::unprocessable(
            "Secret value must not be empty or redacted",
        ));
    }
    let item = item(request.name.clone(), request.description.clone());
    let saved = app.stores.run(move |stores| {
        stores
            .secrets
            .put(&request.name, request.value, request.description)
    });
    saved.await.map_err(write_failed)?;
    tracing::info!(name = item.name, "a secret was saved");
    Ok(Reply(item))
}

async fn value(
    State(app): State<Arc<App>>,
    Path(path): Path<SecretPath>,
) -> Result<Response, ApiError> {
    check_name(&path.name)?;
    let value = app
        .stores
        .run(move |stores| stores.secrets.value(&path.name))
        .await?;
    let value = value.as_ref().and_then(Secret::expose);
    let text = value.ok_or_else(|| ApiError::not_found(NOT_FOUND))?;
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    Ok((headers, text.to_owned()).into_response())
}

async fn delete(
    State(app): State<Arc<App>>,
    Path(path): Path<SecretPath>,
) -> Result<Reply<SecretDeletedResponse>, ApiError> {
    check_name(&path.name)?;
    let deleted = app
        .stores
        .run(move |stores| stores.secrets.delete(&path.name))
        .await
        .map_err(write_failed)?;
    if !deleted {
        return Err(ApiError::not_found(NOT_FOUND));
    }
    Ok(Reply(SecretDeletedResponse {
        deleted,
        ..SecretDeletedResponse::default()
    }))
}

fn item(name: String, description: Option<String>) -> SecretItemResponse {
    SecretItemResponse {
        name,
        description,
        ..SecretItemResponse::default()
    }
}

fn check_name(name: &str) -> Result<(), ApiError> {
    if is_secret_name(name) {
        return Ok(());
    }
    Err(ApiError::unprocessable(
        "Invalid secret name format. Must start with a letter, contain only letters, numbers, and underscores, \
         and be 1-64 characters long.",
    ))
}

/// compat: a file that cannot be used is a conflict for settings, and a failure of the server for secrets.
fn write_failed(error: StoreError) -> ApiError {
    match error {
        StoreError::Corrupt(_) => ApiError::masked(StatusCode::INTERNAL_SERVER_ERROR, error),
        other => failed(other, "Failed to save secret"),
    }
}
