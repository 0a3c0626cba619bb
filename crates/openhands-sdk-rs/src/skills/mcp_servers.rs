//! The MCP servers that come with a skill.

use std::path::Path;

use indexmap::IndexMap;
use openhands_protocol::mcp::McpServer;
use serde_json::{Map, Value};

use crate::skills::error::SkillError;

/// Reads the text of a `.mcp.json`. `${SKILL_ROOT}` is the directory that it stands in; other variables are left for
/// whoever starts the servers, who knows the secrets.
pub(crate) fn from_file(
    json: &str,
    skill_root: &Path,
) -> Result<IndexMap<String, McpServer>, SkillError> {
    let mut config: Value =
        serde_json::from_str(json).map_err(|error| SkillError::Mcp(error.to_string()))?;
    fill_in(&mut config, &skill_root.display().to_string());
    let Value::Object(mut config) = config else {
        return Err(SkillError::Mcp("an object is expected".to_owned()));
    };
    match config.remove("mcpServers") {
        None => Ok(IndexMap::new()),
        Some(servers) => read(servers),
    }
}

/// Reads the `mcp_tools` of front matter: servers by name, or an object that has them under `mcpServers`.
pub(crate) fn from_front_matter(
    head: &Map<String, Value>,
) -> Result<Option<IndexMap<String, McpServer>>, SkillError> {
    match head.get("mcp_tools") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(config)) => {
            let servers = config.get("mcpServers").unwrap_or(&Value::Null);
            let servers = if servers.is_null() {
                Value::Object(config.clone())
            } else {
                servers.clone()
            };
            read(servers).map(Some)
        }
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(SkillError::Field {
                field: "mcp_tools",
                expected: "a mapping",
            })
        }
    }
}

fn read(servers: Value) -> Result<IndexMap<String, McpServer>, SkillError> {
    let Value::Object(servers) = servers else {
        return Err(SkillError::Mcp("servers by name are expected".to_owned()));
    };
    servers
        .into_iter()
        .map(|(name, server)| {
            let wrong =
                |why: &dyn std::fmt::Display| SkillError::Mcp(format!("server '{name}': {why}"));
            let server: McpServer =
                serde_json::from_value(server).map_err(|error| wrong(&error))?;
            if server.url.is_none() && server.command.is_none() {
                return Err(wrong(&"it has neither a command nor a url"));
            }
            Ok((name, server))
        })
        .collect()
}

fn fill_in(value: &mut Value, skill_root: &str) {
    const VARIABLE: &str = "${SKILL_ROOT}";
    match value {
        Value::String(text) => {
            if text.contains(VARIABLE) {
                *text = text.replace(VARIABLE, skill_root);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in(item, skill_root)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| fill_in(member, skill_root)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
#[path = "mcp_servers_tests.rs"]
mod tests;
