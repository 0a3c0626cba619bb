//! The active agent profile: there is always one, made of the settings if need be.

use openhands_protocol::agent::{
    AcpAgentProfile, AgentProfile, OpenHandsAgentProfile, ProfileVerificationSettings,
};
use openhands_protocol::llm::{Llm, LlmAuthType};
use openhands_protocol::settings::{
    AcpAgentSettings, AgentSettings, OpenHandsAgentSettings, StoredSettings, VerificationSettings,
};
use openhands_protocol::{AgentProfileId, Extra};

use crate::services::settings::agent_profiles::LockedProfiles;
use crate::services::settings::error::StoreError;
use crate::services::settings::sealing::is_set;
use crate::services::settings::{Stores, agent_settings, shell_words};

/// The name of the profile that is made of the settings, and of the model profile that goes with it.
const SEED: &str = "default";

impl Stores {
    /// Lets the active profile be one that is there: `default`, which is made of the settings if it is missing.
    pub(crate) fn ensure_active_agent(&self) -> Result<(), StoreError> {
        // Held to the end, so that callers at the same time make one profile and agree on it.
        let agents = self.agent_profiles.lock()?;
        let settings = self.settings.load()?;
        if let Some(active) = &settings.active_agent_profile_id
            && agents.name_of(active)?.is_some()
        {
            return Ok(());
        }
        let Some(id) = self.agent_to_activate(&agents, &settings)? else {
            return Ok(());
        };
        self.settings.update(|settings| {
            settings.active_agent_profile_id = Some(id);
            Ok(())
        })?;
        Ok(())
    }

    /// The id of `default`, or if that cannot be had, of the first profile.
    fn agent_to_activate(
        &self,
        agents: &LockedProfiles<'_>,
        settings: &StoredSettings,
    ) -> Result<Option<String>, StoreError> {
        match agents.load(SEED) {
            Ok(Some(profile)) => return Ok(id_of(&profile)),
            Ok(None) => match agents.save(self.seed(settings)?) {
                Ok(profile) => return Ok(id_of(&profile)),
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(error),
            },
            Err(StoreError::Unreadable(problem)) => {
                tracing::warn!(problem, "the agent profile `{SEED}` cannot be used");
            }
            Err(error) => return Err(error),
        }
        let mut others = agents.list()?.into_iter();
        let first = others.find(|info| info.name != SEED && info.id.is_some());
        Ok(first.and_then(|info| info.id))
    }

    /// A profile that behaves as the settings do.
    fn seed(&self, settings: &StoredSettings) -> Result<AgentProfile, StoreError> {
        match &settings.agent_settings {
            AgentSettings::OpenHands(agent) => {
                let active = settings
                    .active_profile
                    .as_deref()
                    .filter(|name| !name.is_empty());
                if active.is_none() {
                    self.seed_llm(&agent.llm)?;
                }
                Ok(openhands_seed(agent, active.unwrap_or(SEED)))
            }
            AgentSettings::Acp(agent) => Ok(acp_seed(agent)),
            AgentSettings::Unknown(_) => Err(StoreError::Invalid),
        }
    }

