//! Structured output: fields that an agent's owner adds to a tool, so that the model answers in a given form.
//!
//! `{"name": "finish", "params": {"response_schema": {...}}}` gives the tool the properties of that schema besides its
//! own. What a call says for them is checked against the schema and kept apart from the tool's action.

use crate::arguments::{ArgumentError, InvalidArguments};
use crate::definition::ToolDefinition;
use crate::json_schema::JsonSchema;
use crate::resources::Locks;
use crate::schema::reduced_properties;
use openhands_protocol::JsonObject;
use openhands_protocol::tool::{Action, ToolSpec};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The parameter of a tool's spec that holds the schema.
pub(crate) const PARAMETER: &str = "response_schema";

/// Fields that calls of every tool may have.
const RESERVED: [&str; 4] = ["kind", "security_risk", "structured_output", "summary"];

/// Top-level keywords that say nothing about how fields depend on each other: a field must be checkable by itself.
const KEYWORDS: [&str; 18] = [
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$id",
    "$schema",
    "$vocabulary",
    "additionalProperties",
    "default",
    "deprecated",
    "description",
    "examples",
    "properties",
    "readOnly",
    "required",
    "title",
    "type",
    "writeOnly",
];

/// A tool with the fields of a response schema.
pub(crate) struct Structured {
    inner: Arc<dyn ToolDefinition>,
    spec: ToolSpec,
    schema: JsonSchema,
    fields: Map<String, Value>,
}

impl Structured {
    /// Adds the fields of `schema` to a tool, or says why they cannot be added.
    pub(crate) fn new(inner: Arc<dyn ToolDefinition>, schema: &Value) -> Result<Self, String> {
        let Value::Object(fields) = schema else {
            return Err("it must be a JSON schema".to_owned());
        };
        let checked = JsonSchema::new(schema.clone())?;
        check_shape(fields)?;
        let added = reduced_properties(fields);
        let mut spec = inner.spec().clone();
        merge(&mut spec.input_schema, &added, fields.get("required"))?;
        Ok(Self {
            inner,
            spec,
            schema: checked,
            fields: added,
        })
    }

    /// The arguments that answer the schema, and those that are the tool's own.
    fn split(&self, arguments: &Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
        let pairs = arguments
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()));
        pairs.partition(|(name, _)| self.fields.contains_key(name))
    }
}

/// What a schema must be so that its properties can stand among a tool's own.
fn check_shape(schema: &Map<String, Value>) -> Result<(), String> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err("it must describe an object".to_owned());
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        return Err("it must name its properties".to_owned());
    };
    let unknown = schema
        .keys()
        .filter(|key| !KEYWORDS.contains(&key.as_str()));
    refuse("not possible at the top level", unknown)?;
    if !matches!(
        schema.get("additionalProperties"),
        None | Some(Value::Null | Value::Bool(false))
    ) {
        return Err("it cannot allow additional properties".to_owned());
    }
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    refuse(
        "required but not a property",
        required.filter(|name| !properties.contains_key(*name)),
    )?;
    refuse(
        "reserved",
        properties
            .keys()
            .filter(|name| RESERVED.contains(&name.as_str())),
    )
}

fn refuse(why: &str, names: impl Iterator<Item = impl AsRef<str>>) -> Result<(), String> {
    let names: Vec<String> = names.map(|name| format!("`{}`", name.as_ref())).collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(format!("{why}: {}", names.join(", ")))
}

fn merge(
    input: &mut JsonObject,
    added: &Map<String, Value>,
    required: Option<&Value>,
) -> Result<(), String> {
    let own = input
        .0
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(own) = own else {
        return Err("the tool has no fields to add to".to_owned());
    };
    refuse(
        "already used by the tool",
        added.keys().filter(|name| own.contains_key(*name)),
    )?;
    own.extend(added.clone());
    let wanted = required
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    if !wanted.is_empty()
        && let Value::Array(all) = input
            .0
            .entry("required")
            .or_insert_with(|| Value::Array(Vec::new()))
    {
        all.extend(wanted);
    }
    Ok(())
}

impl ToolDefinition for Structured {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let (answer, own) = self.split(arguments);
        let wrong = self.schema.violations(&Value::Object(answer));
        let mut errors: Vec<ArgumentError> = wrong
            .into_iter()
            .map(|violation| ArgumentError {
                loc: violation.at,
                kind: "value_error",
                message: format!("{PARAMETER} validation failed: {}", violation.message),
            })
            .collect();
        let action = self.inner.decode(&own);
        if errors.is_empty() {
            return action;
        }
        errors.extend(action.err().into_iter().flat_map(|invalid| invalid.errors));
        Err(InvalidArguments { errors })
    }

    fn structured_output(&self, arguments: &Map<String, Value>) -> Option<JsonObject> {
        Some(self.split(arguments).0.into())
    }

    fn locks(&self, action: &Action) -> Locks {
        self.inner.locks(action)
    }
}

#[cfg(test)]
#[path = "response_schema_tests.rs"]
mod tests;
