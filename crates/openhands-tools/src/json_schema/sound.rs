//! Whether a schema itself is well formed, so that checking values against it cannot go wrong later.

use super::{MAX_DEPTH, lookup};
use fancy_regex::Regex;
use serde_json::{Map, Value};

const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
const ONE: [&str; 9] = [
    "items",
    "additionalProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];
const SEVERAL: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED: [&str; 4] = [
    "properties",
    "patternProperties",
    "$defs",
    "dependentSchemas",
];
const COUNTS: [&str; 8] = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
];
const LIMITS: [&str; 4] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
/// Keywords that could change the verdict and are not understood here.
const UNSUPPORTED: [&str; 4] = [
    "$dynamicRef",
    "$recursiveRef",
    "unevaluatedItems",
    "unevaluatedProperties",
];

pub(super) fn check(schema: &Value, root: &Value, depth: usize) -> Result<(), String> {
    let fields = match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(fields) => fields,
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(format!("{schema} is not a schema"));
        }
    };
    if depth > MAX_DEPTH {
        return Err("it is nested too deep".to_owned());
    }
    if let Some(keyword) = UNSUPPORTED.iter().find(|key| fields.contains_key(**key)) {
        return Err(format!("`{keyword}` is not supported"));
    }
    keywords(fields)?;
    if let Some(reference) = fields.get("$ref") {
        let known = reference.as_str().and_then(|name| lookup(root, name));
        if !known.is_some_and(|target| target.is_object() || target.is_boolean()) {
            return Err(format!("the reference {reference} leads to no schema"));
        }
    }
    below(fields, |inner| check(inner, root, depth + 1))
}

/// Calls `each` with every schema directly inside this one.
fn below(
    fields: &Map<String, Value>,
    each: impl Fn(&Value) -> Result<(), String>,
) -> Result<(), String> {
    for key in ONE {
        fields.get(key).map_or(Ok(()), &each)?;
    }
    for key in SEVERAL {
        let Some(value) = fields.get(key) else {
            continue;
        };
        let schemas = value.as_array().filter(|schemas| !schemas.is_empty());
        let wrong = || format!("`{key}` must be a list of schemas");
        schemas.ok_or_else(wrong)?.iter().try_for_each(&each)?;
    }
    for key in NAMED {
        let Some(value) = fields.get(key) else {
            continue;
        };
        let wrong = || format!("`{key}` must be an object of schemas");
        let schemas = value.as_object().ok_or_else(wrong)?;
        schemas.values().try_for_each(&each)?;
    }
    Ok(())
}

/// The keywords that hold no schemas.
fn keywords(fields: &Map<String, Value>) -> Result<(), String> {
    for (key, value) in fields {
        let key = key.as_str();
        let sound = match key {
            "type" => is_type(value),
            "enum" => value.is_array(),
            "required" => is_strings(value),
            "dependentRequired" => value
                .as_object()
                .is_some_and(|named| named.values().all(is_strings)),
            "uniqueItems" => value.is_boolean(),
            "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
            "pattern" => value.as_str().is_some_and(is_pattern),
            "patternProperties" => value
                .as_object()
                .is_some_and(|named| named.keys().all(|pattern| is_pattern(pattern))),
            "title" | "description" | "format" | "$id" | "$schema" | "$comment" => {
                value.is_string()
            }
            _ if LIMITS.contains(&key) => value.is_number(),
            _ if COUNTS.contains(&key) => {
                value.as_f64().is_some_and(|n| n >= 0.0 && n.fract() == 0.0)
            }
            _ => true,
        };
        if !sound {
            return Err(format!("`{key}` cannot be {value}"));
        }
    }
    Ok(())
}

fn is_type(value: &Value) -> bool {
    let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(names) => !names.is_empty() && names.iter().all(known),
        one => known(one),
    }
}

fn is_strings(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(Value::is_string))
}

fn is_pattern(pattern: &str) -> bool {
    Regex::new(pattern).is_ok()
}
