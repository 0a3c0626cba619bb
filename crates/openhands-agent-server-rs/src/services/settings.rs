//! What the server keeps for its user: settings, secrets, saved models and agents, shared credentials.
//!
//! ```text
//! settings.json, secrets.json             settings_store, secrets_store
//! profiles/, agent-profiles/              llm_profiles, agent_profiles
//! provider-connections/, meta-profiles/   provider_connections, meta_profiles (only read)
//! ```
//!
//! The files are the reference's, byte for byte where that matters, and both servers can work on them at once: each
//! directory has a lock file, and a file is replaced whole. All of it blocks; [`Stores::run`] goes where that is allowed.

pub(crate) mod active_agent;
pub(crate) mod agent_profiles;
pub(crate) mod agent_settings;
mod canonical_llm;
pub(crate) mod error;
pub(crate) mod llm_input;
pub(crate) mod llm_profiles;
mod locked;
mod merge;
pub(crate) mod meta_profiles;
pub(crate) mod migrate;
mod migrate_mcp;
pub(crate) mod names;
mod pointers;
pub(crate) mod profile_input;
pub(crate) mod provider_connections;
mod python_json;
pub(crate) mod schemas;
pub(crate) mod sealing;
pub(crate) mod secrets_store;
pub(crate) mod settings_store;
pub(crate) mod shell_words;
pub(crate) mod tool_selection;

use std::path::Path;
use std::sync::Arc;

use openhands_sdk_rs::secrets::Cipher;

use agent_profiles::AgentProfiles;
use error::StoreError;
use llm_profiles::LlmProfiles;
use meta_profiles::MetaProfiles;
use provider_connections::ProviderConnections;
use sealing::Sealing;
use secrets_store::SecretsStore;
use settings_store::SettingsStore;

/// All stores of a server.
#[derive(Debug)]
pub(crate) struct Stores {
    pub(crate) sealing: Sealing,
    pub(crate) settings: SettingsStore,
    pub(crate) secrets: SecretsStore,
    pub(crate) llm_profiles: LlmProfiles,
    pub(crate) agent_profiles: AgentProfiles,
    pub(crate) meta_profiles: MetaProfiles,
    pub(crate) connections: ProviderConnections,
}

impl Stores {
    /// The stores below a directory. What an earlier key sealed is sealed anew.
    pub(crate) async fn open(directory: &Path, cipher: Option<Cipher>) -> Arc<Self> {
        let sealing = Sealing::new(cipher);
        let stores = Arc::new(Self {
            settings: SettingsStore::new(directory, sealing.clone()),
            secrets: SecretsStore::new(directory, sealing.clone()),
            llm_profiles: LlmProfiles::new(directory, sealing.clone()),
            agent_profiles: AgentProfiles::new(directory),
            meta_profiles: MetaProfiles::new(directory),
            connections: ProviderConnections::new(directory, sealing.clone()),
            sealing,
        });
        let resealed =
            stores.run(|stores| Ok((stores.settings.reseal()?, stores.secrets.reseal()?)));
        match resealed.await {
            Ok((false, false)) => {}
            Ok(_) => tracing::info!("secrets of an earlier key were sealed with the current one"),
            // They can be read nevertheless.
            Err(error) => tracing::error!(%error, "secrets of an earlier key stay as they are"),
        }
        stores
    }

    /// Works with the stores where blocking is allowed. A caller that goes away does not stop the work.
    pub(crate) async fn run<R: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let stores = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&stores));
        done.await
            .unwrap_or_else(|error| Err(StoreError::Io(std::io::Error::other(error))))
    }
}
