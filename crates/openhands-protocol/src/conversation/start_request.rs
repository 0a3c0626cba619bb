//! How a conversation is started.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::agent::AgentDefinition;
use crate::agent::AgentSpec;
use crate::conversation::SendMessageRequest;
use crate::conversation::rules;
use crate::hooks::HookConfig;
use crate::ids::AgentProfileId;
use crate::ids::ConversationId;
use crate::json::JsonObject;
use crate::plugins::PluginSource;
use crate::secrets::SecretSource;
use crate::security::ConfirmationPolicy;
use crate::security::SecurityAnalyzer;
use crate::server::RuntimeKind;
use crate::skills::Skill;
use crate::text::words;
use crate::tool::ToolAnnotations;
use crate::wire::wire;
use crate::workspace::LocalWorkspace;

words! {
    /// What a new worktree starts from.
    pub open enum WorktreeBase {
        DefaultBranch = "default_branch",
        Head = "head",
        Ref = "ref",
    }
}

wire! {
    /// How a worktree is made.
    pub struct ConversationWorktreeOptions (default, closed, after) {
        base: WorktreeBase = WorktreeBase::DefaultBranch,
        git_ref as "ref" in [pattern("^[A-Za-z0-9][A-Za-z0-9._/-]*$")]: Option<String> = None,
        branch_prefix in [pattern("^([A-Za-z0-9][A-Za-z0-9._/-]*)?$")]: String = "openhands/".to_owned(),
    }

    /// How a container is made.
    pub struct ConversationContainerOptions (default, closed) {
        memory in [pattern(r"^\d+(\.\d+)? ?[kKmMgGtTpP]?[iI]?[bB]?$")]: Option<String> = None,
        cpus in [ge(0.01)]: Option<f64> = None,
        browser: bool = true,
    }

    /// What is added to a saved agent.
    pub struct AgentLaunchAdditions (default, closed) {
        system_message_suffix_append in [max_length(32768)]: Option<String> = None,
        skills: Option<Vec<Skill>> = None,
        llm_profile_ref in [min_length(1)]: Option<String> = None,
    }

    /// A tool that the client itself offers.
    pub struct ClientToolSpec (default) {
        name: String,
        description: String,
        parameters: JsonObject = JsonObject::new(),
        annotations: Option<ToolAnnotations> = None,
    }

    /// A conversation to start.
    pub struct StartConversationRequest (before, after) {
        workspace: LocalWorkspace,
        worktree: bool = false,
        worktree_options: Option<ConversationWorktreeOptions> = None,
        conversation_id: Option<ConversationId> = None,
        parent_conversation_id: Option<ConversationId> = None,
        confirmation_policy: ConfirmationPolicy = ConfirmationPolicy::default(),
        security_analyzer: Option<Box<SecurityAnalyzer>> = None,
        initial_message: Option<SendMessageRequest> = None,
        max_iterations in [ge(1.0)]: i64 = 500,
        stuck_detection: bool = true,
        secrets: IndexMap<String, SecretSource> = IndexMap::new(),
        secrets_encrypted: bool = false,
        tool_module_qualnames: IndexMap<String, String> = IndexMap::new(),
        client_tools: Vec<ClientToolSpec> = Vec::new(),
        agent_launch_additions: Option<AgentLaunchAdditions> = None,
        agent_definitions: Vec<AgentDefinition> = Vec::new(),
        plugins: Option<Vec<PluginSource>> = None,
        hook_config: Option<Box<HookConfig>> = None,
        tags in [null_is_default() check(rules::tags)]: IndexMap<String, String> = IndexMap::new(),
        user_id: Option<String> = None,
        observability_metadata in [null_is_default() before(rules::observability_metadata) schema(rules::trace_metadata)]: JsonObject = JsonObject::new(),
        observability_tags in [null_is_default() before(rules::observability_tags)]: Vec<String> = Vec::new(),
        observability_span_name in [null_is_default() before(rules::observability_span_name)]: String = "conversation".to_owned(),
        observability_parent_span_context: Option<String> = None,
        autotitle: bool = true,
        title_llm_profile: Option<String> = None,
        prompt in [max_length(2000)]: Option<String> = None,
        agent_settings: Option<JsonObject> = None,
        agent_profile_id: Option<AgentProfileId> = None,
        agent: Option<AgentSpec> = None,
        conversation_runtime: Option<RuntimeKind> = None,
        container: Option<ConversationContainerOptions> = None,
    }
}

impl ConversationWorktreeOptions {
    fn after(members: &Map<String, Value>) -> Result<(), String> {
        rules::worktree(members)
    }
}

impl StartConversationRequest {
    fn before(members: &Map<String, Value>) -> Result<(), String> {
        rules::one_agent(members)
    }

    fn after(members: &Map<String, Value>) -> Result<(), String> {
        rules::some_agent(members)
    }
}
