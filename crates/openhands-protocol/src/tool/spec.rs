//! How a tool is configured, specified to a model, and described in the log.

use super::ToolAnnotations;
use crate::json::JsonObject;
use crate::wire::wire;

wire! {
    /// A tool that an agent is to have: its registered name and the parameters of its factory.
    pub struct Tool (default) {
        name: String,
        params: JsonObject = JsonObject::new(),
    }

    /// A tool as the system prompt event lists it.
    pub struct ToolDefinition (default) {
        description: String,
        /// Class name of its actions.
        action_type: String,
        /// Class name of its observations.
        observation_type: Option<String> = None,
        annotations: Option<ToolAnnotations> = None,
        meta: Option<JsonObject> = None,
        /// Only for a tool of an MCP server: the server's own definition.
        mcp_tool when some: Option<JsonObject> = None,
        /// Only for a tool that the client itself offers.
        client_tool_name when some: Option<String> = None,
        /// Only for a tool that the client itself offers.
        input_schema when some: Option<JsonObject> = None,
        /// Class name of the tool.
        kind: String,
        /// The name that the model uses.
        title: String,
    }
}

impl Tool {
    /// A tool without parameters.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

/// A tool as its definition declares it: all that a model and a log need to know.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that the model uses.
    pub name: String,
    /// What the model reads about the tool.
    pub description: String,
    /// JSON schema of the arguments.
    pub input_schema: JsonObject,
    /// Hints about what the tool does.
    pub annotations: Option<ToolAnnotations>,
    /// Display title.
    pub title: String,
    /// Class name of the tool on the wire, such as `TerminalTool`.
    pub kind: String,
    /// Class name of its actions, such as `TerminalAction`.
    pub action_type: String,
    /// Class name of its observations, such as `TerminalObservation`.
    pub observation_type: Option<String>,
}

impl ToolSpec {
    /// The form in which the system prompt event lists the tool.
    pub fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            description: self.description.clone(),
            action_type: self.action_type.clone(),
            observation_type: self.observation_type.clone(),
            annotations: self.annotations.clone(),
            kind: self.kind.clone(),
            title: self.title.clone(),
            ..ToolDefinition::default()
        }
    }

    /// Whether the tool declares that it changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.annotations
            .as_ref()
            .is_some_and(|hints| hints.read_only_hint)
    }
}
