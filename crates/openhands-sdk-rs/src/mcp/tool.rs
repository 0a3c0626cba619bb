//! A tool of a server, in both halves: what the model is told, and how it is called.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{
    Action, McpToolAction, Observation, ToolAnnotations, ToolDefinition as Listing, ToolSpec,
};
use openhands_protocol::{JsonObject, Secret};
use openhands_tools::arguments::InvalidArguments;
use openhands_tools::{CallContext, ToolDefinition, ToolError, ToolExecutor};
use rmcp::model::Tool;
use serde_json::{Map, Value};

use super::arguments::Fields;
use super::call::Call;
use super::expand::expand_arguments;
use super::server::Shared;

/// A tool of a server.
pub struct McpTool {
    server: Arc<Shared>,
    raw: Tool,
    spec: ToolSpec,
    fields: Fields,
}

impl fmt::Debug for McpTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpTool")
            .field("server", &self.server.name)
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

impl McpTool {
    pub(super) fn new(server: &Arc<Shared>, raw: Tool, name: String) -> Self {
        let annotations = annotations(&raw);
        let title = annotations
            .as_ref()
            .and_then(|hints| hints.title.clone())
            .unwrap_or_else(|| name.clone());
        let description = raw
            .description
            .as_deref()
            .filter(|text| !text.is_empty())
            .unwrap_or("No description provided")
            .to_owned();
        Self {
            server: Arc::clone(server),
            fields: Fields::new(&raw.input_schema),
            spec: ToolSpec {
                name,
                description,
                input_schema: raw.input_schema.as_ref().clone().into(),
                annotations,
                title,
                kind: "MCPToolDefinition".to_owned(),
                action_type: "MCPToolAction".to_owned(),
                observation_type: Some("MCPToolObservation".to_owned()),
            },
            raw,
        }
    }

    /// The name that the model uses.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// The name of the server that it belongs to.
    pub fn server(&self) -> &str {
        &self.server.name
    }

    /// As its server described it.
    pub(super) fn raw(&self) -> &Tool {
        &self.raw
    }

    pub(super) fn is_made_of(&self, raw: &Tool) -> bool {
        self.raw == *raw
    }

    fn call(&self, action: &McpToolAction, cx: &CallContext) -> Call {
        let secret = |name: &str| {
            let known = cx.env.iter().find(|(known, _)| known == name);
            known
                .and_then(|(_, value): &(String, Secret)| value.expose())
                .map(str::to_owned)
        };
        Call {
            server: Arc::clone(&self.server),
            tool: self.spec.name.clone(),
            remote: self.raw.name.to_string(),
            arguments: expand_arguments(&action.data, secret),
            output: cx.output.clone(),
        }
    }
}

/// A server's hints; what it leaves out has the protocol's default.
fn annotations(raw: &Tool) -> Option<ToolAnnotations> {
    let hints = raw.annotations.as_ref()?;
    let default = ToolAnnotations::default();
    Some(ToolAnnotations {
        title: hints.title.clone(),
        read_only_hint: hints.read_only_hint.unwrap_or(default.read_only_hint),
        destructive_hint: hints.destructive_hint.unwrap_or(default.destructive_hint),
        idempotent_hint: hints.idempotent_hint.unwrap_or(default.idempotent_hint),
        open_world_hint: hints.open_world_hint.unwrap_or(default.open_world_hint),
        ..default
    })
}

impl ToolDefinition for McpTool {
    /// With the server's own definition, under the name that the model uses.
    fn listing(&self) -> Listing {
        let mut own = match serde_json::to_value(&self.raw) {
            Ok(Value::Object(own)) => own,
            Ok(_) | Err(_) => Map::new(),
        };
        own.insert("name".to_owned(), Value::from(self.name()));
        let meta = own.get("_meta").and_then(Value::as_object).cloned();
        Listing {
            meta: meta.map(JsonObject::from),
            mcp_tool: Some(own.into()),
            ..self.spec.definition()
        }
    }

    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let data = self.fields.check(arguments)?;
        Ok(Action::McpTool(McpToolAction {
            data: data.into(),
            ..McpToolAction::default()
        }))
    }
}

impl ToolExecutor for McpTool {
    /// Calls the tool. References to the secrets of `cx` in the arguments are put in place; hiding secrets in the
    /// observation is the caller's part. A call that is cancelled, or whose future is dropped, is cancelled on the
    /// server.
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::McpTool(action) = &action else {
                return Err(ToolError::wrong_action(self.name(), &action));
            };
            let call = self.call(action, &cx);
            let stop = cx.cancel.child_token();
            let _stop_if_dropped = stop.clone().drop_guard();
            // In a task of its own, so that the server is told even if nobody waits any more.
            let observation = self
                .server
                .calls
                .spawn(call.run(stop))
                .await
                .map_err(|error| ToolError::Failed(error.to_string()))??;
            Ok(Observation::McpTool(observation))
        })
    }
}
