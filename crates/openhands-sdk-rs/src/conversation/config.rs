//! What a new conversation is to be.

use std::path::PathBuf;

use indexmap::IndexMap;
use openhands_protocol::ConversationId;
use openhands_protocol::agent::{Agent, AgentDefinition};
use openhands_protocol::conversation::ClientToolSpec;
use openhands_protocol::hooks::HookConfig;
use openhands_protocol::secrets::SecretSource;
use openhands_protocol::security::{ConfirmationPolicy, SecurityAnalyzer};

use crate::agent::stuck::Thresholds;

/// What a new conversation is to be.
#[derive(Debug, Clone)]
pub struct ConversationConfig {
    /// Its id; a fresh one unless the caller chose it.
    pub id: ConversationId,
    /// The agent.
    pub agent: Agent,
    /// The directory in which it works.
    pub working_dir: PathBuf,
    /// How many steps a run may take.
    pub max_iterations: i64,
    /// Whether going in circles ends a run.
    pub stuck_detection: bool,
    /// Which actions wait for the user.
    pub confirmation_policy: ConfirmationPolicy,
    /// Who says how risky an action is.
    pub security_analyzer: Option<SecurityAnalyzer>,
    /// Values that commands may use and nobody sees.
    pub secrets: IndexMap<String, SecretSource>,
    /// Commands that run at certain moments.
    pub hook_config: Option<HookConfig>,
    /// Words to find it by.
    pub tags: IndexMap<String, String>,
    /// What is not kept with the conversation.
    pub unsaved: Unsaved,
}

/// What a conversation is given by its caller each time, because its state does not keep it.
#[derive(Debug, Clone, Default)]
pub struct Unsaved {
    /// How much money a run may cost, in US dollars.
    pub max_budget_per_run: Option<f64>,
    /// What counts as going in circles.
    pub stuck_thresholds: Thresholds,
    /// Tools that the client itself offers.
    pub client_tools: Vec<ClientToolSpec>,
    /// Sub-agents beyond the built-in ones.
    pub agent_definitions: Vec<AgentDefinition>,
    /// The conversation under whose key prompts are cached, if not its own: a sub-agent shares its parent's.
    pub cache_key: Option<ConversationId>,
    /// The conversation that a user began, if this one works for it as a sub-agent, at whatever depth.
    pub root: Option<ConversationId>,
}

impl ConversationConfig {
    /// A conversation with an agent in a directory, and the reference's defaults for all else.
    pub fn new(agent: Agent, working_dir: impl Into<PathBuf>) -> Self {
        Self {
            id: ConversationId::random(),
            agent,
            working_dir: working_dir.into(),
            max_iterations: 500,
            stuck_detection: true,
            confirmation_policy: ConfirmationPolicy::default(),
            security_analyzer: None,
            secrets: IndexMap::new(),
            hook_config: None,
            tags: IndexMap::new(),
            unsaved: Unsaved::default(),
        }
    }
}
