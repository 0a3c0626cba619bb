//! `profiles/`: models that the user saved by name.

use std::path::Path;

use openhands_protocol::llm::{Llm, LlmAuthType, ProfileInfo, StoredProviderConnection};
use openhands_protocol::{Form, Names, Nulls, Reading, STARS, Secret, Secrets};
use serde_json::{Map, Value};

use crate::services::settings::agent_profiles::AgentProfiles;
use crate::services::settings::canonical_llm;
use crate::services::settings::error::StoreError;
use crate::services::settings::llm_input;
use crate::services::settings::locked::{Held, LockedDirectory};
use crate::services::settings::names::ProfileName;
use crate::services::settings::provider_connections::ProviderConnections;
use crate::services::settings::sealing::{Sealing, is_set};

const DIRECTORY: &str = "profiles";
const LOCK: &str = ".profiles.lock";
const VERSION: i64 = 1;
/// How many may be saved.
const MAX_PROFILES: usize = 50;

/// The saved models of this server. All methods block.
#[derive(Debug)]
pub(crate) struct LlmProfiles {
    directory: LockedDirectory,
    sealing: Sealing,
}

impl LlmProfiles {
    /// Models below a directory.
    pub(crate) fn new(root: &Path, sealing: Sealing) -> Self {
        Self {
            directory: LockedDirectory::new(root.join(DIRECTORY), LOCK, "Profile store"),
            sealing,
        }
    }

    /// All that is saved, sorted. Files that cannot be used are left out.
    pub(crate) fn list(
        &self,
        connections: &ProviderConnections,
    ) -> Result<Vec<ProfileInfo>, StoreError> {
        let held = self.directory.lock()?;
        let mut infos = Vec::new();
        let mut keys = None;
        for name in held.profiles()? {
            let Some(mut llm) = raw(&held, &name)? else {
                continue;
            };
            canonical_llm::canonicalize(&mut llm);
            let text = |member: &str| llm.get(member).and_then(Value::as_str).map(str::to_owned);
            let own = text("api_key").is_some_and(|key| !key.trim().is_empty() && key != STARS);
            let connection = text("provider_connection_id");
            let linked = match &connection {
                None => None,
                Some(id) => {
                    if keys.is_none() {
                        keys = Some(connections.keys()?);
                    }
                    Some(keys.as_ref().and_then(|keys| keys.get(id).copied()))
                }
            };
            infos.push(ProfileInfo {
                name: name.to_string(),
                model: text("model"),
                base_url: text("base_url"),
                provider_connection_id: connection,
                provider_connection_broken: linked == Some(None),
                api_key_set: own || linked.flatten().unwrap_or(false),
                ..ProfileInfo::default()
            });
        }
        Ok(infos)
    }

    /// The names of what is saved, sorted.
    pub(crate) fn names(&self) -> Result<Vec<ProfileName>, StoreError> {
        self.directory.lock()?.profiles()
    }

    /// A saved model as it is saved.
    pub(crate) fn load(&self, name: &str) -> Result<Llm, StoreError> {
        let key = ProfileName::parse(name)?;
        let text = self.directory.lock()?.read(&key.file())?;
        let text = text.ok_or_else(|| not_found(name))?;
        self.parse(&text).map_err(|problem| {
            StoreError::Unreadable(format!("Failed to load profile `{name}`: {problem}"))
        })
    }

    /// A saved model that can be used: with the key of the connection that it refers to.
    pub(crate) fn load_usable(
        &self,
        name: &str,
        connections: &ProviderConnections,
    ) -> Result<Llm, StoreError> {
        let llm = self.load(name)?;
        connect(llm, &format!("Profile '{name}'"), connections)
    }

    /// Saves a model, over one of the same name. A model that refers to a connection has no key of its own.
    pub(crate) fn save(
        &self,
        name: &str,
        mut llm: Llm,
        includes_secrets: bool,
    ) -> Result<(), StoreError> {
        let name = ProfileName::parse(name)?;
        if llm
            .provider_connection_id
            .as_deref()
            .is_some_and(|id| !id.is_empty())
        {
            llm.api_key = None;
            llm.base_url = None;
        }
        if llm.auth_type == LlmAuthType::Subscription {
            // All that belongs to a sign-in is made at each start.
            llm.api_key = None;
            llm.base_url = None;
            llm.extra_headers = None;
        }
        llm.fallback_strategy = None;
        llm.schema_version = Some(VERSION);
        let file = if includes_secrets {
            self.sealing.to_file(Nulls::Omit, &llm)
        } else {
            Form::new(Nulls::Omit, Secrets::Stars, Names::Internal).to_value(&llm)
        };
        let file = file.map_err(std::io::Error::other)?;
        let held = self.directory.lock()?;
        if !held.has(&name.file()) && held.profiles()?.len() >= MAX_PROFILES {
            return Err(StoreError::Conflict(format!(
                "Profile limit reached ({MAX_PROFILES}). Delete a profile before saving a new one."
            )));
        }
        held.write(&name.file(), &file)
    }

