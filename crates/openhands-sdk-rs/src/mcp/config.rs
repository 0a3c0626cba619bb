//! From a server's settings to a way to reach it.

use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;
use openhands_protocol::Secret;
use openhands_protocol::mcp::{McpAuth, McpOauthAuth, McpServer, McpTransport};
use reqwest::Url;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value};

use super::auth;

/// How long the stream of an SSE server may be silent, unless its settings say so.
const SSE_READ_LIMIT: Duration = Duration::from_mins(5);

/// The settings of servers are not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// There is nothing to start.
    #[error("stdio MCP servers require 'command'")]
    NoCommand,
    /// There is nothing to connect to.
    #[error("remote MCP servers require 'url'")]
    NoUrl,
    /// There is neither.
    #[error("an MCP server needs a 'command' to start or a 'url' to connect to")]
    Unreachable,
    /// Two ways to authenticate.
    #[error(
        "'auth' cannot be combined with an explicit top-level 'Authorization' header; \
         use auth.strategy='header' instead."
    )]
    TwoAuthorizations,
    /// Not an address of the web.
    #[error("Invalid URL: {0}")]
    Url(String),
    /// Not a header of HTTP; the value is not shown.
    #[error("the header '{0}' cannot be sent")]
    Header(String),
    /// A word that nobody knows.
    #[error("unknown {what} '{word}'")]
    Unknown {
        /// What it should name.
        what: &'static str,
        /// The word.
        word: String,
    },
    /// A limit that is no time.
    #[error("'{0}' is not a number of seconds")]
    Seconds(&'static str),
    /// There are servers, but none is enabled.
    #[error(
        "All configured MCP servers are disabled: {}. Enable at least one, or skip the call entirely.",
        .0.join(", ")
    )]
    AllDisabled(Vec<String>),
    /// The pattern for tools cannot be read.
    #[error("the filter for tools is no regular expression: {0}")]
    Filter(String),
    /// Not the shape of settings.
    #[error("malformed MCP settings: {0}")]
    Malformed(String),
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub(super) enum Endpoint {
    /// A program of ours; messages go through its standard input and output.
    Stdio(Program),
    /// Streamable HTTP.
    Http(Remote),
    /// The older way: an event stream, and a second address for what we say.
    Sse(Remote),
}

/// A program to start.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, Secret)>,
    pub(super) cwd: Option<PathBuf>,
    /// Whether it runs where the tools do.
    pub(super) in_sandbox: bool,
}

/// A server of the web.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    pub(super) url: Url,
    /// Those of the settings and of the authentication.
    pub(super) headers: HeaderMap,
    pub(super) oauth: Option<McpOauthAuth>,
    /// For event streams of the older way only.
    pub(super) read_limit: Duration,
}

/// Reads settings as other programs write them: `{"mcpServers": {name: server}}` or the bare map.
///
/// `type` counts as `transport`, `shttp` as `http`; members that nobody knows are dropped.
pub fn read_servers(value: &Value) -> Result<IndexMap<String, McpServer>, ConfigError> {
    let servers = match value {
        Value::Null => return Ok(IndexMap::new()),
        Value::Object(members) => members.get("mcpServers").unwrap_or(value),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => value,
    };
    let servers = match servers {
        Value::Null => return Ok(IndexMap::new()),
        Value::Object(servers) => servers,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(ConfigError::Malformed(
                "a map of servers is expected".to_owned(),
            ));
        }
    };
    servers
        .iter()
        .map(|(name, server)| {
            let server = read_server(server)
                .map_err(|problem| ConfigError::Malformed(format!("{name}: {problem}")))?;
            endpoint_of(&server)?;
            Ok((name.clone(), server))
        })
        .collect()
}

fn read_server(value: &Value) -> Result<McpServer, String> {
    let Value::Object(members) = value else {
        return Err("a server is an object".to_owned());
    };
    let mut members: Map<String, Value> = members.clone();
    let kind = members.shift_remove("type");
    if let Some(kind) = kind.filter(|kind| !kind.is_null() && !members.contains_key("transport")) {
        members.insert("transport".to_owned(), kind);
    }
    if let Some(transport) = members.get_mut("transport")
        && transport == "shttp"
    {
        *transport = Value::from("http");
    }
    let mut server: McpServer =
        serde_json::from_value(Value::Object(members)).map_err(|error| error.to_string())?;
    let unknown: Vec<String> = server.extra.keys().map(str::to_owned).collect();
    for member in unknown {
        server.extra.remove(&member);
    }
    Ok(server)
}

