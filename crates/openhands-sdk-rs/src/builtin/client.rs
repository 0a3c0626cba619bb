//! Tools that the client itself offers: the call goes into the log, the client sees it there and acts.

use futures_util::future::BoxFuture;
use openhands_protocol::conversation::ClientToolSpec;
use openhands_protocol::tool::{
    Action, ClientToolObservation, Observation, ToolDefinition as Listing, ToolSpec,
};
use openhands_tools::arguments::InvalidArguments;
use openhands_tools::{CallContext, ToolDefinition, ToolError, ToolExecutor};
use serde_json::{Map, Value};

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
