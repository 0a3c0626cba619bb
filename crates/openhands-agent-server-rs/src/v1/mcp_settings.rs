//! Servers of tools in the settings, one by one.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::mcp::{McpServer, McpServerPatch};
use openhands_protocol::settings::{
    AgentSettings, McpServerPath, SettingsResponse, StoredSettings,
};
use openhands_protocol::{Form, Wire};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes};
use crate::services::settings::error::StoreError;
use crate::services::settings::sealing::Exposure;
use crate::services::settings::settings_store::Changes;
use crate::v1::settings::{shown, update_failed};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/api/settings/mcp/{settings_key}", add)
        .says("Adds a server of tools to the settings")
        .answers::<SettingsResponse>(201)
        .patch("/api/settings/mcp/{settings_key}", change)
        .says("Changes a server of tools in the settings")
        .answers::<SettingsResponse>(200)
        .delete("/api/settings/mcp/{settings_key}", delete)
        .says("Removes a server of tools from the settings")
        .answers::<SettingsResponse>(200)
}

async fn add(
    State(app): State<Arc<App>>,
    Path(path): Path<McpServerPath>,
    Body(server): Body<McpServer>,
) -> Result<(StatusCode, Reply<SettingsResponse>), ApiError> {
    let server = members(&server)?;
    let answer = update(&app, path.settings_key, server, Expected::Absent).await?;
    Ok(Reply(answer).with_status(StatusCode::CREATED))
}

async fn change(
    State(app): State<Arc<App>>,
    Path(path): Path<McpServerPath>,
    Body(changes): Body<McpServerPatch>,
) -> Result<Reply<SettingsResponse>, ApiError> {
    let changes = members(&changes)?;
    let answer = update(&app, path.settings_key, changes, Expected::Present).await?;
    Ok(Reply(answer))
}

async fn delete(
    State(app): State<Arc<App>>,
    Path(path): Path<McpServerPath>,
) -> Result<Reply<SettingsResponse>, ApiError> {
    let answer = update(&app, path.settings_key, Value::Null, Expected::Present).await?;
    Ok(Reply(answer))
}

/// Whether a server of the name should be there already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Absent,
    Present,
}

impl Expected {
    fn check(self, settings: &StoredSettings, key: &str) -> Result<(), StoreError> {
        let servers = match &settings.agent_settings {
            AgentSettings::OpenHands(settings) => Some(&settings.mcp_config),
            AgentSettings::Acp(settings) => Some(&settings.mcp_config),
            AgentSettings::Unknown(_) => None,
        };
        let is_there = servers.is_some_and(|servers| servers.contains_key(key));
        match self {
            Self::Absent if is_there => Err(StoreError::Exists(format!(
                "MCP server '{key}' already exists"
            ))),
            Self::Present if !is_there => Err(StoreError::NotFound(format!(
                "MCP server '{key}' was not found"
            ))),
            Self::Absent | Self::Present => Ok(()),
        }
    }
}

/// The members of a server as changes: with its secrets, and without members that no server has.
fn members<T: Serialize + Wire>(server: &T) -> Result<Value, ApiError> {
    let mut members = Form::PEER.to_value(server).map_err(ApiError::internal)?;
    if let Value::Object(members) = &mut members {
        members.retain(|name, _| T::FIELDS.contains(&name.as_str()));
    }
    Ok(members)
}

async fn update(
    app: &Arc<App>,
    key: String,
    server: Value,
    expected: Expected,
) -> Result<SettingsResponse, ApiError> {
    let updated = app.stores.run(move |stores| {
        let servers = Map::from_iter([(key.clone(), server)]);
        let agent = Map::from_iter([("mcp_config".to_owned(), Value::Object(servers))]);
        let changes = Changes {
            agent: Some(agent),
            ..Changes::default()
        };
        let settings =
            stores.change_settings(changes, |settings| expected.check(settings, &key))?;
        shown(stores, &settings, Exposure::Redacted)
    });
    updated.await.map_err(update_failed)
}
