//! Credentials for a provider that several saved models share.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::Patch;
use openhands_protocol::llm::{
    ProviderConnectionCreateRequest, ProviderConnectionPath, ProviderConnectionResponse,
    ProviderConnectionUpdateRequest, StoredProviderConnection,
};
use uuid::Uuid;

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes};
use crate::services::settings::provider_connections::not_found;
use crate::services::settings::sealing::is_set;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/llm/provider-connections", list)
        .says("The shared credentials, without their keys")
        .answers::<Vec<ProviderConnectionResponse>>(200)
        .post("/api/llm/provider-connections", add)
        .says("Saves credentials that several models can share")
        .answers::<ProviderConnectionResponse>(201)
        .patch("/api/llm/provider-connections/{connection_id}", change)
        .says("Changes shared credentials")
        .answers::<ProviderConnectionResponse>(200)
        .delete("/api/llm/provider-connections/{connection_id}", delete)
        .says("Removes shared credentials that nothing refers to")
        .answers::<ProviderConnectionResponse>(200)
}

async fn list(
    State(app): State<Arc<App>>,
) -> Result<Reply<Vec<ProviderConnectionResponse>>, ApiError> {
    let connections = app.stores.run(|stores| stores.connections.list()).await?;
    Ok(Reply(connections.into_iter().map(shown).collect()))
}

async fn add(
    State(app): State<Arc<App>>,
    Body(request): Body<ProviderConnectionCreateRequest>,
) -> Result<(StatusCode, Reply<ProviderConnectionResponse>), ApiError> {
    let now = now();
    let connection = StoredProviderConnection {
        id: Uuid::new_v4().simple().to_string(),
        display_name: request.display_name,
        provider: request.provider,
        api_key: Some(request.api_key),
        base_url: request.base_url,
        created_at: now,
        updated_at: now,
        ..StoredProviderConnection::default()
    };
    let answer = shown(connection.clone());
    app.stores
        .run(|stores| stores.connections.add(connection))
        .await?;
    Ok(Reply(answer).with_status(StatusCode::CREATED))
}

async fn change(
    State(app): State<Arc<App>>,
    Path(path): Path<ProviderConnectionPath>,
    Body(request): Body<ProviderConnectionUpdateRequest>,
) -> Result<Reply<ProviderConnectionResponse>, ApiError> {
    if request.display_name.is_absent()
        && request.provider.is_absent()
        && request.api_key.is_absent()
        && request.base_url.is_absent()
    {
        return Err(ApiError::unprocessable(
            "Provide at least one provider connection field to update",
        ));
    }
    let id = path.connection_id;
    if request.api_key == Patch::Null {
        let known = app.stores.run({
            let id = id.clone();
            move |stores| stores.connections.get(&id)?.ok_or_else(|| not_found(&id))
        });
        known.await?;
        return Err(ApiError::unprocessable(
            "api_key cannot be cleared; provide a new key to rotate it",
        ));
    }
    let changed = app.stores.run(move |stores| {
        stores.connections.change(&id, |connection| {
            connection.updated_at = now();
            if let Patch::Value(name) = request.display_name {
                connection.display_name = name;
            }
            if let Patch::Value(provider) = request.provider {
                connection.provider = provider;
            }
            if let Patch::Value(key) = request.api_key {
                connection.api_key = Some(key);
            }
            if let Some(url) = request.base_url.into_change() {
                connection.base_url = url;
            }
        })
    });
    Ok(Reply(shown(changed.await?)))
}

async fn delete(
    State(app): State<Arc<App>>,
    Path(path): Path<ProviderConnectionPath>,
) -> Result<Reply<ProviderConnectionResponse>, ApiError> {
    let deleted = app
        .stores
        .run(move |stores| stores.delete_connection(&path.connection_id))
        .await?;
    Ok(Reply(ProviderConnectionResponse {
        api_key_set: false,
        ..shown(deleted)
    }))
}

fn shown(connection: StoredProviderConnection) -> ProviderConnectionResponse {
    ProviderConnectionResponse {
        api_key_set: is_set(connection.api_key.as_ref()),
        id: connection.id,
        display_name: connection.display_name,
        provider: connection.provider,
        base_url: connection.base_url,
        created_at: connection.created_at,
        updated_at: connection.updated_at,
        ..ProviderConnectionResponse::default()
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    elapsed.map_or(0, |elapsed| {
        i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
    })
}
