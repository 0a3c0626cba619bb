//! A saved agent and all that it refers to.

use std::collections::HashSet;

use indexmap::IndexMap;
use openhands_protocol::agent::{
    AgentContext, AgentProfile, LaunchedAgentProfile, MetaProfile, OpenHandsAgentProfile,
};
use openhands_protocol::llm::Llm;
use openhands_protocol::mcp::McpServer;
use openhands_protocol::settings::{
    AgentSettings, OpenHandsAgentSettings, StoredSettings, VerificationSettings,
};
use openhands_protocol::skills::Skill;
use openhands_protocol::{AgentProfileId, Extra, UtcTime};
use openhands_sdk_rs::skills::{DEFAULT_MARKETPLACE, Loaded, load_user};
use tokio_util::sync::CancellationToken;

use super::error::{LaunchError, Unresolved};
use super::{Launches, Source, build};
use crate::services::settings::error::StoreError;
use crate::services::settings::{Stores, tool_selection};

/// What a saved agent refers to, as far as it is there.
#[derive(Debug, Default)]
pub(super) struct References {
    pub(super) llm: Option<Llm>,
    pub(super) servers: IndexMap<String, McpServer>,
    pub(super) rules: Option<MetaProfile>,
    pub(super) rule_llms: IndexMap<String, Llm>,
    pub(super) unresolved: Unresolved,
}

impl Launches {
    /// The saved agent with this id.
    pub(super) async fn saved(&self, id: AgentProfileId) -> Result<AgentProfile, LaunchError> {
        let missing = || LaunchError::NotFound(format!("Agent profile with id '{id}' not found"));
        let loaded = self.stores.run(move |stores| {
            let agents = stores.agent_profiles.lock()?;
            match agents.name_of(&id.to_string())? {
                Some(name) => agents.load(&name),
                None => Ok(None),
            }
        });
        match loaded.await {
            Ok(profile) => profile.ok_or_else(missing),
            Err(StoreError::Busy(_)) => {
                Err(LaunchError::Busy("Agent profile store is busy".to_owned()))
            }
            Err(error) => Err(LaunchError::Store(format!(
                "Could not load agent profile: {error}"
            ))),
        }
    }

    /// The agent that a saved one describes. `llm` names another saved model than its own.
    pub(super) async fn source_of_profile(
        &self,
        profile: &AgentProfile,
        settings: &StoredSettings,
        llm: Option<String>,
    ) -> Result<Source, LaunchError> {
        let profile = match profile {
            AgentProfile::OpenHands(profile) => profile,
            AgentProfile::Acp(_) if llm.is_some() => {
                return Err(LaunchError::Invalid(
                    "agent_launch_additions.llm_profile_ref applies only to an OpenHands Agent Profile".to_owned(),
                ));
            }
            AgentProfile::Acp(_) => return Err(LaunchError::External),
            AgentProfile::Unknown(raw) => {
                return Err(LaunchError::Invalid(format!(
                    "Unsupported agent kind '{}'",
                    raw.kind()
                )));
            }
        };
        let resolved = self.resolved(profile, settings, llm.as_deref()).await?;
        Ok(Source {
            // A saved agent says what its limit is, be it none.
            agent: build::agent(resolved, false, self.has_browser),
            launched_profile: Some(LaunchedAgentProfile {
                agent_profile_id: profile.id,
                revision: profile.revision,
                secret_refs: profile.secret_refs.clone(),
                llm_profile_ref: llm,
                extra: Extra::EMPTY,
            }),
        })
    }

