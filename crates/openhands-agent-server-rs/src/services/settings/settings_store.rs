//! `settings.json`: how new agents and conversations are made.

use std::path::Path;

use openhands_protocol::schema::Described;
use openhands_protocol::settings::{AgentSettings, ConversationSettings, StoredSettings};
use openhands_protocol::{Form, JsonObject, Names, Nulls, Reading, Secrets};
use serde_json::{Map, Value};

use crate::http::check_part;
use crate::services::settings::agent_settings;
use crate::services::settings::error::StoreError;
use crate::services::settings::locked::{LockedDirectory, read_if_there};
use crate::services::settings::merge;
use crate::services::settings::sealing::{Sealing, is_set};

const FILE: &str = "settings.json";
const LOCK: &str = ".settings.lock";
const TITLE: &str = "Settings";
/// The version of the file that is written now.
const VERSION: i64 = 6;
const CONVERSATION_VERSION: i64 = 1;

/// The settings of this server. All methods block.
#[derive(Debug)]
pub(crate) struct SettingsStore {
    directory: LockedDirectory,
    sealing: Sealing,
}

impl SettingsStore {
    /// Settings in a directory.
    pub(crate) fn new(directory: &Path, sealing: Sealing) -> Self {
        Self {
            directory: LockedDirectory::new(directory.to_owned(), LOCK, "Settings store"),
            sealing,
        }
    }

    /// The settings. A file that cannot be used reads as defaults; only the disk itself can fail.
    pub(crate) fn load(&self) -> Result<StoredSettings, StoreError> {
        let Some(text) = read_if_there(&self.directory.path().join(FILE))? else {
            return Ok(defaults());
        };
        Ok(self.parse(&text).map_or_else(
            |problem| {
                tracing::error!(problem, "the settings file cannot be used: defaults are");
                defaults()
            },
            |(settings, _)| settings,
        ))
    }

    /// Changes the settings under the lock. A file that cannot be used whole is not overwritten.
    pub(crate) fn update<R>(
        &self,
        change: impl FnOnce(&mut StoredSettings) -> Result<R, StoreError>,
    ) -> Result<(StoredSettings, R), StoreError> {
        let held = self.directory.lock()?;
        let mut settings = match held.read(FILE)? {
            None => defaults(),
            Some(text) => match self.parse(&text) {
                Ok((settings, false)) => settings,
                Ok((_, true)) => return Err(StoreError::Corrupt(TITLE)),
                Err(problem) => {
                    tracing::error!(
                        problem,
                        "the settings file cannot be used: nothing is written"
                    );
                    return Err(StoreError::Corrupt(TITLE));
                }
            },
        };
        let result = change(&mut settings)?;
        held.write(FILE, &self.to_file(&settings)?)?;
        Ok((settings, result))
    }

    /// Seals with the current key what an earlier one sealed. Tells whether there was any.
    pub(crate) fn reseal(&self) -> Result<bool, StoreError> {
        let held = self.directory.lock()?;
        let Some(text) = held.read(FILE)? else {
            return Ok(false);
        };
        let is_stale = serde_json::from_slice(&text).is_ok_and(|file| self.sealing.is_stale(&file));
        match self.parse(&text) {
            Ok((settings, false)) if is_stale => {
                held.write(FILE, &self.to_file(&settings)?)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn to_file(&self, settings: &StoredSettings) -> Result<Value, StoreError> {
        let file = self.sealing.to_file(Nulls::Keep, settings);
        file.map_err(|error| std::io::Error::other(error).into())
    }

    /// The settings in a text, and whether a secret in it could not be opened. The error is for the log.
    fn parse(&self, text: &[u8]) -> Result<(StoredSettings, bool), String> {
        let mut file: Map<String, Value> =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        match file.get("schema_version") {
            None | Some(Value::Null) => {}
            Some(version) => match version.as_i64() {
                Some(version) if version <= VERSION => {}
                _ => return Err(format!("schema_version {version} is not known")),
            },
        }
        file.insert("schema_version".to_owned(), VERSION.into());
        let agent = match file.shift_remove("agent_settings") {
            None => None,
            Some(Value::Object(agent)) => Some(agent),
            Some(_) => return Err("agent_settings is no object".to_owned()),
        };
        let mut settings: StoredSettings = Reading::lenient()
            .coercing()
            .from_value(Value::Object(file))
            .map_err(|error| error.to_string())?;
        let opening = self.sealing.opening(Reading::lenient());
        settings.agent_settings = match agent {
            None => agent_settings::default_settings(),
            Some(agent) => agent_settings::read_stored(agent, &opening)?,
        };
        Ok((settings, opening.lost_any()))
    }
}

fn defaults() -> StoredSettings {
    StoredSettings {
        agent_settings: agent_settings::default_settings(),
        ..StoredSettings::default()
    }
}

/// Whether the agent's model has a key of its own.
pub(crate) fn llm_api_key_is_set(settings: &AgentSettings) -> bool {
    match settings {
        AgentSettings::OpenHands(settings) => is_set(settings.llm.api_key.as_ref()),
        AgentSettings::Acp(_) | AgentSettings::Unknown(_) => false,
    }
}

/// Changes to the settings, as a client sends them.
#[derive(Debug, Clone, Default)]
#[allow(
    clippy::option_option,
    reason = "what is left out and what is cleared differ"
)]
pub(crate) struct Changes {
    /// Merged into the agent settings.
    pub(crate) agent: Option<Map<String, Value>>,
    /// Merged into the conversation settings.
    pub(crate) conversation: Option<Map<String, Value>>,
    /// Merged into what belongs to the client.
    pub(crate) misc: Option<Map<String, Value>>,
    /// The active model profile; none within clears it.
    pub(crate) active_profile: Option<Option<String>>,
    /// The active agent profile; none within clears it.
    pub(crate) active_agent_profile_id: Option<Option<String>>,
    /// The active rules for choosing a model; none within clears them.
    pub(crate) active_meta_profile: Option<Option<String>>,
}

impl Changes {
    /// Whether nothing is to be changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.agent.is_none()
            && self.conversation.is_none()
            && self.misc.is_none()
            && self.active_profile.is_none()
            && self.active_agent_profile_id.is_none()
            && self.active_meta_profile.is_none()
    }

