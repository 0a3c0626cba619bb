//! Trying out an MCP server before it is saved: it is started or reached, listed, asked once, and ended.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use openhands_protocol::mcp::{
    McpAuth, McpErrorKind, McpOauthState, McpOauthStateResponse, McpServer, McpTestFailure,
    McpTestResponse, McpTestServer, McpTestSuccess, McpToolCallResult, McpToolCallSpec,
};
use openhands_protocol::message::Content;
use openhands_protocol::tool::{Action, McpToolAction, Observation};
use openhands_protocol::{ConversationId, Form, Names, Nulls, Reading, Secrets};
use openhands_sdk_rs::mcp::{McpOptions, McpServers, McpTool, Restarts};
use openhands_sdk_rs::secrets::Cipher;
use openhands_sdk_rs::tools::{CallContext, ToolExecutor as _};
use parking_lot::Mutex;
use serde_json::Value;

/// For a call beyond its own limit, so that ours is told first.
const CALL_GRACE: Duration = Duration::from_secs(5);

/// What is tried out, and how long it may take.
#[derive(Debug)]
pub(crate) struct Probe<'a> {
    /// What the server is called in errors.
    pub(crate) name: &'a str,
    /// The server.
    pub(crate) server: McpServer,
    /// For the start with the list of tools, and again for the call.
    pub(crate) limit: Duration,
    /// A tool to call.
    pub(crate) call: Option<&'a McpToolCallSpec>,
    /// Opens and closes what is sealed.
    pub(crate) cipher: Option<&'a Cipher>,
    /// The environment of the server.
    pub(crate) env: &'a [(String, String)],
}

impl Probe<'_> {
    /// Carries it out. A server that cannot be used is an answer too. Whoever stops waiting ends it.
    pub(crate) async fn run(self) -> McpTestResponse {
        let saved = Arc::new(Mutex::new(initial_state(&self.server)));
        let keep = Arc::clone(&saved);
        let env = self.env.iter();
        let options = McpOptions {
            env: env
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            start_limit: self.limit,
            call_limit: self.limit + CALL_GRACE,
            restarts: Restarts {
                attempts: 0,
                ..Restarts::default()
            },
            save_tokens: Some(Arc::new(move |_, state| *keep.lock() = Some(state.clone()))),
            ..McpOptions::default()
        };
        let servers = IndexMap::from([(self.name.to_owned(), self.server.clone())]);
        let servers = match McpServers::start(&servers, &options) {
            Ok(servers) => servers,
            Err(error) => return failure(error.to_string(), McpErrorKind::Unknown),
        };
        servers.ready(self.limit).await;
        let answer = if let Some(error) = servers.errors().into_values().next() {
            failure(error.message, error.kind)
        } else {
            let tools = servers.tools();
            let tool_result = match self.call {
                Some(call) => Some(self.ask(&tools, call).await),
                None => None,
            };
            let oauth_state = saved.lock().take();
            McpTestResponse::Success(McpTestSuccess {
                tools: tools.iter().map(|tool| tool.name().to_owned()).collect(),
                tool_result,
                oauth_state: oauth_state.and_then(|state| self.told(&state)),
                ..McpTestSuccess::default()
            })
        };
        servers.close().await;
        answer
    }

    async fn ask(&self, tools: &[Arc<McpTool>], call: &McpToolCallSpec) -> McpToolCallResult {
        let Some(tool) = tools.iter().find(|tool| tool.name() == call.name) else {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
            let names = if names.is_empty() {
                "none".to_owned()
            } else {
                names.join(", ")
            };
            return told_error(format!(
                "Tool '{}' not advertised by server (available: {names})",
                call.name
            ));
        };
        // As it was given: what the tool makes of odd arguments is part of the test.
        let action = Action::McpTool(McpToolAction {
            data: call.arguments.clone(),
            ..McpToolAction::default()
        });
        let context = CallContext::detached("test".into(), ConversationId::random());
        match tokio::time::timeout(self.limit, tool.execute(action, context)).await {
            Err(_) => told_error(format!(
                "Tool '{}' call timed out after {:?} seconds",
                call.name,
                self.limit.as_secs_f64()
            )),
            Ok(Err(error)) => told_error(error.to_string()),
            Ok(Ok(observation)) => result_of(&call.name, &observation),
        }
    }

    /// A login, for the client to keep: sealed if there is a key.
    fn told(&self, state: &McpOauthState) -> Option<McpOauthStateResponse> {
        let secrets = match self.cipher {
            Some(cipher) => Secrets::Sealed(cipher.sealer()),
            None => Secrets::Plain,
        };
        let form = Form::new(Nulls::Omit, secrets, Names::Public);
        let value = form.to_value(state).ok()?;
        serde_json::from_value(value).ok()
    }
}

fn failure(error: String, error_kind: McpErrorKind) -> McpTestResponse {
    McpTestResponse::Failure(McpTestFailure {
        error,
        error_kind,
        ..McpTestFailure::default()
    })
}

fn told_error(text: String) -> McpToolCallResult {
    McpToolCallResult {
        is_error: true,
        text,
        ..McpToolCallResult::default()
    }
}

/// The texts of an answer, without the line that is for the model.
fn result_of(tool: &str, observation: &Observation) -> McpToolCallResult {
    let Observation::McpTool(answer) = observation else {
        return told_error("the tool gave no answer".to_owned());
    };
    let heading = format!("[Tool '{tool}' executed.]");
    let texts: Vec<&str> = answer
        .content
        .iter()
        .filter_map(|content| match content {
            Content::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    let texts = match texts.split_first() {
        Some((first, rest)) if *first == heading => rest,
        _ => texts.as_slice(),
    };
    McpToolCallResult {
        is_error: answer.is_error,
        text: texts.join("\n"),
        ..McpToolCallResult::default()
    }
}

fn initial_state(server: &McpServer) -> Option<McpOauthState> {
    match &server.auth {
        Some(McpAuth::Oauth(oauth)) => oauth.state.clone(),
        _ => None,
    }
}

/// Why a server cannot be tried out.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Misshapen(String);

/// The server of a request, which may be written as settings are or as older clients do. What is sealed is opened.
pub(crate) fn server_of(
    server: &McpTestServer,
    cipher: Option<&Cipher>,
) -> Result<McpServer, Misshapen> {
    let misshapen = |error: serde_json::Error| Misshapen(error.to_string());
    let mut value = Form::new(Nulls::Omit, Secrets::Plain, Names::Public)
        .to_value(server)
        .map_err(misshapen)?;
    if let Some(members) = value.as_object_mut() {
        let kind = match kind_of(server) {
            "shttp" => "http",
            kind => kind,
        };
        members.shift_remove("type");
        members.insert("transport".to_owned(), kind.into());
    }
    let mut reading = Reading::strict();
    if let Some(cipher) = cipher {
        reading = reading.opening(cipher.opener());
    }
    reading.from_value(value).map_err(misshapen)
}

/// The word that names the kind: `type`, else `transport`, else what the members say.
fn kind_of(server: &McpTestServer) -> &str {
    let transport = server.extra.get("transport").and_then(Value::as_str);
    match (server.transport.as_str(), transport, &server.command) {
        // The default of `type`, so that it may not have been given.
        ("stdio", Some(transport), _) => transport,
        ("stdio", None, None) => "http",
        (kind, _, _) => kind,
    }
}

/// Whether a server asks for a login.
pub(crate) fn wants_login(server: &McpServer) -> bool {
    matches!(server.auth, Some(McpAuth::Oauth(_)))
}

#[cfg(test)]
#[path = "mcp_test_tests.rs"]
mod tests;
