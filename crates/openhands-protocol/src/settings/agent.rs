//! How new agents are made.

use indexmap::IndexMap;

use crate::agent::AcpFileSecret;
use crate::agent::AcpServer;
use crate::agent::AgentContext;
use crate::agent::CriticMode;
use crate::agent::MetaProfile;
use crate::llm::Llm;
use crate::mcp::McpServer;
use crate::schema::Telling;
use crate::secret::Secret;
use crate::settings::CondenserSettings;
use crate::tool::Tool;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// How agents of this project are made.
    pub struct OpenHandsAgentSettings ["agent_kind" = "openhands"] (default) {
        schema_version in [ge(1.0)]: i64 = 9,
        agent: String = "CodeActAgent".to_owned(),
        llm: Llm = Llm::default(),
        tools: Option<Vec<Tool>> = None,
        enable_classify_and_switch_llm_tool: bool = false,
        active_meta_profile: Option<String> = None,
        meta_profile: Option<MetaProfile> = None,
        meta_profile_llms: IndexMap<String, Llm> = IndexMap::new(),
        tool_concurrency_limit in [ge(1.0)]: i64 = 1,
        mcp_config: IndexMap<String, McpServer> = IndexMap::new(),
        persona in [min_length(1) max_length(65536)]: Option<String> = None,
        agent_context: Option<AgentContext> = None,
        condenser: CondenserSettings = CondenserSettings::default(),
        verification: VerificationSettings = VerificationSettings::default(),
    }

    /// Whether and how a critic judges the work.
    pub struct VerificationSettings (default) {
        critic_enabled: bool = false,
        critic_mode: CriticMode = CriticMode::FinishAndMessage,
        enable_iterative_refinement: bool = false,
        critic_threshold in [ge(0.0) le(1.0)]: f64 = 0.6,
        max_refinement_iterations in [ge(1.0)]: i64 = 3,
        critic_server_url: Option<String> = None,
        critic_model_name: Option<String> = None,
        critic_api_key: Option<Secret> = None,
    }
}

wire! {
    /// How external agents are made.
    pub struct AcpAgentSettings ["agent_kind" = "acp"] (default) {
        schema_version in [ge(1.0)]: i64 = 9,
        acp_server: AcpServer = AcpServer::ClaudeCode,
        acp_command: Vec<String> = Vec::new(),
        acp_args: Vec<String> = Vec::new(),
        acp_model: Option<String> = None,
        acp_session_mode: Option<String> = None,
        acp_prompt_timeout in [gt(0.0)]: f64 = 1800.0,
        acp_startup_timeout in [gt(0.0)]: f64 = 90.0,
        mcp_config: IndexMap<String, McpServer> = IndexMap::new(),
        acp_isolate_data_dir: bool = false,
        acp_file_secrets: Vec<AcpFileSecret> = Vec::new(),
        agent_context: Option<AgentContext> = None,
    }
}

union! {
    /// How new agents are made.
    pub enum AgentSettings by "agent_kind" {
        OpenHands(OpenHandsAgentSettings),
        Acp(AcpAgentSettings),
    }
    default OpenHands(OpenHandsAgentSettings)
    told Telling::Tag { found_using: "_agent_settings_discriminator()" }
}
