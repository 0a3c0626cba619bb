//! Settings that an older version wrote, brought into today's shape.

use openhands_protocol::Wire;
use openhands_protocol::mcp::McpServer;
use serde_json::{Map, Value, json};

use crate::services::settings::canonical_llm;
use crate::services::settings::migrate_mcp;
use crate::services::settings::tool_selection;

/// The version of agent settings that is written now.
const AGENT_SETTINGS_VERSION: i64 = 9;

/// Where settings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// From a file.
    Stored,
    /// From a client that writes them now.
    Request,
}

/// Agent settings in today's shape. The error is a sentence for the client.
pub(crate) fn agent_settings(
    mut settings: Map<String, Value>,
    origin: Origin,
) -> Result<Map<String, Value>, String> {
    // Only a client that does not name a version writes in today's shape, and must not use what is gone from it.
    let is_fresh =
        origin == Origin::Request && settings.get("schema_version").is_none_or(Value::is_null);
    if is_fresh {
        refuse_removed(&settings)?;
    }
    let mut version = version(&settings)?;
    while version < AGENT_SETTINGS_VERSION {
        step(version, &mut settings, is_fresh)?;
        version += 1;
    }
    settings.insert("schema_version".to_owned(), json!(AGENT_SETTINGS_VERSION));
    if settings.get("agent_kind").and_then(Value::as_str) == Some("llm") {
        settings.insert("agent_kind".to_owned(), json!("openhands"));
    }
    refuse_removed(&settings)?;
    Ok(settings)
}

fn version(settings: &Map<String, Value>) -> Result<i64, String> {
    let version = match settings.get("schema_version") {
        None | Some(Value::Null) => 0,
        Some(Value::Number(number)) if number.is_i64() || number.is_u64() => {
            number.as_i64().unwrap_or(i64::MAX)
        }
        Some(other) => {
            return Err(format!(
                "AgentSettings schema_version must be an integer, got {}.",
                python_type(other)
            ));
        }
    };
    if version < 0 {
        return Err("AgentSettings schema_version must be non-negative.".to_owned());
    }
    if version > AGENT_SETTINGS_VERSION {
        return Err(format!(
            "AgentSettings schema_version {version} is newer than supported version {AGENT_SETTINGS_VERSION}."
        ));
    }
    Ok(version)
}

/// What Python calls the type of a value.
fn python_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// Switches that were replaced by a selection of tools, and the model of an external agent.
fn refuse_removed(settings: &Map<String, Value>) -> Result<(), String> {
    let mut removed: Vec<&str> = tool_selection::RETIRED_SWITCHES
        .into_iter()
        .filter(|switch| settings.contains_key(*switch))
        .collect();
    if is_acp(settings) && settings.contains_key("llm") {
        removed.push("llm");
    }
    if removed.is_empty() {
        return Ok(());
    }
    removed.sort_unstable();
    Err(format!("Removed agent settings: {}", removed.join(", ")))
}

fn is_acp(settings: &Map<String, Value>) -> bool {
    settings.get("agent_kind").and_then(Value::as_str) == Some("acp")
}

/// One version further.
fn step(version: i64, settings: &mut Map<String, Value>, is_fresh: bool) -> Result<(), String> {
    match version {
        0 => {
            settings
                .entry("agent_kind")
                .or_insert_with(|| json!("openhands"));
        }
        1 if settings.get("agent_kind").and_then(Value::as_str) == Some("llm") => {
            settings.insert("agent_kind".to_owned(), json!("openhands"));
        }
        2 => {
            // Moved to the settings of conversations.
            if let Some(Value::Object(verification)) = settings.get_mut("verification") {
                verification.shift_remove("confirmation_mode");
                verification.shift_remove("security_analyzer");
            }
        }
        3 => {
            if let Some(Value::Object(llm)) = settings.get_mut("llm") {
                canonical_llm::canonicalize(llm);
            }
        }
        4 => {
            if let Some(Value::Object(servers)) = settings.get_mut("mcp_config") {
                *servers = migrate_mcp::servers(std::mem::take(servers));
            }
        }
        5 => {
            if let Some(Value::Object(llm)) = settings.get_mut("llm") {
                llm.shift_remove("modify_params");
            }
        }
        6 if is_acp(settings) => {
            settings.shift_remove("llm");
        }
        7 if !is_fresh => {
            if is_acp(settings) {
                tool_selection::drop_switches(settings);
            } else {
                tool_selection::fold_switches(settings)?;
            }
        }
        8 if !is_fresh => {
            tool_selection::drop_switches(settings);
            if is_acp(settings) {
                settings.shift_remove("llm");
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether a server of tools may have a member of this name.
pub(crate) fn is_server_member(name: &str) -> bool {
    McpServer::FIELDS.contains(&name)
}

#[cfg(test)]
#[path = "migrate_tests.rs"]
mod tests;
