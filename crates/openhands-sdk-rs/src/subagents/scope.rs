//! Which tools sub-agents may have: any, or only those that their parent has.

use std::collections::BTreeSet;

use openhands_protocol::JsonObject;
use openhands_protocol::agent::{Agent, AgentDefinition};
use openhands_protocol::tool::Tool;
use openhands_tools::CreateError;
use serde_json::{Value, json};

/// The parameter of tools that start sub-agents.
pub(crate) const PARAMETER: &str = "sub_agent_scope";

/// Tools that start sub-agents.
const DELEGATION_TOOLS: [&str; 4] = ["task_tool_set", "task", "workflow_tool_set", "workflow"];

/// Tools that reach nothing outside of their own conversation.
const HARMLESS: [&str; 1] = ["task_tracker"];

/// Which tools sub-agents may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Scope {
    /// Only what the parent has.
    pub(crate) tools: bool,
}

impl Scope {
    /// Reads it from the parameters of a tool.
    pub(crate) fn of(tool: &str, params: &JsonObject) -> Result<Self, CreateError> {
        let bad = |problem: &str| CreateError::BadParameter {
            tool: tool.to_owned(),
            parameter: PARAMETER.to_owned(),
            problem: problem.to_owned(),
        };
        let given = match params.0.get(PARAMETER) {
            None | Some(Value::Null) => return Ok(Self::default()),
            Some(Value::Object(given)) => given,
            Some(_) => return Err(bad("it must be an object")),
        };
        let mut scope = Self::default();
        for (key, value) in given {
            match (key.as_str(), value.as_bool()) {
                ("tools", Some(flag)) => scope.tools = flag,
                // compat: stored parameters have it; it means nothing any more.
                ("mcp_servers", Some(_)) => {}
                _ => return Err(bad(&format!("`{key}` is not one of its flags"))),
            }
        }
        Ok(scope)
    }

    /// The tools that a sub-agent uses and its parent does not have.
    pub(crate) fn missing(self, parent: &Agent, definition: &AgentDefinition) -> Vec<String> {
        if !self.tools {
            return Vec::new();
        }
        let of_parent: BTreeSet<String> = parent
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .chain(parent.include_default_tools.iter().map(String::as_str))
            .map(canonical)
            .collect();
        let wanted: BTreeSet<String> = definition
            .tools
            .iter()
            .map(|name| canonical(name))
            .collect();
        wanted
            .difference(&of_parent)
            .filter(|name| !HARMLESS.contains(&name.as_str()))
            .cloned()
            .collect()
    }

    /// The tools of a sub-agent, which passes the same limits on to its own sub-agents.
    pub(crate) fn narrow(self, tools: &mut [Tool]) {
        if !self.tools {
            return;
        }
        for tool in tools {
            if DELEGATION_TOOLS.contains(&canonical(&tool.name).as_str()) {
                tool.params
                    .0
                    .insert(PARAMETER.to_owned(), json!({"tools": true}));
            }
        }
    }
}

fn canonical(name: &str) -> String {
    openhands_tools::tool_name(name)
}

#[cfg(test)]
#[path = "scope_tests.rs"]
mod tests;