    /// Applies the changes, all or none.
    pub(crate) fn apply(
        self,
        settings: &mut StoredSettings,
        sealing: &Sealing,
    ) -> Result<(), StoreError> {
        let agent = self
            .agent
            .map(|changes| patched(&settings.agent_settings, changes, sealing))
            .transpose()?;
        let conversation = self
            .conversation
            .map(|changes| merged(&settings.conversation_settings, changes))
            .transpose()?;
        if let Some(agent) = agent {
            settings.agent_settings = agent;
        }
        if let Some(conversation) = conversation {
            settings.conversation_settings = conversation;
        }
        if let Some(misc) = self.misc {
            merge::merge(&mut settings.misc_settings, misc);
        }
        if let Some(name) = self.active_profile {
            settings.active_profile = name;
        }
        if let Some(id) = self.active_agent_profile_id {
            settings.active_agent_profile_id = id;
        }
        if let Some(name) = self.active_meta_profile {
            settings.active_meta_profile.clone_from(&name);
            if let AgentSettings::OpenHands(agent) = &mut settings.agent_settings {
                agent.enable_classify_and_switch_llm_tool = name.is_some();
                agent.active_meta_profile = name;
            }
        }
        // An external agent chooses its model itself.
        if !matches!(settings.agent_settings, AgentSettings::OpenHands(_)) {
            settings.active_meta_profile = None;
        }
        Ok(())
    }
}

/// Agent settings with changes. Another kind of agent starts from its own defaults.
fn patched(
    settings: &AgentSettings,
    mut changes: Map<String, Value>,
    sealing: &Sealing,
) -> Result<AgentSettings, StoreError> {
    agent_settings::without_unknown(&mut changes);
    let kind = changes.get("agent_kind").and_then(Value::as_str);
    let mut base = match kind.filter(|kind| !kind.is_empty() && *kind != settings.kind()) {
        Some(kind) => Map::from_iter([("agent_kind".to_owned(), kind.into())]),
        None => plain(settings)?,
    };
    merge::patch(&mut base, changes);
    agent_settings::read(base, sealing).map_err(invalid)
}

fn merged(
    settings: &ConversationSettings,
    changes: Map<String, Value>,
) -> Result<ConversationSettings, StoreError> {
    let mut base = plain(settings)?;
    let known: Vec<String> = base.keys().cloned().collect();
    merge::merge(&mut base, changes);
    base.retain(|name, _| known.contains(name));
    match base.get("schema_version").and_then(Value::as_i64) {
        Some(0..=CONVERSATION_VERSION) => {
            base.insert("schema_version".to_owned(), CONVERSATION_VERSION.into());
        }
        _ => return Err(StoreError::Invalid),
    }
    let checked = check_part(ConversationSettings::schema(), Value::Object(base));
    let checked = checked.map_err(|_| invalid(""))?;
    Reading::lenient().from_value(checked).map_err(invalid)
}

pub(crate) fn plain(value: &impl serde::Serialize) -> Result<Map<String, Value>, StoreError> {
    let form = Form::new(Nulls::Keep, Secrets::Plain, Names::Internal);
    match form.to_value(value) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(StoreError::Invalid),
    }
}

/// The reason may quote a secret, so that not even the log gets it.
fn invalid(_: impl std::fmt::Display) -> StoreError {
    tracing::warn!("changes to the settings do not fit");
    StoreError::Invalid
}

/// The part of an answer that holds free-form settings.
pub(crate) fn answer(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => JsonObject(members),
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
#[path = "settings_store_tests.rs"]
mod tests;