    /// Settings in which everything is that a saved agent refers to.
    pub(super) async fn resolved(
        &self,
        profile: &OpenHandsAgentProfile,
        settings: &StoredSettings,
        llm: Option<&str>,
    ) -> Result<OpenHandsAgentSettings, LaunchError> {
        let references = self.references(profile, settings, llm).await?;
        let (Some(llm), true) = (references.llm, references.unresolved.is_empty()) else {
            return Err(LaunchError::Unresolved(references.unresolved));
        };
        let skills = self.skills_of(profile).await;
        let mut tools = profile.tools.clone();
        if let Some(tools) = &mut tools {
            tool_selection::scope_sub_agents(tools);
        }
        Ok(OpenHandsAgentSettings {
            agent: profile.agent.clone(),
            // Who watches wants to see it; without watchers nothing is lost.
            llm: Llm {
                stream: true,
                ..llm
            },
            tools,
            enable_classify_and_switch_llm_tool: profile.enable_classify_and_switch_llm_tool,
            active_meta_profile: profile.meta_profile_ref.clone(),
            meta_profile: references.rules,
            meta_profile_llms: references.rule_llms,
            tool_concurrency_limit: profile.tool_concurrency_limit,
            mcp_config: references.servers,
            persona: profile.persona.clone(),
            agent_context: Some(AgentContext {
                skills,
                system_message_suffix: profile.system_message_suffix.clone(),
                // Those of the user and the public ones are in the list; those of the project are not known yet.
                load_project_skills: true,
                disabled_skills: profile.disabled_skills.clone(),
                current_datetime: Some(UtcTime::now().to_string()),
                ..AgentContext::default()
            }),
            condenser: profile.condenser.clone(),
            verification: verification(profile, settings),
            ..OpenHandsAgentSettings::default()
        })
    }

    /// What a saved agent refers to. Only a store that cannot be read is an error.
    pub(super) async fn references(
        &self,
        profile: &OpenHandsAgentProfile,
        settings: &StoredSettings,
        llm: Option<&str>,
    ) -> Result<References, LaunchError> {
        let llm = llm.unwrap_or(&profile.llm_profile_ref).to_owned();
        let rules = profile
            .meta_profile_ref
            .clone()
            .filter(|_| profile.enable_classify_and_switch_llm_tool);
        let mut found = References::default();
        let (servers, _, missing) = servers(settings, profile.mcp_server_refs.as_deref());
        found.servers = servers;
        found.unresolved.servers = missing;
        let stores = std::sync::Arc::clone(&self.stores);
        // The stores block; what is found in them is a value.
        let loaded = tokio::task::spawn_blocking(move || load(&stores, found, &llm, rules));
        loaded
            .await
            .unwrap_or_else(|error| Err(LaunchError::Store(error.to_string())))
    }

    /// The user's skills and the public ones, as far as a saved agent wants them.
    pub(super) async fn skills_of(&self, profile: &OpenHandsAgentProfile) -> Vec<Skill> {
        let cancel = CancellationToken::new();
        let user = match &self.skills.user {
            Some(user) => load_user(user).await,
            None => Loaded::default(),
        };
        let public = match &self.skills.public {
            Some(public) => public.load(Some(DEFAULT_MARKETPLACE), &cancel).await,
            None => Loaded::default(),
        };
        let own: HashSet<String> = user.skills.iter().map(|skill| skill.name.clone()).collect();
        let wants_public = |name: &String| {
            let wanted = profile.public_skills.as_ref();
            wanted.is_none_or(|wanted| wanted.contains(name))
        };
        let mut all = user;
        all.append(public);
        let mut skills = all.skills;
        skills.retain(|skill| {
            !profile.disabled_skills.contains(&skill.name)
                && (own.contains(&skill.name) || wants_public(&skill.name))
        });
        skills
    }
}

/// The servers of the settings that a saved agent may use, their names, and the names that lead nowhere.
pub(super) fn servers(
    settings: &StoredSettings,
    refs: Option<&[String]>,
) -> (IndexMap<String, McpServer>, Vec<String>, Vec<String>) {
    let all = match &settings.agent_settings {
        AgentSettings::OpenHands(settings) => &settings.mcp_config,
        AgentSettings::Acp(settings) => &settings.mcp_config,
        AgentSettings::Unknown(_) => &IndexMap::new(),
    };
    let Some(refs) = refs else {
        return (all.clone(), all.keys().cloned().collect(), Vec::new());
    };
    let mut found = IndexMap::new();
    let mut missing = Vec::new();
    for name in refs {
        match all.get(name) {
            Some(server) => {
                found.insert(name.clone(), server.clone());
            }
            None if !missing.contains(name) => missing.push(name.clone()),
            None => {}
        }
    }
    let names = found.keys().cloned().collect();
    (found, names, missing)
}