    /// Saves the model of the settings as `default`, if somebody has set it up and the name is free.
    fn seed_llm(&self, llm: &Llm) -> Result<(), StoreError> {
        let is_set_up = is_set(llm.api_key.as_ref())
            || llm.is_subscription
            || llm.auth_type == LlmAuthType::Subscription
            || llm
                .base_url
                .as_ref()
                .is_some_and(|url| !url.trim().is_empty());
        match self.llm_profiles.load(SEED) {
            Err(StoreError::NotFound(_)) if is_set_up => {
                match self.llm_profiles.save(SEED, llm.clone(), true) {
                    Err(StoreError::Conflict(problem)) => {
                        tracing::warn!(problem, "the model of the settings is not saved");
                        Ok(())
                    }
                    done => done,
                }
            }
            // It is there, or nobody has chosen a model yet.
            Ok(_) | Err(StoreError::NotFound(_) | StoreError::Unreadable(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes a saved agent. If it was the active one, `default` is from now on, and settings of an external agent
    /// do not outlive it.
    pub(crate) fn delete_agent(&self, name: &str) -> Result<(), StoreError> {
        let deleted = {
            let agents = self.agent_profiles.lock()?;
            let key = crate::services::settings::names::canonical(name);
            let mut infos = agents.list()?.into_iter();
            let id = infos.find(|info| info.name == key).and_then(|info| info.id);
            agents.delete(name)?;
            id
        };
        let Some(deleted) = deleted else {
            return Ok(());
        };
        if self.settings.load()?.active_agent_profile_id.as_ref() != Some(&deleted) {
            return Ok(());
        }
        self.settings.update(|settings| {
            settings.active_agent_profile_id = None;
            if let AgentSettings::Acp(agent) = &settings.agent_settings {
                // The servers belong to all agents.
                let mcp_config = agent.mcp_config.clone();
                settings.agent_settings = match agent_settings::default_settings() {
                    AgentSettings::OpenHands(agent) => {
                        AgentSettings::OpenHands(OpenHandsAgentSettings {
                            mcp_config,
                            ..agent
                        })
                    }
                    other => other,
                };
            }
            Ok(())
        })?;
        self.ensure_active_agent()
    }
}

fn id_of(profile: &AgentProfile) -> Option<String> {
    match profile {
        AgentProfile::OpenHands(profile) => Some(profile.id.to_string()),
        AgentProfile::Acp(profile) => Some(profile.id.to_string()),
        AgentProfile::Unknown(_) => None,
    }
}

fn openhands_seed(agent: &OpenHandsAgentSettings, llm: &str) -> AgentProfile {
    let context = agent.agent_context.as_ref();
    AgentProfile::OpenHands(OpenHandsAgentProfile {
        schema_version: 4,
        id: AgentProfileId::random(),
        name: SEED.to_owned(),
        revision: 0,
        mcp_server_refs: None,
        secret_refs: None,
        llm_profile_ref: llm.to_owned(),
        agent: agent.agent.clone(),
        tools: agent.tools.clone(),
        persona: agent.persona.clone(),
        system_message_suffix: context.and_then(|context| context.system_message_suffix.clone()),
        disabled_skills: context.map_or_else(Vec::new, |context| context.disabled_skills.clone()),
        public_skills: None,
        condenser: agent.condenser.clone(),
        verification: without_key(&agent.verification),
        enable_classify_and_switch_llm_tool: agent.enable_classify_and_switch_llm_tool,
        meta_profile_ref: agent.active_meta_profile.clone(),
        tool_concurrency_limit: agent.tool_concurrency_limit,
        extra: Extra::EMPTY,
    })
}

fn acp_seed(agent: &AcpAgentSettings) -> AgentProfile {
    AgentProfile::Acp(AcpAgentProfile {
        schema_version: 4,
        id: AgentProfileId::random(),
        name: SEED.to_owned(),
        revision: 0,
        mcp_server_refs: None,
        secret_refs: None,
        acp_server: agent.acp_server.clone(),
        acp_model: agent.acp_model.clone(),
        acp_session_mode: agent.acp_session_mode.clone(),
        acp_prompt_timeout: agent.acp_prompt_timeout,
        acp_startup_timeout: agent.acp_startup_timeout,
        acp_command: (!agent.acp_command.is_empty()).then(|| shell_words::join(&agent.acp_command)),
        acp_args: (!agent.acp_args.is_empty()).then(|| agent.acp_args.clone()),
        extra: Extra::EMPTY,
    })
}

/// How the work is judged, without the key to the judge.
fn without_key(verification: &VerificationSettings) -> ProfileVerificationSettings {
    ProfileVerificationSettings {
        critic_enabled: verification.critic_enabled,
        critic_mode: verification.critic_mode.clone(),
        enable_iterative_refinement: verification.enable_iterative_refinement,
        critic_threshold: verification.critic_threshold,
        max_refinement_iterations: verification.max_refinement_iterations,
        critic_server_url: verification.critic_server_url.clone(),
        critic_model_name: verification.critic_model_name.clone(),
        extra: Extra::EMPTY,
    }
}
