//! A sub-agent as a Markdown file: front matter says what it is, the body is its prompt.

use std::sync::LazyLock;

use indexmap::IndexMap;
use openhands_protocol::agent::{AgentDefinition, Condenser, NoOpCondenser};
use openhands_protocol::hooks::HookConfig;
use openhands_protocol::mcp::McpServer;
use openhands_protocol::{JsonObject, Reading};
use regex::Regex;
use serde_json::{Map, Value};

use crate::hooks;
use crate::skills::frontmatter;

/// Keys that mean something; all others are kept as metadata.
const KNOWN: [&str; 14] = [
    "name",
    "description",
    "model",
    "color",
    "tools",
    "skills",
    "max_iteration_per_run",
    "max_budget_per_run",
    "hooks",
    "profile_store_dir",
    "mcp_config",
    "mcp_servers",
    "permission_mode",
    "condenser",
];

/// How a sub-agent may treat actions that wait for the user.
const PERMISSION_MODES: [&str; 3] = ["always_confirm", "confirm_risky", "never_confirm"];

/// Ways to say that nothing is to be condensed.
const NO_CONDENSER: [&str; 6] = ["none", "off", "false", "no", "disable", "disabled"];

/// A file is no sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// The front matter cannot be read.
    #[error("the front matter cannot be read: {0}")]
    FrontMatter(String),
    /// A key has a value that it cannot have.
    #[error("`{key}`: {problem}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong.
        problem: String,
    },
}

fn bad(key: &'static str, problem: impl Into<String>) -> DefinitionError {
    DefinitionError::Value {
        key,
        problem: problem.into(),
    }
}

/// Reads the text of a file. `stem` is the file's name without its extension, which names a sub-agent that has no name.
pub fn read_definition(text: &str, stem: &str) -> Result<AgentDefinition, DefinitionError> {
    let frontmatter::Document { mut head, body } = frontmatter::split(text)
        .map_err(|error| DefinitionError::FrontMatter(error.to_string()))?;
    // A key without a value is as if it were not there.
    head.retain(|_, value| !value.is_null());
    let description = head.get("description").map(plain).unwrap_or_default();
    Ok(AgentDefinition {
        name: head.get("name").map_or_else(|| stem.to_owned(), plain),
        when_to_use_examples: examples(&description),
        description,
        model: head
            .get("model")
            .map_or_else(|| "inherit".to_owned(), plain),
        color: head.get("color").map(plain),
        tools: names(head.get("tools"), |one| vec![one.to_owned()]),
        skills: names(head.get("skills"), |several| {
            let each = several.split(',').map(str::trim);
            each.filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect()
        }),
        system_prompt: body.to_owned(),
        hooks: hook_config(head.get("hooks"))?,
        permission_mode: permission_mode(head.get("permission_mode"))?,
        max_iteration_per_run: max_iterations(head.get("max_iteration_per_run"))?,
        max_budget_per_run: max_budget(head.get("max_budget_per_run"))?,
        mcp_config: servers(head.get("mcp_config").or_else(|| head.get("mcp_servers")))?,
        profile_store_dir: profile_store(head.get("profile_store_dir"))?,
        condenser: condenser(head.get("condenser"))?,
        metadata: metadata(head),
        ..AgentDefinition::default()
    })
}

/// A scalar as text.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A list of names, or a text that holds them.
fn names(value: Option<&Value>, of_text: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => of_text(text),
        Some(Value::Array(list)) => list.iter().map(plain).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            Vec::new()
        }
    }
}

/// What stands between `<example>` tags.
fn examples(description: &str) -> Vec<String> {
    static EXAMPLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("(?is)<example>(.*?)</example>").ok());
    EXAMPLE
        .iter()
        .flat_map(|pattern| pattern.captures_iter(description))
        .filter_map(|found| found.get(1))
        .map(|found| found.as_str().trim().to_owned())
        .filter(|example| !example.is_empty())
        .collect()
}

