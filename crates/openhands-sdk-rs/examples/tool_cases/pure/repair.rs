//! Repair cases: a call's name and arguments, and argument types by a tool's schema.

use crate::format::string;
use anyhow::Context;
use openhands_protocol::tool::Tool;
use openhands_sdk_rs::agent::repair::{self, GrepProgram};
use openhands_sdk_rs::tools::{Place, Registry};
use serde_json::{Value, json};

pub(super) fn run(case: &Value) -> anyhow::Result<Value> {
    if case.get("tool").is_some() {
        fix(case)
    } else {
        Ok(normalize(case))
    }
}

/// The recordings were made where only the system's grep was installed.
fn normalize(case: &Value) -> Value {
    let tools = case
        .get("tools")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let tools: Vec<&str> = tools.filter_map(Value::as_str).collect();
    let arguments = match repair::parse(&string(case, "arguments")) {
        Ok(arguments) => arguments,
        Err(error) => return json!({"error_type": "JSONDecodeError", "error": error.to_string()}),
    };
    match repair::call(&string(case, "name"), arguments, &tools, GrepProgram::Grep) {
        Ok(call) => {
            json!({"name": call.name, "arguments": exactly(&Value::Object(call.arguments), case)})
        }
        Err(error) => json!({"error_type": "ValueError", "error": error.to_string()}),
    }
}

fn fix(case: &Value) -> anyhow::Result<Value> {
    let name = string(case, "tool");
    let definitions =
        Registry::standard().definitions(&[Tool::new(name.as_str())], &Place::default())?;
    let definition = definitions.get(&name).context("the tool is defined")?;
    let arguments = case
        .get("arguments")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let arguments = repair::types(arguments, &definition.spec().input_schema);
    Ok(json!({"arguments": exactly(&Value::Object(arguments), case)}))
}

/// Objects are compared by the members expected; here none may be left over either.
fn exactly(arguments: &Value, case: &Value) -> Value {
    let expected = case.pointer("/expect/arguments");
    let members = |value: &Value| value.as_object().map(serde_json::Map::len);
    if expected.and_then(members) == members(arguments) {
        arguments.clone()
    } else {
        json!(arguments.to_string())
    }
}
