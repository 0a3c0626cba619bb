//! Trying out a server and logging in to it.

use indexmap::IndexMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::json::JsonObject;
use crate::mcp::McpAuth;
use crate::mcp::test_server::{no_stray_authentication, test_server};
use crate::schema::{Branch, Described, Schema};
use crate::secret::Secret;
use crate::text::words;
use crate::tree;
use crate::wire::wire;

words! {
    /// Why a server could not be used.
    pub open enum McpErrorKind {
        Unknown = "unknown",
        Timeout = "timeout",
        Connection = "connection",
    }
}

words! {
    /// How far a login is.
    pub open enum McpOauthStatus {
        Pending = "pending",
        Authorizing = "authorizing",
        Succeeded = "succeeded",
        Failed = "failed",
    }
}

wire! {
    /// A server to try out. Members without a value are never written.
    pub struct McpTestServer (default) {
        /// `stdio`, `http`, `shttp`, `streamable-http` or `sse`.
        transport as "type": String = "stdio".to_owned(),
        command when some: Option<String> = None,
        args when some: Option<Vec<String>> = None,
        env when some: Option<IndexMap<String, Secret>> = None,
        cwd when some: Option<String> = None,
        url when some: Option<String> = None,
        headers when some: Option<IndexMap<String, Secret>> = None,
        auth when some: Option<McpAuth> = None,
        timeout when some: Option<f64> = None,
        sse_read_timeout when some: Option<f64> = None,
        keep_alive when some: Option<bool> = None,
    }
}

wire! {
    /// A tool to call.
    pub struct McpToolCallSpec (default) {
        name in [min_length(1)]: String,
        arguments: JsonObject = JsonObject::new(),
    }

    /// A server to try out, and a tool to call there.
    pub struct McpTestRequest (default, before) {
        name in [min_length(1) max_length(128)]: String = "test-server".to_owned(),
        server in [schema(test_server)]: McpTestServer,
        timeout in [gt(0.0) le(120.0)]: f64 = 15.0,
        tool_call: Option<McpToolCallSpec> = None,
    }

    /// What a tool answered.
    pub struct McpToolCallResult (default) {
        is_error: bool,
        text: String,
    }

    /// The server works.
    pub struct McpTestSuccess (default) {
        ok: bool = true,
        tools: Vec<String> = Vec::new(),
        tool_result when some: Option<McpToolCallResult> = None,
        resolved_mcp_servers when some: Option<Vec<JsonObject>> = None,
        oauth_state when some: Option<McpOauthStateResponse> = None,
    }

    /// The server does not work.
    pub struct McpTestFailure (default) {
        ok: bool = false,
        error: String,
        error_kind: McpErrorKind,
    }

    /// What is left of a login.
    pub struct McpOauthStateResponse (default) {
        tokens: Option<JsonObject> = None,
        client_info: Option<JsonObject> = None,
        token_expires_at: Option<f64> = None,
    }

    /// A login was started.
    pub struct McpOauthStartResponse (default) {
        ok: bool,
        job_id when some: Option<String> = None,
        authorization_url when some: Option<String> = None,
        error when some: Option<String> = None,
        error_kind when some: Option<McpErrorKind> = None,
    }

    /// How far a login is.
    pub struct McpOauthStatusResponse (default) {
        ok: bool,
        status: McpOauthStatus,
        job_id: String,
        authorization_url when some: Option<String> = None,
        callback_ready: bool = false,
        tools when some: Option<Vec<String>> = None,
        tool_result when some: Option<McpToolCallResult> = None,
        oauth_state when some: Option<McpOauthStateResponse> = None,
        error when some: Option<String> = None,
        error_kind when some: Option<McpErrorKind> = None,
    }

    /// A login in the path.
    pub struct McpJobPath (default) {
        /// Its id.
        job_id: String,
    }

    /// Where the browser ended up.
    pub struct McpOauthCallbackRequest (default) {
        callback_url in [min_length(1)]: String,
    }
}

/// What trying out a server came to.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // one exists at a time
pub enum McpTestResponse {
    /// `"ok": true`
    Success(McpTestSuccess),
    /// `"ok": false`
    Failure(McpTestFailure),
}

impl McpTestRequest {
    fn before(members: &Map<String, Value>) -> Result<(), String> {
        no_stray_authentication(members)
    }
}

impl Described for McpTestResponse {
    fn schema() -> &'static Schema {
        &Schema::OneOf(&[
            Branch {
                label: "MCPTestSuccess",
                schema: McpTestSuccess::schema,
            },
            Branch {
                label: "MCPTestFailure",
                schema: McpTestFailure::schema,
            },
        ])
    }
}

impl Serialize for McpTestResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Success(success) => success.serialize(serializer),
            Self::Failure(failure) => failure.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for McpTestResponse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let body = Map::deserialize(deserializer)?;
        if body.get("ok").and_then(Value::as_bool).unwrap_or(false) {
            tree::from_value(body.into()).map(Self::Success)
        } else {
            tree::from_value(body.into()).map(Self::Failure)
        }
        .map_err(D::Error::custom)
    }
}
