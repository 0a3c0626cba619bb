//! Tools that the client itself offers: the call goes into the log, the client sees it there and acts.

use futures_util::future::BoxFuture;
use openhands_protocol::conversation::ClientToolSpec;
use openhands_protocol::tool::{
    Action, ClientToolObservation, Observation, Tool, ToolDefinition as Listing, ToolSpec,
};
use openhands_protocol::{Form, JsonObject, Reading};
use openhands_tools::arguments::InvalidArguments;
use openhands_tools::{CallContext, ToolDefinition, ToolError, ToolExecutor};
use serde_json::{Map, Value};

/// The parameter under which an agent keeps the description of a tool of the client's.
const SPEC: &str = "spec";

/// Both halves of a tool of the client's.
#[derive(Debug)]
pub(crate) struct ClientTool {
    spec: ToolSpec,
}

impl ClientTool {
    pub(crate) fn new(tool: &ClientToolSpec) -> Self {
        Self {
            spec: ToolSpec {
                name: tool.name.clone(),
                description: tool.description.clone(),
                input_schema: tool.parameters.clone(),
                annotations: tool.annotations.clone(),
                title: tool.name.clone(),
                kind: "ClientTool".to_owned(),
                action_type: format!("ClientAction_{}", tool.name),
                observation_type: Some("ClientToolObservation".to_owned()),
            },
        }
    }

    /// The tool as an agent names it: it carries its own description, so that it needs no registry.
    pub(crate) fn named(spec: &ClientToolSpec) -> Tool {
        let described = Form::PEER.to_value(spec).unwrap_or_default();
        Tool {
            params: JsonObject::from_iter([(SPEC.to_owned(), described)]),
            ..Tool::new(&spec.name)
        }
    }

    /// The description that a tool of an agent carries, if it is one of the client's.
    pub(crate) fn offered_by(tool: &Tool) -> Option<ClientToolSpec> {
        let described = tool.params.get(SPEC)?.clone();
        let spec: ClientToolSpec = Reading::lenient().from_value(described).ok()?;
        (spec.name == tool.name).then_some(spec)
    }
}

impl ToolDefinition for ClientTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn listing(&self) -> Listing {
        Listing {
            client_tool_name: Some(self.spec.name.clone()),
            input_schema: Some(self.spec.input_schema.clone()),
            ..self.spec.definition()
        }
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        Ok(Action::client(&self.spec.name, arguments.clone()))
    }
}

impl ToolExecutor for ClientTool {
    fn execute(&self, _: Action, _: CallContext) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async {
            Ok(Observation::ClientTool(ClientToolObservation::with_text(
                "Tool call dispatched to client.",
            )))
        })
    }
}
