//! A tool's parameters as a model is given them.

use openhands_protocol::JsonObject;
use openhands_protocol::tool::ToolSpec;
use serde_json::{Map, Value, json};

/// How deep a schema may nest before the rest is left open.
const MAX_DEPTH: usize = 24;
/// How many schemas may stand in the result before the rest is left open: references that fan out level by level
/// would fill the memory.
const MAX_SCHEMAS: usize = 10_000;

/// Which fields are added to a tool's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Additions {
    /// Ask the model to rate the call's risk; never asked of a tool that only reads.
    pub security_risk: bool,
    /// Ask the model for a short summary of the call.
    pub summary: bool,
}

/// The parameter schema sent to the model.
///
/// Only `type`, `description`, `properties`, `required`, `items` and `enum` are kept: references are put in place,
/// of alternatives the first that is not null is taken, and a reference to itself becomes an open object.
/// The added fields come first; a tool that has a `summary` of its own keeps it.
pub fn parameters(spec: &ToolSpec, additions: Additions) -> JsonObject {
    let own = reduce(
        &Value::Object(spec.input_schema.0.clone()),
        &spec.input_schema.0,
    );
    let own_properties = own
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let mut properties = Map::new();
    if additions.security_risk && !spec.is_read_only() {
        properties.insert("security_risk".into(), security_risk());
    }
    if additions.summary && !own_properties.contains_key("summary") {
        properties.insert("summary".into(), summary());
    }
    properties.extend(own_properties);
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    if let Some(description) = own.get("description") {
        schema.insert("description".into(), description.clone());
    }
    schema.insert("properties".into(), Value::Object(properties));
    if let Some(required) = own
        .get("required")
        .filter(|required| required.as_array().is_some_and(|r| !r.is_empty()))
    {
        schema.insert("required".into(), required.clone());
    }
    schema.into()
}

/// The properties of a schema as models are given them, without anything that refers to the rest of the schema.
pub(crate) fn reduced_properties(schema: &Map<String, Value>) -> Map<String, Value> {
    let whole = reduce(&Value::Object(schema.clone()), schema);
    match whole.get("properties") {
        Some(Value::Object(properties)) => properties.clone(),
        Some(_) | None => Map::new(),
    }
}

/// The tool in the form of the chat completions API.
pub fn chat_form(spec: &ToolSpec, additions: Additions) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": parameters(spec, additions).0,
        },
    })
}

/// The tool in the form of the Responses API.
pub fn responses_form(spec: &ToolSpec, additions: Additions) -> Value {
    json!({
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": parameters(spec, additions).0,
        "strict": false,
    })
}

fn security_risk() -> Value {
    json!({
        "type": "string",
        "description": "How dangerous this call is: LOW for reading and for changes inside the workspace, MEDIUM for \
                        changes that reach beyond it, HIGH for what could leak data, break the system or cannot be \
                        undone. UNKNOWN only if it cannot be judged.",
        "enum": ["UNKNOWN", "LOW", "MEDIUM", "HIGH"],
    })
}

fn summary() -> Value {
    json!({
        "type": "string",
        "description": "What this call is for, in about ten words, for the person who watches.",
    })
}

/// What is under way while a schema is reduced.
struct Reducer<'a> {
    root: &'a Map<String, Value>,
    /// The references being put in place.
    open: Vec<&'a str>,
    /// Schemas looked at so far.
    seen: usize,
}

/// `schema`, which refers to parts of `root`, with only what models understand.
fn reduce<'a>(schema: &'a Value, root: &'a Map<String, Value>) -> Map<String, Value> {
    let mut reducer = Reducer {
        root,
        open: Vec::new(),
        seen: 0,
    };
    reducer.reduce(schema)
}

impl<'a> Reducer<'a> {
    fn reduce(&mut self, schema: &'a Value) -> Map<String, Value> {
        let anything = || Map::from_iter([("type".to_owned(), Value::from("object"))]);
        self.seen += 1;
        if self.seen > MAX_SCHEMAS {
            return anything();
        }
        let Some(fields) = schema.as_object() else {
            return anything();
        };
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            if self.open.contains(&reference) || self.open.len() >= MAX_DEPTH {
                return anything();
            }
            let Some(target) = lookup(self.root, reference) else {
                return anything();
            };
            self.open.push(reference);
            let mut reduced = self.reduce(target);
            self.open.pop();
            keep_description(fields, &mut reduced);
            return reduced;
        }
        if let Some(branches) = fields
            .get("anyOf")
            .or_else(|| fields.get("oneOf"))
            .and_then(Value::as_array)
        {
            let branch = branches
                .iter()
                .find(|branch| branch.get("type").and_then(Value::as_str) != Some("null"));
            let mut reduced = branch.map_or_else(anything, |branch| self.reduce(branch));
            keep_description(fields, &mut reduced);
            return reduced;
        }
        let mut reduced = Map::new();
        for key in ["type", "description", "enum"] {
            if let Some(value) = fields.get(key) {
                reduced.insert(key.to_owned(), value.clone());
            }
        }
        if let Some(properties) = fields.get("properties").and_then(Value::as_object) {
            let properties = properties
                .iter()
                .map(|(name, property)| (name.clone(), Value::Object(self.reduce(property))))
                .collect();
            reduced.insert("properties".into(), Value::Object(properties));
        }
        if let Some(items) = fields.get("items") {
            reduced.insert("items".into(), Value::Object(self.reduce(items)));
        }
        if let Some(required) = fields.get("required") {
            reduced.insert("required".into(), required.clone());
        }
        reduced
    }
}

/// A description beside a reference or an alternative says more than the one inside.
fn keep_description(outer: &Map<String, Value>, reduced: &mut Map<String, Value>) {
    if let Some(description) = outer.get("description") {
        reduced.insert("description".into(), description.clone());
    }
}

fn lookup<'a>(root: &'a Map<String, Value>, reference: &str) -> Option<&'a Value> {
    let mut parts = reference.strip_prefix("#/")?.split('/');
    let first = root.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
