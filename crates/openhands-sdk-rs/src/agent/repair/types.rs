//! Argument types: lists and objects that came as JSON text, and texts that came in pieces.

use super::json_text;
use serde_json::{Map, Value};

/// References and alternatives that are followed before a schema counts as unreadable.
const MAX_DEPTH: usize = 16;

/// Repairs the types of arguments by the tool's input schema. What does not fit is left as it is.
pub fn types(arguments: Map<String, Value>, schema: &Map<String, Value>) -> Map<String, Value> {
    arguments
        .into_iter()
        .map(|(name, value)| {
            let property = schema
                .get("properties")
                .and_then(|properties| properties.get(&name));
            let value = match property {
                Some(property) => repaired(value, &Expected::of(property, schema)),
                None => value,
            };
            (name, value)
        })
        .collect()
}

fn repaired(value: Value, expected: &Expected) -> Value {
    match value {
        Value::String(text) if expected.container => match decode(&text) {
            Some(decoded) => decoded,
            None => Value::String(text),
        },
        Value::Array(pieces) if expected.text && !expected.container => match joined(&pieces) {
            Some(text) => Value::String(text),
            None => Value::Array(pieces),
        },
        other => other,
    }
}

/// A list or object in JSON text; whatever follows its last bracket is cut off.
fn decode(text: &str) -> Option<Value> {
    let text = text.trim();
    let closing = match text.chars().next()? {
        '[' => ']',
        '{' => '}',
        _ => return None,
    };
    json_text::read(text).ok().or_else(|| {
        let (inside, _) = text.rsplit_once(closing)?;
        json_text::read(&format!("{inside}{closing}")).ok()
    })
}

fn joined(pieces: &[Value]) -> Option<String> {
    pieces.iter().map(Value::as_str).collect()
}

/// What a property may be.
#[derive(Debug, Default, PartialEq, Eq)]
struct Expected {
    /// A list or an object.
    container: bool,
    /// Free text.
    text: bool,
}

impl Expected {
    fn of(property: &Value, schema: &Map<String, Value>) -> Self {
        let mut expected = Self::default();
        expected.read(property, schema, 0);
        expected
    }

    fn read(&mut self, property: &Value, schema: &Map<String, Value>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let target = property
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|name| lookup(schema, name));
        let alternatives = ["anyOf", "oneOf"]
            .into_iter()
            .filter_map(|name| property.get(name).and_then(Value::as_array))
            .flatten();
        for other in target.into_iter().chain(alternatives) {
            self.read(other, schema, depth + 1);
        }
        // A choice of words is no free text: pieces of it mean nothing joined.
        let is_choice = property.get("enum").is_some() || property.get("const").is_some();
        let one = property.get("type");
        let names = one
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .chain(one);
        for name in names.filter_map(Value::as_str) {
            match name {
                "array" | "object" => self.container = true,
                "string" => self.text |= !is_choice,
                _ => {}
            }
        }
    }
}

fn lookup<'a>(schema: &'a Map<String, Value>, reference: &str) -> Option<&'a Value> {
    let mut parts = reference.strip_prefix("#/")?.split('/');
    let first = schema.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))
}

#[cfg(test)]
#[path = "types_tests.rs"]
mod tests;