    /// Removes a saved model, unless an agent profile needs it. One that is not there is removed already.
    pub(crate) fn delete(&self, name: &str, agents: &AgentProfiles) -> Result<(), StoreError> {
        let key = ProfileName::parse(name)?;
        // Agent profiles are locked first, here and wherever both are.
        let agents = agents.lock()?;
        let referrers = agents.referring_to(&key)?;
        if !referrers.is_empty() {
            let names: Vec<&str> = referrers.iter().map(ProfileName::as_str).collect();
            return Err(StoreError::Conflict(format!(
                "LLM profile is referenced by {} agent profile(s): {}",
                names.len(),
                names.join(", ")
            )));
        }
        self.directory.lock()?.remove(&key.file())?;
        Ok(())
    }

    /// Gives a saved model another name, also in the agent profiles that need it.
    pub(crate) fn rename(
        &self,
        name: &str,
        new_name: &str,
        agents: &AgentProfiles,
    ) -> Result<(), StoreError> {
        let (from, to) = (ProfileName::parse(name)?, ProfileName::parse(new_name)?);
        let agents = agents.lock()?;
        {
            let held = self.directory.lock()?;
            if !held.has(&from.file()) {
                return Err(not_found(name));
            }
            if from == to {
                return Ok(());
            }
            if held.has(&to.file()) {
                return Err(StoreError::Exists(format!(
                    "Profile '{new_name}' already exists"
                )));
            }
            held.rename(&from.file(), &to.file())?;
        }
        agents.follow(&from, &to)
    }

    /// The model in a text. The error is a sentence, and quotes nothing of the text.
    fn parse(&self, text: &[u8]) -> Result<Llm, String> {
        let mut llm: Map<String, Value> = serde_json::from_slice(text).map_err(syntax)?;
        match llm.shift_remove("schema_version") {
            None | Some(Value::Null) => {}
            Some(version) => match version.as_i64() {
                Some(version) if version <= VERSION => {}
                Some(version) => {
                    return Err(format!(
                        "LLM profile schema_version {version} is newer than supported version {VERSION}"
                    ));
                }
                None => return Err("LLM profile schema_version must be an integer".to_owned()),
            },
        }
        canonical_llm::canonicalize(&mut llm);
        llm_input::settle(&mut llm)?;
        let opening = self.sealing.opening(Reading::lenient().coercing());
        let llm = opening.reading.from_value(Value::Object(llm));
        let mut llm: Llm = llm.map_err(|_| "it does not describe a model".to_owned())?;
        llm_input::drop_lost(&mut llm);
        Ok(llm)
    }
}

/// A model with the key of the connection that it refers to. `owner` is what refers to it, for the error.
pub(crate) fn connect(
    mut llm: Llm,
    owner: &str,
    connections: &ProviderConnections,
) -> Result<Llm, StoreError> {
    let Some(id) = llm
        .provider_connection_id
        .as_deref()
        .filter(|id| !id.is_empty())
    else {
        return Ok(llm);
    };
    match connections.get(id)? {
        Some(StoredProviderConnection {
            api_key, base_url, ..
        }) => {
            llm.base_url = base_url;
            if is_set(api_key.as_ref()) {
                llm.api_key = api_key;
            }
            Ok(llm)
        }
        None if is_set(llm.api_key.as_ref()) => Ok(llm),
        None => Err(StoreError::Dangling(format!(
            "{owner} references provider connection '{id}', which does not exist. \
             Update the profile or recreate the connection."
        ))),
    }
}

/// Whether a model has a key, be it that of a connection.
pub(crate) fn has_key(llm: &Llm, connections: &ProviderConnections) -> Result<bool, StoreError> {
    if is_set(llm.api_key.as_ref()) {
        return Ok(true);
    }
    let Some(id) = llm
        .provider_connection_id
        .as_deref()
        .filter(|id| !id.is_empty())
    else {
        return Ok(false);
    };
    let key = connections
        .get(id)?
        .and_then(|connection| connection.api_key);
    Ok(key.as_ref().and_then(Secret::expose).is_some())
}

fn not_found(name: &str) -> StoreError {
    StoreError::NotFound(format!("Profile '{name}' not found"))
}

/// The members of a file; none if it cannot be used.
fn raw(held: &Held<'_>, name: &ProfileName) -> Result<Option<Map<String, Value>>, StoreError> {
    let Some(text) = held.read(&name.file())? else {
        return Ok(None);
    };
    let members = serde_json::from_slice(&text);
    if let Err(error) = &members {
        tracing::warn!(%name, %error, "a saved model cannot be used");
    }
    Ok(members.ok())
}

/// What is wrong with a text that is no object.
#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub(crate) fn syntax(error: serde_json::Error) -> String {
    if error.is_data() {
        "it is no JSON object".to_owned()
    } else {
        error.to_string()
    }
}

#[cfg(test)]
#[path = "llm_profiles_tests.rs"]
mod tests;
