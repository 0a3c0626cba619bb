//! The secrets of a conversation.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream;
use indexmap::IndexMap;
use openhands_process::is_variable_name;
use openhands_protocol::Secret;
use openhands_protocol::secrets::{
    LookupSecret, SecretInput, SecretRegistry, SecretSource, StaticSecret,
};
use openhands_protocol::tool::Action;
use parking_lot::Mutex;

use crate::mcp::variables_in_arguments;

use crate::secrets::lookup::Lookup;
use crate::secrets::mask::Masker;
use crate::secrets::resolved::Entry;

/// How many values are fetched at a time.
const FETCHES_AT_ONCE: usize = 8;

/// Names and sources of secrets, and the values as far as they are known. Clones share them.
#[derive(Clone)]
pub struct Registry(Arc<Shared>);

struct Shared {
    lookup: Option<Arc<dyn Lookup>>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    entries: IndexMap<String, Entry>,
    /// Made on demand, and anew after a value has changed.
    masker: Option<Masker>,
}

/// What the prompt says about a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretInfo {
    /// Under which it is in the environment.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.0.known.lock().entries.keys().cloned().collect();
        f.debug_struct("Registry")
            .field("names", &names)
            .finish_non_exhaustive()
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new(SecretRegistry::default(), None)
    }
}

impl Registry {
    /// The secrets of a conversation's state. Without a lookup, secrets that are kept elsewhere have no value.
    pub fn new(state: SecretRegistry, lookup: Option<Arc<dyn Lookup>>) -> Self {
        let registry = Self(Arc::new(Shared {
            lookup,
            known: Mutex::default(),
        }));
        let sources = state.secret_sources.into_iter();
        registry.merge(sources.map(|(name, source)| (name, SecretInput::Source(source))));
        registry
    }

    /// Adds secrets. One of the same name is replaced, but its old value stays hidden.
    pub fn merge(&self, secrets: impl IntoIterator<Item = (String, SecretInput)>) {
        let mut known = self.0.known.lock();
        known.masker = None;
        for (name, input) in secrets {
            let source = match input {
                SecretInput::Plain(value) => SecretSource::Static(StaticSecret {
                    value: Some(value),
                    ..StaticSecret::default()
                }),
                SecretInput::Source(source) => source,
            };
            if let Some(entry) = known.entries.get_mut(&name) {
                entry.replace(source);
            } else {
                let entry = Entry::new(&name, source);
                known.entries.insert(name, entry);
            }
        }
    }

