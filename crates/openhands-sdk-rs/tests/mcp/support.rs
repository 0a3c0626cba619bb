//! What the tests have in common: settings, calls, and waiting for what must come.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use openhands_sdk_rs::mcp::{McpOptions, McpServers, McpTool, Restarts, read_servers};
use openhands_sdk_rs::protocol::tool::{McpToolObservation, Observation};
use openhands_sdk_rs::protocol::{ConversationId, ToolCallId};
use openhands_sdk_rs::tools::{CallContext, ToolDefinition as _, ToolError, ToolExecutor as _};
use serde_json::{Value, json};

/// For what must come on a machine that is busy with other things.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// The settings of a program that serves.
pub(crate) fn program() -> Value {
    program_after("true")
}

/// The settings of a program that runs a command of the shell first.
pub(crate) fn program_after(command: &str) -> Value {
    let exe = std::env::current_exe().unwrap();
    let script = format!(
        r#"{command}; exec "$0" --exact server::serve_over_stdio --nocapture --test-threads=1 3>&1 >/dev/null"#
    );
    json!({"command": "/bin/sh", "args": ["-c", script, exe], "env": {crate::server::SERVE: "1", "OWN": "own value"}})
}

pub(crate) fn options() -> McpOptions {
    McpOptions {
        env: vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), "/nowhere".into()),
            ("UNRELATED".into(), "not for servers".into()),
        ],
        start_limit: DEADLINE,
        restarts: Restarts {
            first_delay: Duration::from_millis(10),
            ..Restarts::default()
        },
        ..McpOptions::default()
    }
}

/// Starts servers and waits for them.
pub(crate) async fn started(servers: Value) -> McpServers {
    started_with(servers, &options()).await
}

pub(crate) async fn started_with(servers: Value, options: &McpOptions) -> McpServers {
    let servers = McpServers::start(&read_servers(&servers).unwrap(), options).unwrap();
    servers.ready(DEADLINE).await;
    servers
}

pub(crate) fn names(servers: &McpServers) -> Vec<String> {
    let tools = servers.tools();
    tools.iter().map(|tool| tool.name().to_owned()).collect()
}

pub(crate) fn errors(servers: &McpServers) -> IndexMap<String, String> {
    let errors = servers.errors();
    errors
        .into_iter()
        .map(|(name, error)| (name, error.message))
        .collect()
}

pub(crate) fn tool(servers: &McpServers, name: &str) -> Arc<McpTool> {
    let tools = servers.tools();
    tools
        .into_iter()
        .find(|tool| tool.name() == name)
        .expect(name)
}

pub(crate) fn context() -> CallContext {
    CallContext::detached(ToolCallId::from("call"), ConversationId::random())
}

pub(crate) async fn call_in(
    tool: &McpTool,
    arguments: Value,
    cx: CallContext,
) -> Result<McpToolObservation, ToolError> {
    let action = tool.decode(arguments.as_object().unwrap()).unwrap();
    match tokio::time::timeout(DEADLINE, tool.execute(action, cx))
        .await
        .expect("an answer")?
    {
        Observation::McpTool(observation) => Ok(observation),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn call(servers: &McpServers, name: &str, arguments: Value) -> McpToolObservation {
    call_in(&tool(servers, name), arguments, context())
        .await
        .unwrap()
}

/// The texts of an observation, after the line that every one begins with.
pub(crate) fn texts(observation: &McpToolObservation) -> Vec<String> {
    let value = serde_json::to_value(observation).unwrap();
    let texts = value["content"].as_array().unwrap().iter();
    texts
        .filter_map(|part| part["text"].as_str().map(str::to_owned))
        .filter(|text| *text != format!("[Tool '{}' executed.]", observation.tool_name))
        .collect()
}

/// Asks again and again until it is so.
pub(crate) async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let asked = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(DEADLINE, asked)
        .await
        .unwrap_or_else(|_| panic!("never: {what}"));
}

/// Whether a process runs; one that only waits to be collected does not.
pub(crate) fn lives(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    status.is_ok_and(|status| {
        !status
            .rsplit(')')
            .next()
            .unwrap()
            .trim_start()
            .starts_with('Z')
    })
}

/// No server has an error.
pub(crate) fn healthy(servers: &McpServers) {
    let found = errors(servers);
    assert!(found.is_empty(), "{found:?}");
}
