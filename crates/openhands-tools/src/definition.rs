//! The pure half of a tool: what the model is told, how a call's arguments become an action, what it locks.

use crate::arguments::InvalidArguments;
use crate::resources::Locks;
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{Action, ToolAnnotations, ToolDefinition as Listing, ToolSpec};
use serde_json::{Map, Value};

/// A tool as the mind sees it.
///
/// A definition needs no sandbox and does no I/O: an action is validated, its defaults filled in and its locks
/// known before anything runs, wherever that will be. Implementers keep these methods cheap and free of
/// side effects.
pub trait ToolDefinition: Send + Sync {
    /// Name, description, input schema and annotations.
    fn spec(&self) -> &ToolSpec;

    /// The form in which the system prompt event lists the tool.
    fn listing(&self) -> Listing {
        self.spec().definition()
    }

    /// The action that `arguments` ask for, or every problem with them.
    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments>;

    /// The part of a decoded call's `arguments` that answers the response schema which the tool was given; none if it
    /// was given none. It is no part of the action: it stands in the call's arguments and is read from there.
    fn structured_output(&self, arguments: &Map<String, Value>) -> Option<JsonObject> {
        let _ = arguments;
        None
    }

    /// What the action must have to itself while it runs beside others.
    ///
    /// A tool that says nothing runs one call at a time.
    fn locks(&self, action: &Action) -> Locks {
        let _ = action;
        Locks::tool(&self.spec().name)
    }
}

/// What a tool does to its surroundings, as the contract's table lists it.
#[derive(Debug, Clone, Copy)]
pub struct Hints {
    /// Changes nothing.
    pub read_only: bool,
    /// May destroy something.
    pub destructive: bool,
    /// A second identical call changes nothing more.
    pub idempotent: bool,
    /// Reaches beyond the workspace.
    pub open_world: bool,
}

/// A spec by the naming rule of the wire: class `FileEditor` has `FileEditorTool`, `FileEditorAction` and
/// `FileEditorObservation`. `schema` is the JSON schema of the arguments, an object.
pub fn spec(
    name: &str,
    class: &str,
    description: impl Into<String>,
    hints: Hints,
    schema: Value,
) -> ToolSpec {
    let input_schema = match schema {
        Value::Object(fields) => fields,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    ToolSpec {
        name: name.to_owned(),
        description: description.into(),
        input_schema: input_schema.into(),
        annotations: Some(ToolAnnotations {
            title: Some(name.to_owned()),
            read_only_hint: hints.read_only,
            destructive_hint: hints.destructive,
            idempotent_hint: hints.idempotent,
            open_world_hint: hints.open_world,
            ..ToolAnnotations::default()
        }),
        title: name.to_owned(),
        kind: format!("{class}Tool"),
        action_type: format!("{class}Action"),
        observation_type: Some(format!("{class}Observation")),
    }
}
