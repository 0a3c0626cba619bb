//! Shared credentials for a provider.

use serde_json::{Map, Value};

use crate::patch::Patch;
use crate::secret::{STARS, Secret};
use crate::wire::wire;

wire! {
    /// A connection to save.
    pub struct ProviderConnectionCreateRequest (closed) {
        display_name in [min_length(1) max_length(128)]: String,
        provider in [min_length(1) max_length(128)]: String = "custom".to_owned(),
        api_key in [min_length(1) check(usable_key)]: Secret,
        base_url in [max_length(2048)]: Option<String> = None,
    }

    /// Changes to a connection.
    pub struct ProviderConnectionUpdateRequest (default, closed, after) {
        display_name when present in [min_length(1) max_length(128)]: Patch<String> = Patch::Absent,
        provider when present in [min_length(1) max_length(128)]: Patch<String> = Patch::Absent,
        api_key when present in [check(usable_key)]: Patch<Secret> = Patch::Absent,
        base_url when present in [max_length(2048)]: Patch<String> = Patch::Absent,
    }

    /// A saved connection, without its key.
    pub struct ProviderConnectionResponse (default) {
        id: String,
        display_name: String,
        provider: String,
        base_url: Option<String> = None,
        created_at: i64,
        updated_at: i64,
        api_key_set: bool = false,
    }
}

wire! {
    /// Which connection.
    pub struct ProviderConnectionPath (default) {
        connection_id: String,
    }
}

wire! {
    /// A connection as its file holds it.
    pub struct StoredProviderConnection (default) {
        id: String,
        display_name: String,
        provider: String,
        api_key: Option<Secret> = None,
        base_url: Option<String> = None,
        created_at: i64,
        updated_at: i64,
    }

    /// `provider_connections.json`.
    pub struct StoredProviderConnections (default) {
        schema_version: i64 = 1,
        connections: Vec<StoredProviderConnection> = Vec::new(),
    }
}

/// A key that can be used: a blank or masked one would wipe the stored one.
fn usable_key(key: &Value) -> Result<(), String> {
    match key.as_str() {
        Some(text) if text.trim().is_empty() || text == STARS => {
            Err("api_key must be a real key, not blank or redacted".to_owned())
        }
        _ => Ok(()),
    }
}

impl ProviderConnectionUpdateRequest {
    fn after(members: &Map<String, Value>) -> Result<(), String> {
        match ["display_name", "provider"]
            .into_iter()
            .find(|name| members.get(*name).is_some_and(Value::is_null))
        {
            Some(name) => Err(format!("{name} cannot be set to null")),
            None => Ok(()),
        }
    }
}
