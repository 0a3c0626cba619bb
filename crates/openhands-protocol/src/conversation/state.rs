//! The state of a conversation: `base_state.json`, and the `full_state` update on sockets.

use indexmap::IndexMap;

use crate::agent::AgentSpec;
use crate::conversation::{ConversationStats, ExecutionStatus};
use crate::hooks::HookConfig;
use crate::ids::{ConversationId, EventId};
use crate::json::JsonObject;
use crate::secrets::SecretRegistry;
use crate::security::{ConfirmationPolicy, SecurityAnalyzer};
use crate::wire::wire;
use crate::workspace::Workspace;

wire! {
    /// All that a conversation needs besides its events in order to go on.
    pub struct ConversationState {
        id: ConversationId,
        agent: AgentSpec,
        workspace: Workspace,
        persistence_dir: Option<String> = Some("workspace/conversations".to_owned()),
        max_iterations: i64 = 500,
        stuck_detection: bool = true,
        execution_status: ExecutionStatus = ExecutionStatus::Idle,
        confirmation_policy: ConfirmationPolicy = ConfirmationPolicy::default(),
        security_analyzer: Option<Box<SecurityAnalyzer>> = None,
        activated_knowledge_skills: Vec<String> = Vec::new(),
        activated_path_rules: Vec<String> = Vec::new(),
        invoked_skills: Vec<String> = Vec::new(),
        /// Why an action is not allowed to run, by action.
        blocked_actions: IndexMap<EventId, String> = IndexMap::new(),
        /// Why a message is not allowed to go on, by message.
        blocked_messages: IndexMap<EventId, String> = IndexMap::new(),
        last_user_message_id: Option<EventId> = None,
        /// The head of the event tree.
        leaf_event_id: Option<EventId> = None,
        /// The head is before all events, not at the last one.
        head_is_empty: bool = false,
        stats: ConversationStats = ConversationStats::default(),
        secret_registry: SecretRegistry = SecretRegistry::default(),
        tags: IndexMap<String, String> = IndexMap::new(),
        agent_state: JsonObject = JsonObject::new(),
        hook_config: Option<Box<HookConfig>> = None,
    }
}
