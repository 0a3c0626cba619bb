//! Comparing what came back with what was recorded.

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// How many characters of a long recorded text stand in the file at each end.
const ENDS: usize = 300;

/// The difference between a value and its expectation, if any. Objects are compared by the members expected.
pub(crate) fn value(place: &str, actual: &Value, expected: &Value) -> Option<String> {
    match (actual, expected) {
        (_, Value::Object(fields)) if fields.contains_key("$sha256") => {
            long_text(place, actual, expected)
        }
        (Value::String(actual), Value::String(expected)) => text(place, actual, expected),
        (Value::Object(actual), Value::Object(expected)) => {
            expected.iter().find_map(|(key, expected)| {
                // compat: recordings write what a dump leaves out as null.
                let actual = actual.get(key).unwrap_or(&Value::Null);
                value(&format!("{place}.{key}"), actual, expected)
            })
        }
        (Value::Array(actual), Value::Array(expected)) if actual.len() == expected.len() => actual
            .iter()
            .zip(expected)
            .enumerate()
            .find_map(|(index, (actual, expected))| {
                value(&format!("{place}[{index}]"), actual, expected)
            }),
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        _ if actual == expected => None,
        _ => Some(format!(
            "{place}\n  - expected {expected}\n  + got      {actual}"
        )),
    }
}

/// A text in which `{PID}` stands for any number and `{RAND}` for any token.
fn text(place: &str, actual: &str, expected: &str) -> Option<String> {
    if actual == expected || (expected.contains('{') && matches(actual, expected)) {
        return None;
    }
    Some(format!("{place}\n{}", diff(expected, actual)))
}

fn matches(actual: &str, expected: &str) -> bool {
    let pattern = regex::escape(expected)
        .replace(r"\{PID\}", "[0-9]+")
        .replace(r"\{RAND\}", "[A-Za-z0-9_]+");
    regex::Regex::new(&format!("^(?s:{pattern})$")).is_ok_and(|pattern| pattern.is_match(actual))
}

fn diff(expected: &str, actual: &str) -> String {
    let changes = similar::TextDiff::from_lines(expected, actual);
    changes
        .unified_diff()
        .context_radius(1)
        .missing_newline_hint(false)
        .to_string()
        .lines()
        .take(60)
        .map(|line| format!("  {}", line.escape_debug()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A long text is stored as its length, hash and two ends.
fn long_text(place: &str, actual: &Value, expected: &Value) -> Option<String> {
    let Some(actual) = actual.as_str() else {
        return Some(format!("{place}: expected a text, got {actual}"));
    };
    let length = actual.chars().count();
    let wanted_length = expected.get("$len").and_then(Value::as_u64);
    let mut hash = String::new();
    for byte in Sha256::digest(actual) {
        let _ = write!(hash, "{byte:02x}");
    }
    if wanted_length == u64::try_from(length).ok()
        && expected.get("$sha256").and_then(Value::as_str) == Some(&hash)
    {
        return None;
    }
    let head: String = actual.chars().take(ENDS).collect();
    let tail: String = actual.chars().skip(length.saturating_sub(ENDS)).collect();
    let part = |key: &str| {
        expected
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut problem = format!(
        "{place}: {length} characters instead of {}",
        wanted_length.unwrap_or_default()
    );
    for (name, mine, wanted) in [("head", head, part("$head")), ("tail", tail, part("$tail"))] {
        if mine != wanted {
            let _ = write!(problem, "\n {name}:\n{}", diff(&wanted, &mine));
        }
    }
    Some(problem)
}
