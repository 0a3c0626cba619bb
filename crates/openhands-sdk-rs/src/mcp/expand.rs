//! References to variables, in the settings of servers and in the arguments of calls.
//!
//! Settings know `${NAME}` and `${NAME:-default}`; arguments know `$NAME` too. A name that nobody knows and that
//! has no default stays as it is written.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use openhands_protocol::mcp::McpServer;
use openhands_protocol::{Form, JsonObject, Names, Nulls, Secrets};
use serde_json::Value;

use super::config::ConfigError;

/// The settings with everything that `lookup` knows put in place: secrets of the conversation first, then the
/// environment, is the order that clients expect of it.
///
/// All strings are looked at, keys and secrets included.
pub fn expand_servers(
    servers: &IndexMap<String, McpServer>,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<IndexMap<String, McpServer>, ConfigError> {
    let expanded = expand(&plain(servers)?, Syntax::Braced, &lookup);
    serde_json::from_value(expanded).map_err(|error| ConfigError::Malformed(error.to_string()))
}

/// The names that [`expand_servers`] would look up.
pub fn variables_in_servers(
    servers: &IndexMap<String, McpServer>,
) -> Result<BTreeSet<String>, ConfigError> {
    Ok(names(&plain(servers)?, Syntax::Braced))
}

/// The arguments of a call with everything that `lookup` knows put in place: secrets only, never the environment.
pub fn expand_arguments(
    arguments: &JsonObject,
    lookup: impl Fn(&str) -> Option<String>,
) -> JsonObject {
    match expand(&Value::Object(arguments.0.clone()), Syntax::Shell, &lookup) {
        Value::Object(members) => members.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            arguments.clone()
        }
    }
}

/// The names that [`expand_arguments`] would look up.
pub fn variables_in_arguments(arguments: &JsonObject) -> BTreeSet<String> {
    names(&Value::Object(arguments.0.clone()), Syntax::Shell)
}

fn plain(servers: &IndexMap<String, McpServer>) -> Result<Value, ConfigError> {
    Form::new(Nulls::Omit, Secrets::Plain, Names::Internal)
        .to_value(servers)
        .map_err(|error| ConfigError::Malformed(error.to_string()))
}

/// Which references count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// `${NAME}` and `${NAME:-default}`.
    Braced,
    /// Also `$NAME`.
    Shell,
}

fn names(value: &Value, syntax: Syntax) -> BTreeSet<String> {
    let found = std::cell::RefCell::new(BTreeSet::new());
    expand(value, syntax, &|name: &str| {
        found.borrow_mut().insert(name.to_owned());
        None
    });
    found.into_inner()
}

fn expand(value: &Value, syntax: Syntax, lookup: &dyn Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::String(text) => Value::String(expand_text(text, syntax, lookup)),
        Value::Array(items) => items
            .iter()
            .map(|item| expand(item, syntax, lookup))
            .collect(),
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| {
                (
                    expand_text(key, syntax, lookup),
                    expand(value, syntax, lookup),
                )
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// What is put in place is not looked at again: a secret may contain a dollar.
fn expand_text(text: &str, syntax: Syntax, lookup: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let Some(found) = reference(after, syntax) else {
            out.push('$');
            rest = after;
            continue;
        };
        if let Some(value) = lookup(found.name).or_else(|| found.default.map(str::to_owned)) {
            out.push_str(&value);
        } else {
            out.push('$');
            out.push_str(found.written);
        }
        rest = found.after;
    }
    out.push_str(rest);
    out
}

/// A reference, as it stands behind its dollar.
struct Reference<'a> {
    name: &'a str,
    default: Option<&'a str>,
    written: &'a str,
    after: &'a str,
}

fn reference(text: &str, syntax: Syntax) -> Option<Reference<'_>> {
    if let Some(inner) = text.strip_prefix('{') {
        let (body, after) = inner.split_once('}')?;
        let (name, default) = match body.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (body, None),
        };
        let is_name = !name.is_empty() && name_length(name) == name.len();
        return is_name.then(|| Reference {
            name,
            default,
            written: text.strip_suffix(after).unwrap_or(text),
            after,
        });
    }
    let length = name_length(text);
    if syntax == Syntax::Braced || length == 0 {
        return None;
    }
    // A name is ASCII, so its length is a character boundary.
    let (name, after) = text.split_at(length);
    Some(Reference {
        name,
        default: None,
        written: name,
        after,
    })
}

/// How many bytes at the start of `text` are a name.
fn name_length(text: &str) -> usize {
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    text.bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count()
}

#[cfg(test)]
#[path = "expand_tests.rs"]
mod tests;
