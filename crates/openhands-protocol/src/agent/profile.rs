//! Saved agents by name.

use crate::agent::AcpServer;
use crate::agent::CriticMode;
use crate::ids::AgentProfileId;
use crate::json::JsonObject;
use crate::schema::Telling;
use crate::settings::CondenserSettings;
use crate::tool::Tool;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// A saved agent of this project.
    pub struct OpenHandsAgentProfile ["agent_kind" = "openhands"] (closed) {
        schema_version in [ge(1.0)]: i64 = 4,
        id: AgentProfileId = AgentProfileId::random(),
        /// In requests the path has it.
        name in [min_length(1)]: String = String::new(),
        revision in [ge(0.0)]: i64 = 0,
        mcp_server_refs: Option<Vec<String>> = None,
        secret_refs: Option<Vec<String>> = None,
        llm_profile_ref in [min_length(1)]: String,
        agent: String = "CodeActAgent".to_owned(),
        tools: Option<Vec<Tool>> = None,
        persona in [min_length(1) max_length(65536)]: Option<String> = None,
        system_message_suffix: Option<String> = None,
        disabled_skills: Vec<String> = Vec::new(),
        public_skills: Option<Vec<String>> = None,
        condenser: CondenserSettings = CondenserSettings::default(),
        verification: ProfileVerificationSettings = ProfileVerificationSettings::default(),
        enable_classify_and_switch_llm_tool: bool = false,
        meta_profile_ref in [min_length(1)]: Option<String> = None,
        tool_concurrency_limit in [ge(1.0)]: i64 = 1,
    }

    /// A saved external agent.
    pub struct AcpAgentProfile ["agent_kind" = "acp"] (closed) {
        schema_version in [ge(1.0)]: i64 = 4,
        id: AgentProfileId = AgentProfileId::random(),
        /// In requests the path has it.
        name in [min_length(1)]: String = String::new(),
        revision in [ge(0.0)]: i64 = 0,
        mcp_server_refs: Option<Vec<String>> = None,
        secret_refs: Option<Vec<String>> = None,
        acp_server: AcpServer = AcpServer::ClaudeCode,
        acp_model: Option<String> = None,
        acp_session_mode: Option<String> = None,
        acp_prompt_timeout in [gt(0.0)]: f64 = 1800.0,
        acp_startup_timeout in [gt(0.0)]: f64 = 90.0,
        acp_command: Option<String> = None,
        acp_args: Option<Vec<String>> = None,
    }
}

union! {
    /// A saved agent.
    pub enum AgentProfile by "agent_kind" {
        OpenHands(OpenHandsAgentProfile),
        Acp(AcpAgentProfile),
    }
    default OpenHands(OpenHandsAgentProfile)
    told Telling::Tag { found_using: "_agent_profile_discriminator()" }
}

wire! {
    /// Which saved agent, by its name.
    pub struct AgentProfilePath (default) {
        name in [min_length(1) max_length(64) pattern("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]: String,
    }

    /// Which saved agent, by its id.
    pub struct AgentProfileIdPath (default) {
        profile_id in [min_length(1) max_length(128)]: String,
    }
}

wire! {
    /// Whether and how a critic judges a saved agent.
    pub struct ProfileVerificationSettings (default) {
        critic_enabled: bool = false,
        critic_mode: CriticMode = CriticMode::FinishAndMessage,
        enable_iterative_refinement: bool = false,
        critic_threshold in [ge(0.0) le(1.0)]: f64 = 0.6,
        max_refinement_iterations in [ge(1.0)]: i64 = 3,
        critic_server_url: Option<String> = None,
        critic_model_name: Option<String> = None,
    }

    /// A saved agent in the list.
    pub struct AgentProfileInfo (default) {
        id: Option<String> = None,
        name: String,
        agent_kind: String = "openhands".to_owned(),
        revision: Option<i64> = None,
        llm_profile_ref: Option<String> = None,
        mcp_server_refs: Option<Vec<String>> = None,
    }

    /// All saved agents.
    pub struct AgentProfileListResponse (default) {
        profiles: Vec<AgentProfileInfo>,
        active_agent_profile_id: Option<String> = None,
    }

    /// One saved agent.
    pub struct AgentProfileDetailResponse (default) {
        name: String,
        profile: JsonObject,
    }

    /// A saved agent was changed.
    pub struct AgentProfileMutationResponse (default) {
        name: String,
        message: String,
    }

    /// A new name.
    pub struct RenameAgentProfileRequest (default) {
        new_name in [min_length(1) max_length(64) pattern("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]: String,
    }

    /// A saved agent became the active one.
    pub struct ActivateAgentProfileResponse (default) {
        id: String,
        message: String,
        agent_settings_applied: bool = false,
    }

    /// A draft to try out instead of the saved agent.
    pub struct MaterializeAgentProfileRequest (default, closed) {
        /// As it was sent, for it may be of an older version.
        profile in [before(draft)]: Option<JsonObject> = None,
    }

    /// What would come of a saved agent.
    pub struct AgentProfileDiagnostics (default) {
        agent_kind: String,
        valid: bool = false,
        errors: Vec<String> = Vec::new(),
        unusable_tools: Vec<String> = Vec::new(),
        llm_profile_ref: Option<String> = None,
        llm_profile_resolved: bool = false,
        llm_api_key_set: bool = false,
        mcp_server_refs: Option<Vec<String>> = None,
        resolved_mcp_config_keys: Vec<String> = Vec::new(),
        dangling_mcp_server_refs: Vec<String> = Vec::new(),
        disabled_skills: Vec<String> = Vec::new(),
        public_skills: Option<Vec<String>> = None,
        resolved_skills: Vec<String> = Vec::new(),
        secret_refs: Option<Vec<String>> = None,
        acp_api_key_secret_name: Option<String> = None,
        acp_base_url_secret_name: Option<String> = None,
        acp_file_secret_names: Vec<String> = Vec::new(),
        meta_profile_ref: Option<String> = None,
        dangling_meta_profile_ref: Option<String> = None,
        dangling_meta_profile_llm_refs: Vec<String> = Vec::new(),
        resolved_settings: Option<JsonObject> = None,
    }

    /// The saved agent that a conversation was started with.
    pub struct LaunchedAgentProfile {
        agent_profile_id: AgentProfileId,
        revision: i64,
        secret_refs: Option<Vec<String>> = None,
        llm_profile_ref: Option<String> = None,
    }
}

/// A draft is an object, whatever is in it.
fn draft(draft: &serde_json::Value) -> Result<(), String> {
    if draft.is_object() || draft.is_null() {
        Ok(())
    } else {
        Err("profile must be an object".to_owned())
    }
}
