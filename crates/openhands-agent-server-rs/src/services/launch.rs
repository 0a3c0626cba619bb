//! What a conversation is started with: an agent out of a request, out of settings, or out of a saved agent.
//!
//! ```text
//! agent ─────────────────────────────────────┐
//! agent_settings ──► agent_settings ──► build ├──► finish (time, memory, additions) ──► Launch
//! agent_profile_id ──► resolve (references) ──┘
//! ```
//!
//! A saved agent is resolved when a conversation is started and never again: what is changed later concerns later
//! conversations.

mod build;
mod error;
mod finish;
mod preview;
mod resolve;

use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::agent::{Agent, AgentSpec, LaunchedAgentProfile};
use openhands_protocol::conversation::StartConversationRequest;
use openhands_protocol::secrets::{SecretInput, SecretSource, StaticSecret};
use openhands_protocol::settings::{AgentSettings, StoredSettings};
use openhands_protocol::{Form, Reading};
use openhands_sdk_rs::Host;
use openhands_sdk_rs::skills::SkillSources;
use openhands_sdk_rs::tools::Registry;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::services::settings::sealing::Sealing;
use crate::services::settings::tool_selection::BROWSER;
use crate::services::settings::{Stores, agent_settings};

pub(crate) use error::LaunchError;
pub(crate) use finish::append_suffix;

/// Resolves what conversations are started with.
#[derive(Debug)]
pub(crate) struct Launches {
    stores: Arc<Stores>,
    skills: SkillSources,
    registry: Registry,
    has_browser: bool,
}

/// What a conversation is started with.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// The agent.
    pub(crate) agent: Agent,
    /// The secrets that the agent may use, opened: those of its context, and over them those of the request.
    pub(crate) secrets: IndexMap<String, SecretSource>,
    /// The saved agent that it came from.
    pub(crate) launched_profile: Option<LaunchedAgentProfile>,
}

/// An agent before what depends on the moment is put in.
struct Source {
    agent: Agent,
    launched_profile: Option<LaunchedAgentProfile>,
}

impl Launches {
    /// Resolves with these stores, and with skills and tools as conversations have them.
    pub(crate) fn new(stores: Arc<Stores>, host: &Host, wants_browser: bool) -> Self {
        Self {
            stores,
            skills: host.skills.clone(),
            has_browser: wants_browser
                && host.registry.knows(BROWSER)
                && openhands_sdk_rs::tools::browser::tool::is_usable(host.env.clone()),
            registry: host.registry.clone(),
        }
    }

    /// Whether agents may have a browser, and there is one.
    pub(crate) fn has_browser(&self) -> bool {
        self.has_browser
    }

    /// What a conversation is started with that a client asks for.
    pub(crate) async fn resolve(
        &self,
        request: &StartConversationRequest,
    ) -> Result<Launch, LaunchError> {
        let sealing = self.sealing(request)?;
        let settings = self.settings().await;
        let source = self.source(request, &settings, &sealing).await?;
        let mut given = opened(&request.secrets, &sealing)?;
        if let Some(allowed) = source
            .launched_profile
            .as_ref()
            .and_then(|profile| profile.secret_refs.as_ref())
        {
            given.retain(|name, _| allowed.contains(name));
        }
        let mut secrets = of_context(&source.agent);
        secrets.extend(given);
        let additions = request.agent_launch_additions.as_ref();
        Ok(Launch {
            agent: finish::finish(source.agent, additions, loads_memory(&settings)),
            secrets,
            launched_profile: source.launched_profile,
        })
    }

    async fn source(
        &self,
        request: &StartConversationRequest,
        settings: &StoredSettings,
        sealing: &Sealing,
    ) -> Result<Source, LaunchError> {
        if let Some(id) = request.agent_profile_id {
            let additions = request.agent_launch_additions.as_ref();
            let llm = additions.and_then(|additions| additions.llm_profile_ref.clone());
            let profile = self.saved(id).await?;
            return self.source_of_profile(&profile, settings, llm).await;
        }
        let agent = match (&request.agent, &request.agent_settings) {
            (Some(agent), _) => match opened(agent, sealing)? {
                AgentSpec::Agent(agent) => agent,
                AgentSpec::Acp(_) => return Err(LaunchError::External),
                AgentSpec::Unknown(raw) => {
                    return Err(LaunchError::value(format!("Unknown kind '{}'", raw.kind())));
                }
            },
            (None, Some(members)) => {
                // A limit that was left out is the model's; a null is no limit.
                let inherits_limit = build::inherits_limit(members);
                let read = agent_settings::read(members.0.clone(), sealing);
                match read.map_err(LaunchError::value)? {
                    AgentSettings::OpenHands(settings) => {
                        build::agent(settings, inherits_limit, self.has_browser)
                    }
                    AgentSettings::Acp(_) => return Err(LaunchError::External),
                    AgentSettings::Unknown(raw) => {
                        return Err(LaunchError::value(format!(
                            "Unknown agent_kind '{}'",
                            raw.kind()
                        )));
                    }
                }
            }
            (None, None) => return Err(LaunchError::value(error::NO_SOURCE)),
        };
        Ok(Source {
            agent,
            launched_profile: None,
        })
    }

    /// With what the secrets of a request are opened: nothing, unless it says that they are sealed.
    fn sealing(&self, request: &StartConversationRequest) -> Result<Sealing, LaunchError> {
        if !request.secrets_encrypted {
            return Ok(Sealing::default());
        }
        match self.stores.sealing.cipher() {
            Some(_) => Ok(self.stores.sealing.clone()),
            None => Err(LaunchError::NoKey),
        }
    }

    /// The settings. Requests that need nothing of them must not fail with them.
    async fn settings(&self) -> StoredSettings {
        let loaded = self.stores.run(|stores| stores.settings.load()).await;
        loaded.unwrap_or_else(|error| {
            tracing::warn!(%error, "the settings cannot be read: a conversation starts without them");
            StoredSettings::default()
        })
    }
}

/// The secrets that an agent brings with it.
fn of_context(agent: &Agent) -> IndexMap<String, SecretSource> {
    let context = agent.agent_context.as_ref();
    let secrets = context.and_then(|context| context.secrets.as_ref());
    let source = |secret: &SecretInput| match secret {
        SecretInput::Source(source) => source.clone(),
        SecretInput::Plain(value) => SecretSource::Static(StaticSecret {
            value: Some(value.clone()),
            ..StaticSecret::default()
        }),
    };
    secrets
        .into_iter()
        .flatten()
        .map(|(name, secret)| (name.clone(), source(secret)))
        .collect()
}

fn loads_memory(settings: &StoredSettings) -> bool {
    let context = match &settings.agent_settings {
        AgentSettings::OpenHands(settings) => settings.agent_context.as_ref(),
        AgentSettings::Acp(settings) => settings.agent_context.as_ref(),
        AgentSettings::Unknown(_) => None,
    };
    context.is_some_and(|context| context.load_memory)
}

/// The same value with its secrets opened.
fn opened<T: Serialize + DeserializeOwned + Clone>(
    value: &T,
    sealing: &Sealing,
) -> Result<T, LaunchError> {
    if sealing.cipher().is_none() {
        return Ok(value.clone());
    }
    let plain = Form::PEER.to_value(value);
    let opening = sealing.opening(Reading::lenient());
    plain
        .and_then(|plain| opening.reading.from_value(plain))
        .map_err(|error| LaunchError::value(error.to_string()))
}