/// Loads the models, and the rules with their models.
fn load(
    stores: &Stores,
    mut found: References,
    llm: &str,
    rules: Option<String>,
) -> Result<References, LaunchError> {
    found.llm = saved_llm(stores, llm)?;
    if found.llm.is_none() {
        found.unresolved.llm = Some(llm.to_owned());
    }
    let Some(name) = rules else {
        return Ok(found);
    };
    let rules = stores.meta_profiles.load(&name).map_err(|error| {
        LaunchError::Store(format!("Could not load meta-profile '{name}': {error}"))
    })?;
    let Some(rules) = rules else {
        found.unresolved.rules = Some(name);
        return Ok(found);
    };
    let named = rules.classes.iter().map(|class| &class.model);
    for name in std::iter::once(&rules.classifier_model).chain(named) {
        if found.rule_llms.contains_key(name) || found.unresolved.rule_llms.contains(name) {
            continue;
        }
        match saved_llm(stores, name)? {
            Some(llm) => {
                found.rule_llms.insert(name.clone(), llm);
            }
            None => found.unresolved.rule_llms.push(name.clone()),
        }
    }
    if rules.prompt_template.is_some() {
        // A prompt may choose any saved model; one that cannot be used is not there to be chosen.
        let names = stores.llm_profiles.names();
        for name in names.map_err(|error| busy_or(error, "Could not list LLM profiles"))? {
            if !found.rule_llms.contains_key(name.as_str())
                && let Ok(Some(llm)) = saved_llm(stores, name.as_str())
            {
                found.rule_llms.insert(name.to_string(), llm);
            }
        }
    }
    found.rules = Some(rules);
    Ok(found)
}

/// A saved model that can be used; none if there is none of the name.
fn saved_llm(stores: &Stores, name: &str) -> Result<Option<Llm>, LaunchError> {
    match stores.llm_profiles.load_usable(name, &stores.connections) {
        Ok(llm) => Ok(Some(llm)),
        Err(StoreError::NotFound(_)) => Ok(None),
        Err(StoreError::Dangling(problem)) => Err(LaunchError::Invalid(format!(
            "LLM profile '{name}': {problem}"
        ))),
        Err(error) => Err(busy_or(
            error,
            &format!("Could not load LLM profile '{name}'"),
        )),
    }
}

fn busy_or(error: StoreError, what: &str) -> LaunchError {
    match error {
        StoreError::Busy(_) => LaunchError::Busy("LLM profile store is busy".to_owned()),
        other => LaunchError::Store(format!("{what}: {other}")),
    }
}

/// How the work is judged: as the saved agent says, with the key of the settings.
fn verification(
    profile: &OpenHandsAgentProfile,
    settings: &StoredSettings,
) -> VerificationSettings {
    let own = &profile.verification;
    let key = match &settings.agent_settings {
        AgentSettings::OpenHands(settings) => settings.verification.critic_api_key.clone(),
        AgentSettings::Acp(_) | AgentSettings::Unknown(_) => None,
    };
    VerificationSettings {
        critic_enabled: own.critic_enabled,
        critic_mode: own.critic_mode.clone(),
        enable_iterative_refinement: own.enable_iterative_refinement,
        critic_threshold: own.critic_threshold,
        max_refinement_iterations: own.max_refinement_iterations,
        critic_server_url: own.critic_server_url.clone(),
        critic_model_name: own.critic_model_name.clone(),
        critic_api_key: key,
        extra: Extra::EMPTY,
    }
}
