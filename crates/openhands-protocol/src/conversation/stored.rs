//! `meta.json`: how a conversation was started and what is shown about it.

use indexmap::IndexMap;

use crate::agent::{AgentDefinition, LaunchedAgentProfile};
use crate::conversation::{
    AgentLaunchAdditions, ClientToolSpec, ConversationContainerOptions,
    ConversationWorktreeOptions, SendMessageRequest,
};
use crate::hooks::HookConfig;
use crate::ids::{ConversationId, EventId, StoredConversationId};
use crate::json::{Json, JsonObject};
use crate::llm::MetricsSnapshot;
use crate::plugins::PluginSource;
use crate::secrets::SecretSource;
use crate::security::{ConfirmationPolicy, SecurityAnalyzer};
use crate::server::RuntimeKind;
use crate::time::UtcTime;
use crate::wire::wire;
use crate::workspace::LocalWorkspace;

wire! {
    /// The start request without its agent, and what came of it.
    pub struct StoredConversation {
        workspace: LocalWorkspace,
        worktree: bool = false,
        worktree_options: Option<ConversationWorktreeOptions> = None,
        conversation_id: Option<ConversationId> = None,
        parent_conversation_id: Option<ConversationId> = None,
        confirmation_policy: ConfirmationPolicy = ConfirmationPolicy::default(),
        security_analyzer: Option<Box<SecurityAnalyzer>> = None,
        initial_message: Option<SendMessageRequest> = None,
        max_iterations: i64 = 500,
        stuck_detection: bool = true,
        secrets: IndexMap<String, SecretSource> = IndexMap::new(),
        secrets_encrypted: bool = false,
        tool_module_qualnames: IndexMap<String, String> = IndexMap::new(),
        client_tools: Vec<ClientToolSpec> = Vec::new(),
        agent_launch_additions: Option<AgentLaunchAdditions> = None,
        agent_definitions: Vec<AgentDefinition> = Vec::new(),
        plugins: Option<Vec<PluginSource>> = None,
        hook_config: Option<Box<HookConfig>> = None,
        tags: IndexMap<String, String> = IndexMap::new(),
        user_id: Option<String> = None,
        observability_metadata: JsonObject = JsonObject::new(),
        observability_tags: Vec<String> = Vec::new(),
        observability_span_name: String = "conversation".to_owned(),
        observability_parent_span_context: Option<String> = None,
        autotitle: bool = true,
        title_llm_profile: Option<String> = None,
        prompt: Option<String> = None,
        conversation_runtime: Option<RuntimeKind> = None,
        container: Option<ConversationContainerOptions> = None,
        required_runtime_credential_bindings: Vec<Json> = Vec::new(),
        id: StoredConversationId,
        title: Option<String> = None,
        metrics: Option<Box<MetricsSnapshot>> = None,
        created_at: UtcTime = UtcTime::now(),
        updated_at: UtcTime = UtcTime::now(),
        forked_from_conversation_id: Option<ConversationId> = None,
        forked_from_event_id: Option<EventId> = None,
        launched_agent_profile: Option<LaunchedAgentProfile> = None,
    }

    /// `owner_lease.json`: which server may write the conversation.
    pub struct OwnerLease (default) {
        /// 32 hex digits.
        owner_instance_id: String,
        /// One more for each owner.
        generation: i64,
        /// Seconds since 1970.
        expires_at: f64,
        owner_host: String,
        owner_pid: i64,
    }
}
