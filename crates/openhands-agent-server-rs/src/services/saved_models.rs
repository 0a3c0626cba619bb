//! Saved models and rules for conversations, and secrets that this server keeps itself.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::Secret;
use openhands_protocol::agent::MetaProfile;
use openhands_protocol::llm::Llm;
use openhands_protocol::secrets::LookupSecret;
use openhands_sdk_rs::conversation::{ProfileError, Profiles};
use openhands_sdk_rs::secrets::{HttpLookup, Lookup, LookupError};
use parking_lot::RwLock;
use reqwest::Url;

use crate::services::settings::Stores;
use crate::services::settings::error::StoreError;

/// Where the values of saved secrets are served.
const SECRETS_PATH: &str = "/api/settings/secrets/";

/// The saved models and rules, read at each use.
#[derive(Debug, Clone)]
pub(crate) struct SavedModels(pub(crate) Arc<Stores>);

impl Profiles for SavedModels {
    fn names(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async {
            let names = self.0.run(|stores| stores.llm_profiles.names()).await;
            let names =
                names.inspect_err(|error| tracing::warn!(%error, "saved models are not known"));
            names
                .unwrap_or_default()
                .iter()
                .map(ToString::to_string)
                .collect()
        })
    }

    fn load<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Llm, ProfileError>> {
        Box::pin(async move {
            let key = name.to_owned();
            let loaded = self
                .0
                .run(move |stores| stores.llm_profiles.load_usable(&key, &stores.connections));
            loaded.await.map_err(|error| profile_error(error, name))
        })
    }

    fn rule_names(&self) -> BoxFuture<'_, Vec<String>> {
        Box::pin(async {
            let names = self.0.run(|stores| stores.meta_profiles.names()).await;
            names
                .inspect_err(|error| tracing::warn!(%error, "saved rules are not known"))
                .unwrap_or_default()
        })
    }

    fn load_rules<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<MetaProfile, ProfileError>> {
        Box::pin(async move {
            let key = name.to_owned();
            let loaded = self
                .0
                .run(move |stores| stores.meta_profiles.load(&key))
                .await;
            loaded
                .map_err(|error| profile_error(error, name))?
                .ok_or_else(|| ProfileError::NotFound(name.to_owned()))
        })
    }
}

fn profile_error(error: StoreError, name: &str) -> ProfileError {
    match error {
        StoreError::NotFound(_) => ProfileError::NotFound(name.to_owned()),
        other => ProfileError::Invalid(other.to_string()),
    }
}

/// Fetches secrets. Those that this server keeps itself do not go over the network.
#[derive(Debug)]
pub(crate) struct SecretLookup {
    stores: Arc<Stores>,
    /// Where this server is reached, once that is known.
    own: RwLock<Option<Url>>,
    http: RwLock<Option<HttpLookup>>,
}

impl SecretLookup {
    /// Fetches with these stores.
    pub(crate) fn new(stores: Arc<Stores>) -> Self {
        Self {
            stores,
            own: RwLock::new(None),
            http: RwLock::new(None),
        }
    }

    /// Says where this server is reached, such as `http://127.0.0.1:8000`.
    pub(crate) fn set_own_address(&self, url: &str) {
        *self.own.write() = Url::parse(url).ok();
        *self.http.write() = HttpLookup::new(Some(url)).ok();
    }

    /// The name of a secret of this server, if the address is one that it serves itself.
    fn own_secret(&self, url: &str) -> Option<String> {
        let own = self.own.read();
        let own = own.as_ref()?;
        // An address without a host is one of this server.
        let url = own.join(url).ok()?;
        let is_own = url.scheme() == own.scheme()
            && url.port_or_known_default() == own.port_or_known_default()
            && (url.host_str() == own.host_str() || is_loopback(&url) && is_loopback(own));
        let name = url.path().strip_prefix(SECRETS_PATH)?;
        (is_own && !name.is_empty() && !name.contains('/')).then(|| name.to_owned())
    }

    async fn look_up(&self, secret: &LookupSecret) -> Result<Secret, LookupError> {
        if let Some(name) = self.own_secret(&secret.url) {
            let value = self
                .stores
                .run(move |stores| stores.secrets.value(&name))
                .await;
            // What is not there gets the same answer as from outside.
            if let Ok(Some(value)) = value {
                return Ok(value);
            }
        }
        let http = self.http.read().clone();
        let http = match http {
            Some(http) => http,
            None => HttpLookup::new(None)?,
        };
        http.fetch(secret).await
    }
}

fn is_loopback(url: &Url) -> bool {
    matches!(
        url.host_str(),
        Some("127.0.0.1" | "localhost" | "[::1]" | "::1")
    )
}

impl Lookup for SecretLookup {
    fn fetch<'a>(&'a self, secret: &'a LookupSecret) -> BoxFuture<'a, Result<Secret, LookupError>> {
        Box::pin(self.look_up(secret))
    }
}

#[cfg(test)]
#[path = "saved_models_tests.rs"]
mod tests;
