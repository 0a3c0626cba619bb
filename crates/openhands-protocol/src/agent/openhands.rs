//! The agent itself.

use indexmap::IndexMap;

use crate::agent::AcpAgent;
use crate::agent::AgentContext;
use crate::agent::Condenser;
use crate::agent::Critic;
use crate::json::JsonObject;
use crate::llm::Llm;
use crate::mcp::McpServer;
use crate::tool::Tool;
use crate::union::union;
use crate::wire::wire;

wire! {
    /// The agent of this project: a model with tools.
    pub struct Agent ["kind" = "Agent"] {
        llm: Llm,
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
        critic: Option<Critic> = None,
        tool_concurrency_limit: i64 = 1,
        persona: Option<String> = None,
    }
}

union! {
    /// An agent of either kind.
    pub enum AgentSpec by "kind" {
        Agent(Agent),
        Acp(AcpAgent),
    }
    default Agent(Agent)
}
