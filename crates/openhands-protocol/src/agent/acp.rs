//! External agents that speak the Agent Client Protocol.

use indexmap::IndexMap;

use crate::agent::AgentContext;
use crate::agent::Condenser;
use crate::agent::Critic;
use crate::json::JsonObject;
use crate::llm::Llm;
use crate::mcp::McpServer;
use crate::secrets::SecretSource;
use crate::settings::AcpAgentSettings;
use crate::text::words;
use crate::tool::Tool;
use crate::wire::wire;

words! {
    /// Which external agent it is.
    pub open enum AcpServer {
        ClaudeCode = "claude-code",
        Codex = "codex",
        GeminiCli = "gemini-cli",
        KimiCode = "kimi-code",
        Pi = "pi",
        Opencode = "opencode",
        Custom = "custom",
    }
}

words! {
    /// What the variable of a secret file names.
    pub open enum EnvPointsTo {
        File = "file",
        Dir = "dir",
    }
}

wire! {
    /// A secret that an external agent reads from a file.
    pub struct AcpFileSecret (default) {
        secret_name in [min_length(1)]: String,
        filename in [min_length(1)]: String,
        env_var in [min_length(1)]: String,
        subdir in [min_length(1)]: String,
        env_points_to: EnvPointsTo = EnvPointsTo::File,
        warn_if_unset: Vec<String> = Vec::new(),
    }

    /// An external agent.
    pub struct AcpAgent ["kind" = "ACPAgent"] {
        llm: Box<Llm> = Box::default(),
        tools: Vec<Tool> = Vec::new(),
        mcp_config: IndexMap<String, McpServer> = IndexMap::new(),
        filter_tools_regex: Option<String> = None,
        include_default_tools: Vec<String> = vec!["FinishTool".to_owned(), "ThinkTool".to_owned()],
        agent_context: Option<AgentContext> = None,
        system_prompt: Option<String> = None,
        system_prompt_filename: String = "system_prompt.j2".to_owned(),
        security_policy_filename: String = "security_policy.j2".to_owned(),
        system_prompt_kwargs: JsonObject = JsonObject::new(),
        condenser: Option<Condenser> = None,
        critic: Option<Box<Critic>> = None,
        tool_concurrency_limit in [ge(1.0)]: i64 = 1,
        acp_command: Vec<String>,
        acp_server: Option<String> = None,
        acp_args: Vec<String> = Vec::new(),
        acp_session_mode: Option<String> = None,
        acp_prompt_timeout: f64 = 1800.0,
        acp_startup_timeout: f64 = 90.0,
        acp_model: Option<String> = None,
        acp_resume_session_id: Option<String> = None,
        acp_file_secrets: Vec<AcpFileSecret> = Vec::new(),
        acp_isolate_data_dir: bool = false,
    }

    /// A model that an external agent offers.
    pub struct AcpModelInfo (default) {
        model_id: String,
        name: Option<String> = None,
        description: Option<String> = None,
    }

    /// Asks an external agent for its models.
    pub struct AcpModelDiscoveryRequest (default) {
        agent_settings: AcpAgentSettings,
        secrets: IndexMap<String, SecretSource> = IndexMap::new(),
        refresh: bool = false,
    }

    /// Models of an external agent.
    pub struct AcpModelDiscovery (default) {
        agent_name: Option<String> = None,
        agent_version: Option<String> = None,
        current_model_id: Option<String> = None,
        available_models: Vec<AcpModelInfo> = Vec::new(),
        supports_runtime_model_switch: bool = false,
        error: Option<AcpModelDiscoveryError> = None,
    }

    /// Why the models are not known.
    pub struct AcpModelDiscoveryError (default) {
        code: String,
        detail: String,
    }
}
