//! `agent-profiles/`: agents that the user saved by name. They hold references, and no secrets.

use std::path::Path;

use openhands_protocol::agent::{AgentProfile, AgentProfileInfo};
use openhands_protocol::{AgentProfileId, Form, Names, Nulls, Secrets};
use serde_json::{Map, Value};

use crate::services::settings::error::StoreError;
use crate::services::settings::llm_profiles::syntax;
use crate::services::settings::locked::{Held, LockedDirectory};
use crate::services::settings::names::{ProfileName, canonical};
use crate::services::settings::profile_input;

const DIRECTORY: &str = "agent-profiles";
const LOCK: &str = ".agent-profiles.lock";
/// How many may be saved.
const MAX_PROFILES: usize = 50;

/// The saved agents of this server. All methods block.
#[derive(Debug)]
pub(crate) struct AgentProfiles {
    directory: LockedDirectory,
}

/// The right to change the saved agents.
#[derive(Debug)]
pub(crate) struct LockedProfiles<'a>(Held<'a>);

impl AgentProfiles {
    /// Agents below a directory.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            directory: LockedDirectory::new(root.join(DIRECTORY), LOCK, "Profile store"),
        }
    }

    /// Waits for its turn.
    pub(crate) fn lock(&self) -> Result<LockedProfiles<'_>, StoreError> {
        self.directory.lock().map(LockedProfiles)
    }
}

