//! Sub-agents that an agent can call.

use indexmap::IndexMap;

use crate::agent::Condenser;
use crate::hooks::HookConfig;
use crate::json::JsonObject;
use crate::mcp::McpServer;
use crate::text::words;
use crate::wire::wire;

words! {
    /// Where a sub-agent comes from.
    pub open enum AgentLevel {
        Project = "project",
        User = "user",
        Builtin = "builtin",
        Plugin = "plugin",
        Programmatic = "programmatic",
    }
}

wire! {
    /// A sub-agent.
    pub struct AgentDefinition (default) {
        name: String,
        description: String = String::new(),
        model: String = "inherit".to_owned(),
        color: Option<String> = None,
        tools: Vec<String> = Vec::new(),
        skills: Vec<String> = Vec::new(),
        system_prompt: String = String::new(),
        source: Option<String> = None,
        level: Option<AgentLevel> = None,
        when_to_use_examples: Vec<String> = Vec::new(),
        hooks: Option<HookConfig> = None,
        permission_mode: Option<String> = None,
        max_iteration_per_run in [gt(0.0)]: Option<i64> = None,
        max_budget_per_run in [gt(0.0)]: Option<f64> = None,
        mcp_config: Option<IndexMap<String, McpServer>> = None,
        profile_store_dir: Option<String> = None,
        condenser: Option<Condenser> = None,
        metadata: JsonObject = JsonObject::new(),
    }

    /// Which sub-agents to list.
    pub struct SubAgentsRequest (default) {
        load_user: bool = true,
        load_project: bool = true,
        load_builtin: bool = true,
        project_dir: Option<String> = None,
    }

    /// A sub-agent in the list.
    pub struct SubAgentInfo (default) {
        name: String,
        description: String = String::new(),
        model: String = "inherit".to_owned(),
        color: Option<String> = None,
        tools: Vec<String> = Vec::new(),
        skills: Vec<String> = Vec::new(),
        system_prompt: String = String::new(),
        when_to_use_examples: Vec<String> = Vec::new(),
        permission_mode: Option<String> = None,
        max_iteration_per_run: Option<i64> = None,
        max_budget_per_run: Option<f64> = None,
        mcp_config: Option<IndexMap<String, McpServer>> = None,
        mcp_servers: Option<IndexMap<String, McpServer>> = None,
        profile_store_dir: Option<String> = None,
        hooks: Option<HookConfig> = None,
        condenser: Option<Condenser> = None,
        metadata: JsonObject = JsonObject::new(),
        level: Option<AgentLevel> = None,
        source: Option<String> = None,
        is_builtin: bool = false,
    }

    /// All sub-agents.
    pub struct SubAgentsResponse (default) {
        agents: Vec<SubAgentInfo>,
    }
}
