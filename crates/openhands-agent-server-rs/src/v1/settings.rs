//! Settings: how new agents and conversations are made, and the forms to change them with.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use openhands_protocol::settings::{
    SettingsResponse, SettingsSchema, SettingsUpdateRequest, StoredSettings,
};
use openhands_protocol::{JsonObject, Patch};

use crate::app::App;
use crate::http::{ApiError, Body, Reply, Routes};
use crate::services::settings::Stores;
use crate::services::settings::error::StoreError;
use crate::services::settings::schemas;
use crate::services::settings::sealing::Exposure;
use crate::services::settings::settings_store::{Changes, answer, llm_api_key_is_set};
use crate::v1::stored::{exposure, failed};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/settings/agent-schema", agent_schema)
        .says("The form of agent settings")
        .answers::<SettingsSchema>(200)
        .get("/api/settings/conversation-schema", conversation_schema)
        .says("The form of conversation settings")
        .answers::<SettingsSchema>(200)
        .get("/api/settings", get)
        .says("The settings; the header X-Expose-Secrets chooses how secrets are shown")
        .answers::<SettingsResponse>(200)
        .patch("/api/settings", patch)
        .says("Merges changes into the settings")
        .answers::<SettingsResponse>(200)
}

async fn agent_schema() -> Result<Reply<&'static SettingsSchema>, ApiError> {
    schemas::agent().map(Reply).map_err(ApiError::internal)
}

async fn conversation_schema() -> Result<Reply<&'static SettingsSchema>, ApiError> {
    schemas::conversation()
        .map(Reply)
        .map_err(ApiError::internal)
}

async fn get(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Reply<SettingsResponse>, ApiError> {
    let exposure = exposure(&headers)?;
    let shown = app
        .stores
        .run(move |stores| shown(stores, &stores.settings.load()?, exposure))
        .await?;
    if exposure == Exposure::Plaintext {
        tracing::warn!("settings were read with secrets in clear");
    }
    Ok(Reply(shown))
}

async fn patch(
    State(app): State<Arc<App>>,
    Body(request): Body<SettingsUpdateRequest>,
) -> Result<Reply<SettingsResponse>, ApiError> {
    let changes = changes_of(request).ok_or_else(|| {
        ApiError::bad_request(
            "At least one of agent_settings_diff, conversation_settings_diff, misc_settings_diff, active_profile, \
             active_agent_profile_id, or active_meta_profile must be provided",
        )
    })?;
    let changed = app.stores.run(move |stores| {
        let settings = stores.change_settings(changes, |_| Ok(()))?;
        shown(stores, &settings, Exposure::Redacted)
    });
    changed.await.map(Reply).map_err(update_failed)
}

pub(super) fn update_failed(error: StoreError) -> ApiError {
    failed(error, "Failed to update settings")
}

/// What is to be changed; none if nothing is.
fn changes_of(request: SettingsUpdateRequest) -> Option<Changes> {
    // A null in place of a change is no change; a null in place of a pointer clears it.
    let given = |patch: Patch<JsonObject>| patch.into_change().flatten().map(|changes| changes.0);
    let changes = Changes {
        agent: given(request.agent_settings_diff),
        conversation: given(request.conversation_settings_diff),
        misc: given(request.misc_settings_diff),
        active_profile: request.active_profile.into_change(),
        active_agent_profile_id: request.active_agent_profile_id.into_change(),
        active_meta_profile: request.active_meta_profile.into_change(),
    };
    (!changes.is_empty()).then_some(changes)
}

/// The settings as an answer.
pub(super) fn shown(
    stores: &Stores,
    settings: &StoredSettings,
    exposure: Exposure,
) -> Result<SettingsResponse, StoreError> {
    let part = |value| answer(value);
    Ok(SettingsResponse {
        agent_settings: part(
            stores
                .sealing
                .to_answer(exposure, &settings.agent_settings)?,
        ),
        conversation_settings: part(
            stores
                .sealing
                .to_answer(Exposure::Redacted, &settings.conversation_settings)?,
        ),
        llm_api_key_is_set: llm_api_key_is_set(&settings.agent_settings),
        active_profile: settings.active_profile.clone(),
        active_agent_profile_id: settings.active_agent_profile_id.clone(),
        active_meta_profile: settings.active_meta_profile.clone(),
        misc_settings: settings.misc_settings.clone(),
        ..SettingsResponse::default()
    })
}
