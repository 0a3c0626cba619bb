//! A conversation as the API shows it.

use indexmap::IndexMap;

use crate::agent::AcpModelInfo;
use crate::agent::AgentSpec;
use crate::agent::LaunchedAgentProfile;
use crate::conversation::ClientToolSpec;
use crate::conversation::ConversationRuntimeInfo;
use crate::conversation::ConversationStats;
use crate::conversation::ExecutionStatus;
use crate::hooks::HookConfig;
use crate::ids::ConversationId;
use crate::ids::EventId;
use crate::json::JsonObject;
use crate::llm::MetricsSnapshot;
use crate::secrets::SecretRegistry;
use crate::security::ConfirmationPolicy;
use crate::security::SecurityAnalyzer;
use crate::text::words;
use crate::time::UtcTime;
use crate::wire::wire;
use crate::workspace::Workspace;

wire! {
    /// A conversation.
    pub struct ConversationInfo {
        id: ConversationId,
        workspace: Workspace,
        persistence_dir: Option<String> = Some("workspace/conversations".to_owned()),
        max_iterations: i64 = 500,
        stuck_detection: bool = true,
        execution_status: ExecutionStatus = ExecutionStatus::Idle,
        confirmation_policy: ConfirmationPolicy = ConfirmationPolicy::default(),
        security_analyzer: Option<Box<SecurityAnalyzer>> = None,
        activated_knowledge_skills: Vec<String> = Vec::new(),
        invoked_skills: Vec<String> = Vec::new(),
        blocked_actions: IndexMap<EventId, String> = IndexMap::new(),
        blocked_messages: IndexMap<EventId, String> = IndexMap::new(),
        last_user_message_id: Option<EventId> = None,
        leaf_event_id: Option<EventId> = None,
        stats: ConversationStats = ConversationStats::default(),
        secret_registry: SecretRegistry = SecretRegistry::default(),
        agent_state: JsonObject = JsonObject::new(),
        hook_config: Option<Box<HookConfig>> = None,
        title: Option<String> = None,
        metrics: Option<Box<MetricsSnapshot>> = None,
        created_at: UtcTime = UtcTime::now(),
        updated_at: UtcTime = UtcTime::now(),
        forked_from_conversation_id: Option<ConversationId> = None,
        forked_from_event_id: Option<EventId> = None,
        parent_conversation_id: Option<ConversationId> = None,
        sub_conversation_ids: Vec<ConversationId> = Vec::new(),
        tags: IndexMap<String, String> = IndexMap::new(),
        current_model_id: Option<String> = None,
        available_models: Vec<AcpModelInfo> = Vec::new(),
        supports_runtime_model_switch: bool = false,
        launched_agent_profile: Option<LaunchedAgentProfile> = None,
        agent: AgentSpec,
        client_tools: Vec<ClientToolSpec> = Vec::new(),
        tool_module_qualnames: IndexMap<String, String> = IndexMap::new(),
        runtime_info: Option<ConversationRuntimeInfo> = None,
    }
}

words! {
    /// The order of a page.
    pub enum ConversationSortOrder {
        CreatedAt = "CREATED_AT",
        UpdatedAt = "UPDATED_AT",
        CreatedAtDesc = "CREATED_AT_DESC",
        UpdatedAtDesc = "UPDATED_AT_DESC",
    }
}

words! {
    /// The order of a page.
    pub enum EventSortOrder {
        Timestamp = "TIMESTAMP",
        TimestampDesc = "TIMESTAMP_DESC",
    }
}
