//! Places in a reply: what is at `/usage/prompt_tokens`.

use serde_json::Value;

/// What is at a place. As [`Value::pointer`], but without a copy of every name, which that makes to undo escapes: names of providers have none,
/// and a dozen places are looked at in every reply.
pub(crate) fn at<'a>(value: &'a Value, place: &str) -> Option<&'a Value> {
    place
        .split('/')
        .skip(1)
        .try_fold(value, |value, name| match value {
            Value::Object(members) => members.get(name),
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        })
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
