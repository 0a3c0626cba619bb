//! How to reach a server of the Model Context Protocol.

use indexmap::IndexMap;

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
    pub struct McpServer (default) {
        url when some: Option<String> = None,
        transport when some: Option<McpTransport> = None,
        command when some: Option<String> = None,
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
    }

    /// Changes to a server.
    pub struct McpServerPatch (default) {
        url when present: Patch<String> = Patch::Absent,
        transport when present: Patch<McpTransport> = Patch::Absent,
        command when present: Patch<String> = Patch::Absent,
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
    }
}
