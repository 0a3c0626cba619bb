//! What a client sent is shown back to it without what may be secret.

use openhands_protocol::secrets::is_secret_name;
use serde_json::Value;

const REDACTED: &str = "<redacted>";

/// A copy without the values of members that have secret names, and without any under `env` and `headers`.
pub(super) fn redacted(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), member(name, value)))
            .collect(),
        Value::Array(items) => items.iter().map(redacted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn member(name: &str, value: &Value) -> Value {
    let is_secret = ["env", "environment", "headers"]
        .iter()
        .any(|secret| name.eq_ignore_ascii_case(secret));
    if is_secret {
        all(value)
    } else if is_secret_name(name) {
        REDACTED.into()
    } else {
        redacted(value)
    }
}

/// The names, and none of the values.
fn all(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), all(value)))
            .collect(),
        Value::Array(items) => items.iter().map(all).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => REDACTED.into(),
    }
}
