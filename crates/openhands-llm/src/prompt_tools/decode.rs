//! Reads a tool call out of text.

use std::sync::LazyLock;

use openhands_protocol::ToolSpec;
use regex::Regex;
use serde_json::{Map, Value};

use crate::error::{LlmError, LlmErrorKind};
use crate::spaced_json;

/// A call that was found in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decoded {
    /// What was said before the call.
    pub(super) text: String,
    /// The call: the tool's name and its arguments as JSON text.
    pub(super) call: Option<(String, String)>,
}

/// Arguments that every tool takes, whatever its schema says.
const COMMON: &[&str] = &["security_risk", "summary"];

/// Names that models make up.
const ALIASES: &[(&str, &str)] = &[
    ("bash", "terminal"),
    ("command", "terminal"),
    ("execute", "terminal"),
    ("execute_bash", "terminal"),
    ("str_replace", "file_editor"),
    ("str_replace_editor", "file_editor"),
];

static CALL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)<function=([^>\n]+)>(.*?)</function>").ok());
static PARAMETER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)<parameter=([^>\n]+)>(.*?)</parameter>").ok());
/// `<parameter=command=view</parameter>`: the bracket was mistaken for an equals sign.
static EQUALS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"<parameter=([^=>\n]+)=([^<>\n]*)</parameter>").ok());

/// The call in a text, if there is one. Only the first counts.
pub(super) fn decode(text: &str, tools: &[ToolSpec]) -> Result<Decoded, LlmError> {
    let text = repair(text);
    let found = CALL.as_ref().and_then(|call| call.captures(&text));
    let Some((found, name, body)) = found
        .as_ref()
        .and_then(|found| Some((found.get(0)?, found.get(1)?, found.get(2)?)))
    else {
        return Ok(Decoded { text, call: None });
    };
    let name = known_name(name.as_str().trim(), tools);
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
        let names = tools.iter().map(|tool| tool.name.as_str());
        return Err(invalid(format!(
            "Function '{name}' not found in available tools: [{}]",
            quoted(names)
        )));
    };
    let arguments = arguments(body.as_str(), tool)?;
    let before = text.get(..found.start()).unwrap_or_default();
    Ok(Decoded {
        text: before.trim().to_owned(),
        call: Some((
            name.to_owned(),
            spaced_json::to_text(&Value::Object(arguments)),
        )),
    })
}

/// Mends what models and stop words break.
fn repair(text: &str) -> String {
    let Some(begin) = text.find("<function=") else {
        return text.to_owned();
    };
    let (before, rest) = text.split_at_checked(begin).unwrap_or((text, ""));
    let before = before.replace("<tool_call>", "").replace("</think>", "");
    let mut rest = match EQUALS.as_ref() {
        Some(equals) => equals
            .replace_all(rest, "<parameter=$1>$2</parameter>")
            .into_owned(),
        None => rest.to_owned(),
    };
    if !rest.contains("</function>") {
        // The stop word cut the end off, or the model forgot it.
        let kept = rest.trim_end();
        let kept = kept
            .strip_suffix("</function")
            .or_else(|| kept.strip_suffix("</"))
            .unwrap_or(kept);
        let mut kept = kept.to_owned();
        if kept.rfind("<parameter=") > kept.rfind("</parameter>") {
            kept.push_str("</parameter>");
        }
        kept.push_str("\n</function>");
        rest = kept;
    }
    before + &rest
}

fn known_name<'a>(name: &'a str, tools: &[ToolSpec]) -> &'a str {
    if tools.iter().any(|tool| tool.name == name) {
        return name;
    }
    ALIASES
        .iter()
        .find(|(alias, real)| *alias == name && tools.iter().any(|tool| tool.name == *real))
        .map_or(name, |(_, real)| real)
}

fn arguments(body: &str, tool: &ToolSpec) -> Result<Map<String, Value>, LlmError> {
    let properties = tool
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    let mut arguments = Map::new();
    for found in PARAMETER
        .iter()
        .flat_map(|parameter| parameter.captures_iter(body))
    {
        let (Some(name), Some(value)) = (found.get(1), found.get(2)) else {
            continue;
        };
        let name = name.as_str().trim();
        let schema = properties.and_then(|properties| properties.get(name));
        if schema.is_none() && !COMMON.contains(&name) {
            let allowed = properties
                .into_iter()
                .flat_map(Map::keys)
                .map(String::as_str);
            return Err(invalid(format!(
                "Parameter '{name}' is not allowed for function '{}'. Allowed parameters: {{{}}}",
                tool.name,
                quoted(allowed)
            )));
        }
        let value = convert(name, without_outer_newlines(value.as_str()), schema)?;
        arguments.insert(name.to_owned(), value);
    }
    let required = tool
        .input_schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let missing: Vec<_> = required
        .filter_map(Value::as_str)
        .filter(|name| !arguments.contains_key(*name))
        .collect();
    if missing.is_empty() {
        return Ok(arguments);
    }
    Err(invalid(format!(
        "Missing required parameters for function '{}': {{{}}}",
        tool.name,
        quoted(missing.into_iter())
    )))
}

/// A value as long text is written has a newline after the opening and before the closing tag.
fn without_outer_newlines(value: &str) -> &str {
    let value = value.strip_prefix('\n').unwrap_or(value);
    value.strip_suffix('\n').unwrap_or(value)
}

/// Numbers and truth values stay text: the tool's own validation reads them.
fn convert(name: &str, value: &str, schema: Option<&Value>) -> Result<Value, LlmError> {
    let kind = schema
        .and_then(|schema| schema.get("type"))
        .and_then(Value::as_str);
    let expected = |what: &str| invalid(format!("Parameter '{name}' is expected to be {what}."));
    let converted = match kind {
        Some("integer") => value
            .trim()
            .parse::<i64>()
            .map(Value::from)
            .map_err(|_| expected("an integer"))?,
        Some("array") => serde_json::from_str::<Value>(value)
            .ok()
            .filter(Value::is_array)
            .ok_or_else(|| expected("an array"))?,
        _ => Value::from(value),
    };
    if let Some(choices) = schema
        .and_then(|schema| schema.get("enum"))
        .and_then(Value::as_array)
        && !choices.contains(&converted)
    {
        let choices = choices.iter().map(|choice| match choice {
            Value::String(text) => quote(text),
            other => other.to_string(),
        });
        return Err(expected(&format!(
            "one of [{}]",
            choices.collect::<Vec<_>>().join(", ")
        )));
    }
    Ok(converted)
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(quote).collect::<Vec<_>>().join(", ")
}

fn quote(name: &str) -> String {
    if name.contains('\'') && !name.contains('"') {
        format!("\"{name}\"")
    } else {
        format!("'{}'", name.replace('\'', "\\'"))
    }
}

fn invalid(message: String) -> LlmError {
    LlmError::new(LlmErrorKind::FunctionCallValidation, message)
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