fn permission_mode(value: Option<&Value>) -> Result<Option<String>, DefinitionError> {
    let Some(value) = value else { return Ok(None) };
    let mode = plain(value).trim().to_lowercase();
    if PERMISSION_MODES.contains(&mode.as_str()) {
        return Ok(Some(mode));
    }
    Err(bad(
        "permission_mode",
        format!(
            "'{}' is none of: {}",
            plain(value),
            PERMISSION_MODES.join(", ")
        ),
    ))
}

fn max_iterations(value: Option<&Value>) -> Result<Option<i64>, DefinitionError> {
    let key = "max_iteration_per_run";
    let number = match value {
        Some(Value::String(text)) => Some(
            text.trim()
                .parse()
                .map_err(|_| bad(key, format!("'{text}' is no whole number")))?,
        ),
        Some(value) => value.as_i64(),
        None => None,
    };
    match number {
        Some(number) if number < 1 => Err(bad(key, "it must be more than 0")),
        number => Ok(number),
    }
}

fn max_budget(value: Option<&Value>) -> Result<Option<f64>, DefinitionError> {
    let key = "max_budget_per_run";
    let number = match value {
        Some(Value::String(text)) => Some(
            text.trim()
                .parse()
                .map_err(|_| bad(key, format!("'{text}' is no number")))?,
        ),
        Some(value) => value.as_f64(),
        None => None,
    };
    match number {
        Some(number) if number > 0.0 => Ok(Some(number)),
        Some(_) => Err(bad(key, "it must be more than 0")),
        None => Ok(None),
    }
}

fn hook_config(value: Option<&Value>) -> Result<Option<HookConfig>, DefinitionError> {
    match value {
        Some(mapping @ Value::Object(_)) => hooks::config::from_value(mapping.clone())
            .map(Some)
            .map_err(|error| bad("hooks", error.to_string())),
        _ => Ok(None),
    }
}

fn servers(value: Option<&Value>) -> Result<Option<IndexMap<String, McpServer>>, DefinitionError> {
    let key = "mcp_config";
    let Some(value) = value else { return Ok(None) };
    // The form of other programs' files has one more level.
    let value = value.get("mcpServers").unwrap_or(value);
    if !value.is_object() {
        return Err(bad(key, "it must map names of servers to their settings"));
    }
    Reading::lenient()
        .from_value(value.clone())
        .map(Some)
        .map_err(|error| bad(key, error.to_string()))
}

fn profile_store(value: Option<&Value>) -> Result<Option<String>, DefinitionError> {
    match value {
        None => Ok(None),
        Some(Value::String(path)) => Ok(Some(path.clone())),
        Some(_) => Err(bad("profile_store_dir", "it must be a path")),
    }
}

/// None stands for the usual one.
fn condenser(value: Option<&Value>) -> Result<Option<Condenser>, DefinitionError> {
    let key = "condenser";
    match value {
        None | Some(Value::Null | Value::Bool(true)) => Ok(None),
        Some(Value::Bool(false)) => Ok(Some(Condenser::NoOp(NoOpCondenser::default()))),
        Some(Value::String(word)) => {
            let word = word.trim().to_lowercase();
            if ["", "default", "inherit"].contains(&word.as_str()) {
                Ok(None)
            } else if NO_CONDENSER.contains(&word.as_str()) {
                Ok(Some(Condenser::NoOp(NoOpCondenser::default())))
            } else {
                Err(bad(
                    key,
                    format!("'{word}' is neither 'default' nor 'none' nor a mapping"),
                ))
            }
        }
        Some(mapping @ Value::Object(_)) => Reading::lenient()
            .from_value(mapping.clone())
            .map(Some)
            .map_err(|error| bad(key, error.to_string())),
        Some(other @ (Value::Number(_) | Value::Array(_))) => Err(bad(
            key,
            format!("{other} is neither 'default' nor 'none' nor a mapping"),
        )),
    }
}

fn metadata(mut head: Map<String, Value>) -> JsonObject {
    head.retain(|key, _| !KNOWN.contains(&key.as_str()));
    JsonObject(head)
}

#[cfg(test)]
#[path = "definition_file_tests.rs"]
mod tests;
