//! Where the value of a secret comes from.

use indexmap::IndexMap;

use crate::schema::Telling;
use crate::secret::Secret;
use crate::secrets::SecretHeaders;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// A value that is kept here.
    pub struct StaticSecret ["kind" = "StaticSecret"] (default) {
        description: Option<String> = None,
        value: Option<Secret> = None,
    }

    /// A value that is fetched when it is needed.
    pub struct LookupSecret ["kind" = "LookupSecret"] (default) {
        description: Option<String> = None,
        url: String,
        headers: SecretHeaders = SecretHeaders::default(),
    }
}

union! {
    /// Where a value comes from.
    pub enum SecretSource by "kind" {
        Lookup(LookupSecret),
        Static(StaticSecret),
    }
    default Static(StaticSecret)
    told Telling::Class {
        path: "openhands.sdk.secret.secrets.SecretSource",
        default: None,
    }
}

wire! {
    /// Secrets of a conversation by name.
    pub struct SecretRegistry (default) {
        secret_sources: IndexMap<String, SecretSource> = IndexMap::new(),
    }
}
