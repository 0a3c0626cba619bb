//! Changes that concern several stores: what points at something must find it.

use openhands_protocol::llm::StoredProviderConnection;
use openhands_protocol::settings::{AgentSettings, StoredSettings};
use serde_json::Value;

use crate::services::settings::Stores;
use crate::services::settings::error::StoreError;
use crate::services::settings::names::canonical;
use crate::services::settings::provider_connections::not_found;
use crate::services::settings::settings_store::{Changes, plain};

impl Stores {
    /// Changes the settings. A saved model that becomes the active one is taken into them. `check` looks at the
    /// settings under their lock first.
    pub(crate) fn change_settings(
        &self,
        mut changes: Changes,
        check: impl FnOnce(&StoredSettings) -> Result<(), StoreError>,
    ) -> Result<StoredSettings, StoreError> {
        if let Some(Some(id)) = &changes.active_agent_profile_id {
            self.require_agent(id)?;
        }
        if let Some(Some(name)) = &changes.active_meta_profile
            && self.meta_profiles.load(name)?.is_none()
        {
            return Err(StoreError::NotFound(format!(
                "Meta-profile '{name}' not found"
            )));
        }
        let has_llm = changes
            .agent
            .as_ref()
            .is_some_and(|agent| agent.contains_key("llm"));
        let llm = match &changes.active_profile {
            Some(Some(name)) if !has_llm && !name.is_empty() => {
                Some(self.llm_profiles.load_usable(name, &self.connections)?)
            }
            _ => None,
        };
        let (settings, ()) = self.settings.update(|settings| {
            check(settings)?;
            if let Some(llm) = &llm {
                let agent = changes.agent.take().unwrap_or_default();
                let kind = agent.get("agent_kind").and_then(Value::as_str);
                let is_acp = kind.unwrap_or(settings.agent_settings.kind()) == "acp";
                let mut agent = (!agent.is_empty()).then_some(agent);
                if !is_acp {
                    let llm = Value::Object(plain(llm)?);
                    agent.get_or_insert_default().insert("llm".to_owned(), llm);
                }
                changes.agent = agent;
            }
            changes.apply(settings, &self.sealing)
        })?;
        Ok(settings)
    }

    /// Refuses an id that no saved agent has.
    pub(crate) fn require_agent(&self, id: &str) -> Result<(), StoreError> {
        match self.agent_profiles.lock()?.name_of(id)? {
            Some(_) => Ok(()),
            None => Err(StoreError::NotFound(format!(
                "Agent profile with id '{id}' not found"
            ))),
        }
    }

    /// Makes a saved model that of the settings. Tells whether they have a model at all.
    pub(crate) fn activate_llm(&self, name: &str) -> Result<bool, StoreError> {
        let llm = self.llm_profiles.load_usable(name, &self.connections)?;
        let (_, is_applied) = self.settings.update(|settings| {
            settings.active_profile = Some(canonical(name).to_owned());
            match &mut settings.agent_settings {
                AgentSettings::OpenHands(agent) => {
                    agent.llm = llm;
                    Ok(true)
                }
                AgentSettings::Acp(_) | AgentSettings::Unknown(_) => Ok(false),
            }
        })?;
        Ok(is_applied)
    }

    /// Lets the settings follow a saved model that got another name, or is gone.
    pub(crate) fn rename_active_llm(
        &self,
        name: &str,
        new_name: Option<&str>,
    ) -> Result<(), StoreError> {
        let is_active = |settings: &StoredSettings| {
            let active = settings.active_profile.as_deref();
            active.is_some_and(|active| canonical(active) == canonical(name))
        };
        if !is_active(&self.settings.load()?) {
            return Ok(());
        }
        self.settings.update(|settings| {
            if is_active(settings) {
                settings.active_profile = new_name.map(|name| canonical(name).to_owned());
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Removes shared credentials, unless something refers to them.
    pub(crate) fn delete_connection(
        &self,
        id: &str,
    ) -> Result<StoredProviderConnection, StoreError> {
        if self.connections.get(id)?.is_none() {
            return Err(not_found(id));
        }
        let profiles = self.llm_profiles.list(&self.connections)?.into_iter();
        let names: Vec<String> = profiles
            .filter(|info| info.provider_connection_id.as_deref() == Some(id))
            .map(|info| info.name)
            .collect();
        let settings = self.settings.load()?;
        let is_active = match &settings.agent_settings {
            AgentSettings::OpenHands(agent) => {
                agent.llm.provider_connection_id.as_deref() == Some(id)
            }
            AgentSettings::Acp(_) | AgentSettings::Unknown(_) => false,
        };
        let mut reasons = Vec::new();
        if !names.is_empty() {
            reasons.push(format!(
                "referenced by LLM profile(s): {}",
                names.join(", ")
            ));
        }
        if is_active {
            reasons.push("referenced by the active agent settings".to_owned());
        }
        if reasons.is_empty() {
            return self.connections.delete(id);
        }
        Err(StoreError::Conflict(format!(
            "Provider connection cannot be deleted while it is {}. Update those references before deleting it.",
            reasons.join(" and ")
        )))
    }
}
