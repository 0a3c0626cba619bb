//! One server of a posted set: what clients may write, and what is made of it.

use std::sync::LazyLock;

use indexmap::IndexMap;
use openhands_protocol::mcp::{McpServer, McpTransport};
use openhands_protocol::{Secret, StarredSecret};
use regex::Regex;
use serde_json::{Map, Value};

use crate::services::settings::shell_words;

/// The names of servers and of profiles.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("^[a-zA-Z0-9_-]+$").ok());

/// A server to route to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) server: McpServer,
    /// The named sets that it belongs to, beside that of all servers.
    pub(super) profiles: Vec<String>,
}

/// A posted set that cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Misshapen {
    #[error("the body is not a list")]
    NotAList,
    #[error("server {position}: {why}")]
    Entry { position: usize, why: String },
}

/// The servers of a posted set. Of two with one name, the later counts, as in a map.
pub(super) fn read_set(body: &Value) -> Result<Vec<Entry>, Misshapen> {
    let Value::Array(items) = body else {
        return Err(Misshapen::NotAList);
    };
    let mut entries: IndexMap<String, Entry> = IndexMap::new();
    for (position, item) in items.iter().enumerate() {
        let entry = read_entry(item).map_err(|why| Misshapen::Entry { position, why })?;
        if let Some(earlier) = entries.insert(entry.name.clone(), entry) {
            tracing::warn!(
                name = earlier.name,
                "two MCP servers have this name; the later counts"
            );
        }
    }
    Ok(entries.into_values().collect())
}

fn read_entry(item: &Value) -> Result<Entry, String> {
    let Value::Object(members) = item else {
        return Err("a server is an object".to_owned());
    };
    let name = word(members, "name")?.ok_or("'name' is missing")?;
    let name = named("name", name)?;
    let transport = match word(members, "transport")? {
        Some("stdio") => Some(McpTransport::Stdio),
        Some("http" | "shttp") => Some(McpTransport::Http),
        Some("streamable-http") => Some(McpTransport::StreamableHttp),
        Some("sse") => Some(McpTransport::Sse),
        Some(other) => return Err(format!("no transport is called '{other}'")),
        None => None,
    };
    let command = word(members, "command")?.filter(|command| !command.is_empty());
    let url = word(members, "url")?.filter(|url| !url.is_empty());
    let is_program = match transport {
        Some(McpTransport::Stdio) => true,
        Some(_) => false,
        None => command.is_some(),
    };
    let server = if is_program {
        program(members, command.ok_or("'command' is missing")?)?
    } else {
        let url = url.ok_or("'command' or 'url' is missing")?;
        remote(members, url, transport)?
    };
    Ok(Entry {
        name,
        server,
        profiles: profiles(members)?,
    })
}

/// A program that speaks over its standard input and output.
fn program(members: &Map<String, Value>, command: &str) -> Result<McpServer, String> {
    if command.chars().any(char::is_whitespace) {
        return Err("'command' is one word; the others are 'args'".to_owned());
    }
    Ok(McpServer {
        command: Some(command.to_owned()),
        args: Some(arguments(members.get("args"))?),
        env: Some(environment(members.get("env"))?),
        ..McpServer::default()
    })
}

/// A server of the web. `api_key` is a bearer token, as in a client's own settings.
fn remote(
    members: &Map<String, Value>,
    url: &str,
    transport: Option<McpTransport>,
) -> Result<McpServer, String> {
    let mut headers = match members.get("headers") {
        None | Some(Value::Null) => IndexMap::new(),
        Some(Value::Object(given)) => texts(given, "headers")?,
        Some(_) => return Err("'headers' is a map of texts".to_owned()),
    };
    if let Some(key) = word(members, "api_key")?.filter(|key| !key.is_empty()) {
        let has_one = headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("authorization"));
        if !has_one {
            let bearer = StarredSecret::new(format!("Bearer {key}"));
            headers.insert("Authorization".to_owned(), bearer);
        }
    }
    Ok(McpServer {
        url: Some(url.to_owned()),
        transport,
        headers: Some(headers),
        ..McpServer::default()
    })
}

/// A list of texts, or one text in which a shell would find them.
fn arguments(value: Option<&Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => {
            shell_words::split(text).map_err(|why| format!("'args': {why}"))
        }
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| "'args' is a list of texts".to_owned()),
        Some(_) => Err("'args' is a list of texts".to_owned()),
    }
}

/// A map of texts, or one text with `NAME=value` parts between commas.
fn environment(value: Option<&Value>) -> Result<IndexMap<String, StarredSecret>, String> {
    match value {
        None | Some(Value::Null) => Ok(IndexMap::new()),
        Some(Value::Object(given)) => texts(given, "env"),
        Some(Value::String(text)) => text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| {
                let (name, value) = part.split_once('=')?;
                let name = name.trim();
                (!name.is_empty()).then(|| (name.to_owned(), StarredSecret::new(value)))
            })
            .collect::<Option<_>>()
            .ok_or_else(|| "'env' has a part that is not NAME=value".to_owned()),
        Some(_) => Err("'env' is a map of texts".to_owned()),
    }
}

fn texts(
    given: &Map<String, Value>,
    member: &str,
) -> Result<IndexMap<String, StarredSecret>, String> {
    given
        .iter()
        .map(|(name, value)| {
            let text = value.as_str()?;
            Some((name.clone(), StarredSecret(Secret::new(text))))
        })
        .collect::<Option<_>>()
        .ok_or_else(|| format!("'{member}' is a map of texts"))
}

/// One name or a list of names.
fn profiles(members: &Map<String, Value>) -> Result<Vec<String>, String> {
    match members.get("profile") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(name)) => Ok(vec![named("profile", name)?]),
        Some(Value::Array(names)) => names
            .iter()
            .map(|name| {
                let name = name.as_str().ok_or("'profile' is a name or several")?;
                named("profile", name)
            })
            .collect(),
        Some(_) => Err("'profile' is a name or several".to_owned()),
    }
}

fn named(member: &str, text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_name = NAME.as_ref().is_some_and(|name| name.is_match(text));
    is_name
        .then(|| text.to_owned())
        .ok_or_else(|| format!("'{member}' has only letters, digits, '_' and '-'"))
}

fn word<'a>(members: &'a Map<String, Value>, member: &str) -> Result<Option<&'a str>, String> {
    match members.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim())),
        Some(_) => Err(format!("'{member}' is a text")),
    }
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
