//! Shared credentials for a provider.

use crate::patch::Patch;
use crate::secret::Secret;
use crate::wire::wire;

wire! {
    /// A connection to save.
    pub struct ProviderConnectionCreateRequest {
        display_name: String,
        provider: String = "custom".to_owned(),
        api_key: Secret,
        base_url: Option<String> = None,
    }

    /// Changes to a connection.
    pub struct ProviderConnectionUpdateRequest (default) {
        display_name when present: Patch<String> = Patch::Absent,
        provider when present: Patch<String> = Patch::Absent,
        api_key when present: Patch<Secret> = Patch::Absent,
        base_url when present: Patch<String> = Patch::Absent,
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