impl LockedProfiles<'_> {
    /// All that is saved, sorted. Files that cannot be used are left out.
    pub(crate) fn list(&self) -> Result<Vec<AgentProfileInfo>, StoreError> {
        let mut infos = Vec::new();
        for name in self.0.profiles()? {
            let Some(profile) = self.raw(&name)? else {
                continue;
            };
            let text = |member: &str| {
                profile
                    .get(member)
                    .and_then(Value::as_str)
                    .map(str::to_owned)
            };
            let agent_kind = text("agent_kind").unwrap_or_else(|| "openhands".to_owned());
            let refs = profile.get("mcp_server_refs").cloned().unwrap_or_default();
            infos.push(AgentProfileInfo {
                id: text("id"),
                name: name.to_string(),
                revision: profile.get("revision").and_then(Value::as_i64),
                llm_profile_ref: text("llm_profile_ref").filter(|_| agent_kind == "openhands"),
                agent_kind,
                mcp_server_refs: serde_json::from_value(refs).unwrap_or_default(),
                ..AgentProfileInfo::default()
            });
        }
        Ok(infos)
    }

    /// The name of the agent with this id.
    pub(crate) fn name_of(&self, id: &str) -> Result<Option<String>, StoreError> {
        let mut infos = self.list()?.into_iter();
        let found = infos.find(|info| info.id.as_deref() == Some(id));
        Ok(found.map(|info| info.name))
    }

    /// A saved agent; none if there is none of the name.
    pub(crate) fn load(&self, name: &str) -> Result<Option<AgentProfile>, StoreError> {
        let key = ProfileName::parse(name)?;
        let Some(text) = self.0.read(&key.file())? else {
            return Ok(None);
        };
        let unreadable = |problem: String| {
            StoreError::Unreadable(format!("Failed to load profile `{name}`: {problem}"))
        };
        let members = serde_json::from_slice(&text)
            .map_err(syntax)
            .map_err(unreadable)?;
        profile_input::stored(members).map(Some).map_err(unreadable)
    }

    /// Saves an agent under its name. Its id stays that of the one that it takes the place of, or is a fresh one.
    pub(crate) fn save(&self, mut profile: AgentProfile) -> Result<AgentProfile, StoreError> {
        let name = ProfileName::parse(name_of(&profile))?;
        let earlier = self.raw(&name)?;
        let is_new = !self.0.has(&name.file());
        if is_new && self.0.profiles()?.len() >= MAX_PROFILES {
            return Err(StoreError::Conflict(format!(
                "Agent profile limit reached ({MAX_PROFILES}). Delete a profile before saving a new one."
            )));
        }
        let member = |member: &str| earlier.as_ref().and_then(|earlier| earlier.get(member));
        let id: Option<AgentProfileId> = member("id")
            .and_then(Value::as_str)
            .and_then(|id| id.parse().ok());
        let revision = member("revision").and_then(Value::as_i64).unwrap_or(0) + 1;
        let (own_name, own_id, own_revision) = match &mut profile {
            AgentProfile::OpenHands(profile) => {
                (&mut profile.name, &mut profile.id, &mut profile.revision)
            }
            AgentProfile::Acp(profile) => {
                (&mut profile.name, &mut profile.id, &mut profile.revision)
            }
            AgentProfile::Unknown(_) => return Err(StoreError::Invalid),
        };
        name.as_str().clone_into(own_name);
        *own_id = id.unwrap_or_else(AgentProfileId::random);
        if id.is_some() {
            *own_revision = revision;
        }
        self.0.write(&name.file(), &to_json(&profile)?)?;
        Ok(profile)
    }

    /// Removes a saved agent. One that is not there is removed already.
    pub(crate) fn delete(&self, name: &str) -> Result<(), StoreError> {
        self.0.remove(&ProfileName::parse(name)?.file())?;
        Ok(())
    }

    /// Gives a saved agent another name; its id stays.
    pub(crate) fn rename(&self, name: &str, new_name: &str) -> Result<(), StoreError> {
        let (from, to) = (ProfileName::parse(name)?, ProfileName::parse(new_name)?);
        let Some(text) = self.0.read(&from.file())? else {
            return Err(not_found(name));
        };
        if from == to {
            return Ok(());
        }
        if self.0.has(&to.file()) {
            return Err(StoreError::Exists(format!(
                "Agent profile '{new_name}' already exists"
            )));
        }
        let mut profile: Map<String, Value> = serde_json::from_slice(&text).map_err(|error| {
            StoreError::Unreadable(format!(
                "Failed to load profile `{name}`: {}",
                syntax(error)
            ))
        })?;
        profile.insert("name".to_owned(), to.as_str().into());
        self.0.write(&to.file(), &Value::Object(profile))?;
        self.0.remove(&from.file())?;
        Ok(())
    }

    /// The agents that need a saved model.
    pub(crate) fn referring_to(&self, llm: &ProfileName) -> Result<Vec<ProfileName>, StoreError> {
        let infos = self.list()?.into_iter();
        let referring = infos.filter(|info| {
            let reference = info.llm_profile_ref.as_deref();
            reference.is_some_and(|reference| canonical(reference) == llm.as_str())
        });
        referring
            .map(|info| ProfileName::parse(&info.name))
            .collect()
    }

    /// Lets the agents that need a saved model find it under its new name. Nothing else of them changes.
    pub(crate) fn follow(&self, from: &ProfileName, to: &ProfileName) -> Result<(), StoreError> {
        for name in self.referring_to(from)? {
            if let Some(mut profile) = self.raw(&name)? {
                profile.insert("llm_profile_ref".to_owned(), to.as_str().into());
                self.0.write(&name.file(), &Value::Object(profile))?;
            }
        }
        Ok(())
    }

    /// The members of a file; none if there is no file, or it cannot be used.
    fn raw(&self, name: &ProfileName) -> Result<Option<Map<String, Value>>, StoreError> {
        let Some(text) = self.0.read(&name.file())? else {
            return Ok(None);
        };
        let members = serde_json::from_slice(&text);
        if let Err(error) = &members {
            tracing::warn!(%name, %error, "a saved agent cannot be used");
        }
        Ok(members.ok())
    }
}

/// The name of a saved agent.
pub(crate) fn name_of(profile: &AgentProfile) -> &str {
    match profile {
        AgentProfile::OpenHands(profile) => &profile.name,
        AgentProfile::Acp(profile) => &profile.name,
        AgentProfile::Unknown(raw) => raw
            .body()
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default(),
    }
}

/// A saved agent as JSON, in files and answers.
pub(crate) fn to_json(profile: &AgentProfile) -> Result<Value, StoreError> {
    let form = Form::new(Nulls::Keep, Secrets::Stars, Names::Internal);
    let json = form.to_value(profile);
    json.map_err(|error| std::io::Error::other(error).into())
}

/// There is no such agent.
pub(crate) fn not_found(name: &str) -> StoreError {
    StoreError::NotFound(format!("Agent profile '{name}' not found"))
}
