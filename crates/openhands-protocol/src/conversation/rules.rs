//! What requests about conversations must keep to beyond their types.

use serde_json::{Map, Value};

use crate::schema::{Branch, Described, Schema};

/// Longest value of a tag, in characters.
const MAX_TAG_CHARS: usize = 256;
/// Longest name of a span, in characters.
const MAX_SPAN_NAME_CHARS: usize = 128;

/// Tags have plain names and short values.
pub(super) fn tags(tags: &Value) -> Result<(), String> {
    for (key, value) in tags.as_object().into_iter().flatten() {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        if key.is_empty() || !key.bytes().all(plain) {
            return Err(format!(
                "Tag key '{key}' is invalid: keys must be lowercase alphanumeric only"
            ));
        }
        let chars = value.as_str().map_or(0, |text| text.chars().count());
        if chars > MAX_TAG_CHARS {
            return Err(format!(
                "Tag value for '{key}' exceeds maximum length of {MAX_TAG_CHARS} characters"
            ));
        }
    }
    Ok(())
}

/// A title has something to show.
pub(super) fn title(title: &Value) -> Result<(), String> {
    match title.as_str() {
        Some(text) if text.trim().is_empty() => Err("title must not be blank".to_owned()),
        _ => Ok(()),
    }
}

/// Values of trace metadata are scalars or lists of one sort.
pub(super) fn observability_metadata(metadata: &Value) -> Result<(), String> {
    let Some(members) = metadata.as_object() else {
        return Err("Observability metadata must be a mapping".to_owned());
    };
    for (key, value) in members {
        if !is_trace_value(value) {
            return Err(format!(
                "Observability metadata value for '{key}' must be a scalar or a homogeneous sequence of \
                 strings, booleans, integers, or floats (mixed numeric types such as [1, 1.5] are not \
                 supported by OpenTelemetry)"
            ));
        }
    }
    Ok(())
}

/// What values of trace metadata look like.
pub(super) fn trace_metadata() -> &'static Schema {
    const fn branch(label: &'static str, schema: fn() -> &'static Schema) -> Branch {
        Branch { label, schema }
    }
    const VALUES: &[Branch] = &[
        branch("str", String::schema),
        branch("bool", bool::schema),
        branch("int", i64::schema),
        branch("float", f64::schema),
        branch("list[str]", <Vec<String>>::schema),
        branch("list[bool]", <Vec<bool>>::schema),
        branch("list[int]", <Vec<i64>>::schema),
        branch("list[float]", <Vec<f64>>::schema),
    ];
    &Schema::Map(|| &Schema::OneOf(VALUES))
}

fn is_trace_value(value: &Value) -> bool {
    let sort = |value: &Value| match value {
        Value::String(_) => Some(0),
        Value::Bool(_) => Some(1),
        Value::Number(number) if number.is_f64() => Some(2),
        Value::Number(_) => Some(3),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    match value {
        Value::Array(items) => {
            let first = items.first().map(sort);
            items
                .iter()
                .all(|item| sort(item).is_some() && Some(sort(item)) == first)
        }
        other => sort(other).is_some(),
    }
}

/// Span tags are texts.
pub(super) fn observability_tags(tags: &Value) -> Result<(), String> {
    let Some(tags) = tags.as_array() else {
        return Err("Observability tags must be a list".to_owned());
    };
    if tags
        .iter()
        .all(|tag| tag.as_str().is_some_and(|tag| !tag.is_empty()))
    {
        Ok(())
    } else {
        Err("Observability tags must be non-empty strings".to_owned())
    }
}

/// A span has a short plain name.
pub(super) fn observability_span_name(name: &Value) -> Result<(), String> {
    let Some(name) = name.as_str().filter(|name| !name.is_empty()) else {
        return Err("Observability span name must be a non-empty string".to_owned());
    };
    if name.chars().count() > MAX_SPAN_NAME_CHARS {
        return Err(format!(
            "Observability span name exceeds maximum length of {MAX_SPAN_NAME_CHARS} characters"
        ));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
    if name.chars().all(plain) {
        Ok(())
    } else {
        Err(
            "Observability span name may only contain letters, numbers, dots, underscores, colons, \
             slashes, and hyphens"
                .to_owned(),
        )
    }
}

/// Whether a member has a value.
fn has(members: &Map<String, Value>, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

/// A stored agent does not go with another source of the agent.
pub(super) fn one_agent(members: &Map<String, Value>) -> Result<(), String> {
    let others: Vec<_> = ["agent", "agent_settings"]
        .into_iter()
        .filter(|name| has(members, name))
        .map(|name| format!("`{name}`"))
        .collect();
    if has(members, "agent_profile_id") && !others.is_empty() {
        return Err(format!(
            "`agent_profile_id` is mutually exclusive with {}",
            others.join(", ")
        ));
    }
    Ok(())
}

/// There is an agent, and only a stored one can have another model.
pub(super) fn some_agent(members: &Map<String, Value>) -> Result<(), String> {
    let sources = ["agent", "agent_settings", "agent_profile_id"];
    if !sources.into_iter().any(|name| has(members, name)) {
        return Err(
            "One of `agent`, `agent_settings`, or `agent_profile_id` must be provided".to_owned(),
        );
    }
    let other_model = members
        .get("agent_launch_additions")
        .and_then(|additions| additions.get("llm_profile_ref"))
        .is_some_and(|model| !model.is_null());
    if other_model && !has(members, "agent_profile_id") {
        return Err(
            "`agent_launch_additions.llm_profile_ref` requires `agent_profile_id`".to_owned(),
        );
    }
    Ok(())
}

/// A worktree of a ref names the ref.
pub(super) fn worktree(members: &Map<String, Value>) -> Result<(), String> {
    let by_ref = members.get("base").and_then(Value::as_str) == Some("ref");
    if by_ref && !has(members, "ref") {
        return Err("A `ref` base needs a `ref`".to_owned());
    }
    Ok(())
}
