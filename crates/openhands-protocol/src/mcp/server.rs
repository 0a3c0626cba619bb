//! How to reach a server of the Model Context Protocol.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::mcp::McpAuth;
use crate::patch::Patch;
use crate::secret::Secret;
use crate::secret::StarredSecret;
use crate::text::words;
use crate::wire::wire;

words! {
    /// How messages travel.
    pub open enum McpTransport {
        Stdio = "stdio",
        Http = "http",
        StreamableHttp = "streamable-http",
        Sse = "sse",
    }
}

wire! {
    /// A server. Members without a value are never written.
    pub struct McpServer (default, closed, after) {
        url when some in [min_length(1)]: Option<String> = None,
        transport when some: Option<McpTransport> = None,
        command when some in [min_length(1)]: Option<String> = None,
        args when some: Option<Vec<String>> = None,
        env when some: Option<IndexMap<String, StarredSecret>> = None,
        cwd when some: Option<String> = None,
        description when some: Option<String> = None,
        icon when some: Option<String> = None,
        timeout when some: Option<f64> = None,
        sse_read_timeout when some: Option<f64> = None,
        keep_alive when some: Option<bool> = None,
        headers when some: Option<IndexMap<String, StarredSecret>> = None,
        auth when some: Option<McpAuth> = None,
        enabled: bool = true,
        /// Whether a program runs where the tools of the conversation do. Ours.
        sandbox when some: Option<bool> = None,
    }

    /// Changes to a server.
    pub struct McpServerPatch (default, closed) {
        url when present in [min_length(1)]: Patch<String> = Patch::Absent,
        transport when present: Patch<McpTransport> = Patch::Absent,
        command when present in [min_length(1)]: Patch<String> = Patch::Absent,
        args when present: Patch<Vec<String>> = Patch::Absent,
        env when present: Patch<IndexMap<String, Option<Secret>>> = Patch::Absent,
        cwd when present: Patch<String> = Patch::Absent,
        description when present: Patch<String> = Patch::Absent,
        icon when present: Patch<String> = Patch::Absent,
        timeout when present: Patch<f64> = Patch::Absent,
        sse_read_timeout when present: Patch<f64> = Patch::Absent,
        keep_alive when present: Patch<bool> = Patch::Absent,
        headers when present: Patch<IndexMap<String, Option<Secret>>> = Patch::Absent,
        auth when present: Patch<McpAuth> = Patch::Absent,
        enabled when present: Patch<bool> = Patch::Absent,
        sandbox when present: Patch<bool> = Patch::Absent,
    }
}

impl McpServer {
    fn after(members: &Map<String, Value>) -> Result<(), String> {
        let has = |name: &str| {
            let text = members.get(name).and_then(Value::as_str);
            text.is_some_and(|text| !text.is_empty())
        };
        match members.get("transport").and_then(Value::as_str) {
            Some("stdio") if !has("command") => {
                Err("stdio MCP servers require 'command'".to_owned())
            }
            Some("http" | "streamable-http" | "sse") if !has("url") => {
                Err("remote MCP servers require 'url'".to_owned())
            }
            _ => one_authorization(members),
        }
    }
}

/// A header of that name and another way to sign in do not go together.
pub(super) fn one_authorization(members: &Map<String, Value>) -> Result<(), String> {
    let signs_in = members.get("auth").is_some_and(|auth| !auth.is_null());
    let headers = members.get("headers").and_then(Value::as_object);
    let by_header = headers.is_some_and(|headers| {
        headers
            .keys()
            .any(|name| name.eq_ignore_ascii_case("authorization"))
    });
    if signs_in && by_header {
        return Err(
            "'auth' cannot be combined with an explicit top-level 'Authorization' header; \
             use auth.strategy='header' instead."
                .to_owned(),
        );
    }
    Ok(())
}
