//! Secrets that the server keeps for all conversations.

use indexmap::IndexMap;

use crate::secret::Secret;
use crate::wire::wire;

wire! {
    /// A secret to save.
    pub struct SecretCreateRequest {
        name: String,
        value: Secret,
        description: Option<String> = None,
    }

    /// A saved secret, without its value.
    pub struct SecretItemResponse (default) {
        name: String,
        description: Option<String> = None,
    }

    /// All saved secrets.
    pub struct SecretsListResponse (default) {
        secrets: Vec<SecretItemResponse>,
    }
}

wire! {
    /// Which saved secret.
    pub struct SecretPath (default) {
        name: String,
    }

    /// Which saved secrets to list.
    pub struct SecretsQuery (default) {
        /// Only those that this saved agent may use.
        agent_profile_id: Option<String> = None,
    }

    /// A saved secret is gone.
    pub struct SecretDeletedResponse (default) {
        deleted: bool,
    }
}

wire! {
    /// A secret as its file holds it.
    pub struct StoredSecret (default) {
        name: String,
        secret: Option<Secret> = None,
        description: Option<String> = None,
    }

    /// `secrets.json`.
    pub struct StoredSecrets (default) {
        custom_secrets: IndexMap<String, StoredSecret> = IndexMap::new(),
        /// Tokens that tell versions of a value apart, by name.
        credential_versions as "_credential_versions" when some: Option<IndexMap<String, String>> = None,
    }
}