/// A server by its name.
pub(super) type Named = (String, Result<Endpoint, ConfigError>);

/// The servers that are enabled, with how they are reached; an unusable one keeps its reason.
///
/// Servers of which none is enabled are an error, no servers at all are not.
pub(super) fn enabled(servers: &IndexMap<String, McpServer>) -> Result<Vec<Named>, ConfigError> {
    let enabled: Vec<_> = servers
        .iter()
        .filter(|(_, server)| server.enabled)
        .map(|(name, server)| (name.clone(), endpoint_of(server)))
        .collect();
    if enabled.is_empty() && !servers.is_empty() {
        let mut names: Vec<String> = servers.keys().cloned().collect();
        names.sort();
        return Err(ConfigError::AllDisabled(names));
    }
    Ok(enabled)
}

/// How a server is reached.
pub(super) fn endpoint_of(server: &McpServer) -> Result<Endpoint, ConfigError> {
    let command = given(server.command.as_deref());
    let url = given(server.url.as_deref());
    if server.auth.is_some() && has_authorization(server) {
        return Err(ConfigError::TwoAuthorizations);
    }
    match &server.transport {
        Some(McpTransport::Stdio) => Ok(program(server, command.ok_or(ConfigError::NoCommand)?)),
        Some(McpTransport::Http | McpTransport::StreamableHttp) => {
            remote(server, url.ok_or(ConfigError::NoUrl)?).map(Endpoint::Http)
        }
        Some(McpTransport::Sse) => {
            remote(server, url.ok_or(ConfigError::NoUrl)?).map(Endpoint::Sse)
        }
        Some(McpTransport::Other(word)) => Err(ConfigError::Unknown {
            what: "transport",
            word: word.to_string(),
        }),
        None => match (command, url) {
            (Some(command), _) => Ok(program(server, command)),
            (None, Some(url)) => {
                let remote = remote(server, url)?;
                Ok(if speaks_sse(&remote.url) {
                    Endpoint::Sse(remote)
                } else {
                    Endpoint::Http(remote)
                })
            }
            (None, None) => Err(ConfigError::Unreachable),
        },
    }
}

fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn has_authorization(server: &McpServer) -> bool {
    server
        .headers
        .iter()
        .flatten()
        .any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
}

fn program(server: &McpServer, command: &str) -> Endpoint {
    Endpoint::Stdio(Program {
        command: command.to_owned(),
        args: server.args.clone().unwrap_or_default(),
        // A secret that is not known here is left out rather than sent as stars.
        env: server
            .env
            .iter()
            .flatten()
            .filter(|(_, value)| value.expose().is_some())
            .map(|(name, value)| (name.clone(), value.0.clone()))
            .collect(),
        cwd: given(server.cwd.as_deref()).map(PathBuf::from),
        in_sandbox: server.sandbox == Some(true),
    })
}

fn remote(server: &McpServer, url: &str) -> Result<Remote, ConfigError> {
    let parsed = Url::parse(url)
        .ok()
        .filter(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host())
        .ok_or_else(|| ConfigError::Url(url.to_owned()))?;
    Ok(Remote {
        url: parsed,
        headers: auth::headers(server)?,
        oauth: match &server.auth {
            Some(McpAuth::Oauth(oauth)) => Some(oauth.clone()),
            Some(
                McpAuth::None(_)
                | McpAuth::ApiKey(_)
                | McpAuth::Bearer(_)
                | McpAuth::Basic(_)
                | McpAuth::Header(_)
                | McpAuth::Unknown(_),
            )
            | None => None,
        },
        read_limit: match server.sse_read_timeout {
            None => SSE_READ_LIMIT,
            Some(seconds) => Duration::try_from_secs_f64(seconds)
                .map_err(|_| ConfigError::Seconds("sse_read_timeout"))?,
        },
    })
}

/// Whether an address without a transport looks like the older way: a whole part of its path is `sse`.
fn speaks_sse(url: &Url) -> bool {
    url.path()
        .split('/')
        .skip(1)
        .any(|part| part == "sse" || part.starts_with("sse&"))
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