    /// Whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.0.known.lock().entries.is_empty()
    }

    /// Names and descriptions for the prompt, in the order in which they came.
    pub fn infos(&self) -> Vec<SecretInfo> {
        let known = self.0.known.lock();
        let infos = known.entries.iter().map(|(name, entry)| SecretInfo {
            name: name.clone(),
            description: match &entry.source {
                SecretSource::Static(secret) => secret.description.clone(),
                SecretSource::Lookup(secret) => secret.description.clone(),
                SecretSource::Unknown(raw) => raw
                    .body()
                    .get("description")
                    .and_then(|text| text.as_str())
                    .map(str::to_owned),
            },
        });
        infos.collect()
    }

    /// The sources, for the state of the conversation.
    pub fn export(&self) -> SecretRegistry {
        let known = self.0.known.lock();
        let sources = known.entries.iter();
        SecretRegistry {
            secret_sources: sources
                .map(|(name, entry)| (name.clone(), entry.source.clone()))
                .collect(),
            ..SecretRegistry::default()
        }
    }

    /// The value of one secret. A value that is kept elsewhere is fetched if it is unknown or older than a minute;
    /// the last known one stands in when that fails.
    pub async fn value(&self, name: &str) -> Option<Secret> {
        self.refresh(|entry_name, entry| entry_name == name && entry.is_due())
            .await;
        let known = self.0.known.lock();
        known.entries.get(name)?.value().cloned()
    }

    /// The values of all secrets, for a program that gets its whole environment at once.
    pub async fn all_values(&self) -> Vec<(String, Secret)> {
        self.refresh(|_, entry| entry.is_due()).await;
        let known = self.0.known.lock();
        let values = known.entries.iter();
        values
            .filter_map(|(name, entry)| Some((name.clone(), entry.value()?.clone())))
            .collect()
    }

    /// The variables that a command gets: the secrets whose names are in it, in any case and at any place. Names that
    /// cannot be those of variables are left out.
    pub async fn env_for_command(&self, command: &str) -> Vec<(String, Secret)> {
        if self.0.known.lock().entries.is_empty() {
            return Vec::new();
        }
        let command = command.to_lowercase();
        let is_meant = |name: &str, entry: &Entry| {
            command.contains(&entry.folded_name) && is_variable_name(name.as_ref())
        };
        self.refresh(|name, entry| is_meant(name, entry) && entry.is_due())
            .await;
        let known = self.0.known.lock();
        let meant = known
            .entries
            .iter()
            .filter(|(name, entry)| is_meant(name, entry));
        meant
            .filter_map(|(name, entry)| Some((name.clone(), entry.value()?.clone())))
            .collect()
    }

    /// The variables that an action gets: only a fresh command for the terminal and a cell get any.
    pub async fn env_for_action(&self, action: &Action) -> Vec<(String, Secret)> {
        if let Action::Terminal(terminal) = action
            && !terminal.is_input
            && !terminal.command.trim().is_empty()
        {
            return self.env_for_command(&terminal.command).await;
        }
        if let Action::IPython(cell) = action {
            return self.env_for_command(&cell.code).await;
        }
        let mut env = Vec::new();
        if let Action::McpTool(call) = action {
            for name in variables_in_arguments(&call.data) {
                if let Some(value) = self.value(&name).await {
                    env.push((name, value));
                }
            }
        }
        env
    }

    /// Hides all values. Those that are kept elsewhere and not known yet are fetched first: a value can be in an
    /// output although no command named it. For what is stored.
    pub async fn masker(&self) -> Masker {
        self.refresh(|_, entry| entry.is_unknown()).await;
        self.known_masker()
    }

    /// Hides the values that are known by now, without waiting. For what is only shown for the moment.
    pub fn known_masker(&self) -> Masker {
        let mut known = self.0.known.lock();
        if let Some(masker) = &known.masker {
            return masker.clone();
        }
        let masker = Masker::new(known.entries.values().flat_map(Entry::values));
        known.masker = Some(masker.clone());
        masker
    }

    /// Fetches the values of the entries that are due.
    async fn refresh(&self, due: impl Fn(&str, &Entry) -> bool) {
        let Some(lookup) = &self.0.lookup else {
            return;
        };
        let wanted: Vec<(String, LookupSecret)> = {
            let known = self.0.known.lock();
            let due = known
                .entries
                .iter()
                .filter(|(name, entry)| due(name, entry));
            due.filter_map(|(name, entry)| match &entry.source {
                SecretSource::Lookup(secret) => Some((name.clone(), secret.clone())),
                SecretSource::Static(_) | SecretSource::Unknown(_) => None,
            })
            .collect()
        };
        let fetches = wanted.into_iter().map(async |(name, secret)| {
            let value = match lookup.fetch(&secret).await {
                Ok(value) => Some(value),
                Err(error) => {
                    tracing::warn!(%name, %error, "the value of a secret cannot be fetched");
                    None
                }
            };
            self.learn(&name, &secret, value);
        });
        stream::iter(fetches)
            .buffer_unordered(FETCHES_AT_ONCE)
            .collect::<()>()
            .await;
    }

    fn learn(&self, name: &str, fetched: &LookupSecret, value: Option<Secret>) {
        let mut known = self.0.known.lock();
        let Some(entry) = known.entries.get_mut(name) else {
            return;
        };
        // The source may have been replaced meanwhile: then this is no longer its value.
        if matches!(&entry.source, SecretSource::Lookup(now) if now == fetched)
            && entry.learn(value)
        {
            known.masker = None;
        }
    }
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
