//! The agent itself.

use indexmap::IndexMap;

use crate::agent::AcpAgent;
use crate::agent::AgentContext;
use crate::agent::Condenser;
use crate::agent::Critic;
use crate::json::{Extra, JsonObject};
use crate::llm::Llm;
use crate::mcp::McpServer;
use crate::schema::Telling;
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
        critic: Option<Box<Critic>> = None,
        tool_concurrency_limit in [ge(1.0)]: i64 = 1,
        persona: Option<String> = None,
    }
}

impl Agent {
    /// A model with tools, and the reference's defaults for all else.
    pub fn new(llm: Llm, tools: impl IntoIterator<Item = Tool>) -> Self {
        Self {
            llm,
            tools: tools.into_iter().collect(),
            mcp_config: IndexMap::new(),
            filter_tools_regex: None,
            include_default_tools: vec!["FinishTool".to_owned(), "ThinkTool".to_owned()],
            agent_context: None,
            system_prompt: None,
            system_prompt_filename: "system_prompt.j2".to_owned(),
            security_policy_filename: "security_policy.j2".to_owned(),
            system_prompt_kwargs: JsonObject::new(),
            condenser: None,
            critic: None,
            tool_concurrency_limit: 1,
            persona: None,
            extra: Extra::default(),
        }
    }
}

union! {
    /// An agent of either kind.
    pub enum AgentSpec by "kind" {
        Acp(AcpAgent),
        Agent(Agent),
    }
    default Agent(Agent)
    told Telling::Class {
        path: "openhands.sdk.agent.base.AgentBase",
        default: Some(|members| members.contains_key("llm").then_some("Agent")),
    }
}

#[cfg(test)]
#[path = "openhands_tests.rs"]
mod tests;
