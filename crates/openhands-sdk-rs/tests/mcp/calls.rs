//! Calls: results, progress, limits, and how they end early.

use std::time::Duration;

use openhands_sdk_rs::mcp::McpOptions;
use openhands_sdk_rs::protocol::{Form, Secret};
use openhands_sdk_rs::tools::{
    CallContext, OutputSink, ToolDefinition as _, ToolError, ToolExecutor as _,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    call, call_in, context, options, program, started, started_with, texts, tool, until,
};

#[tokio::test]
async fn results_become_observations() {
    let servers = started(json!({"only": program()})).await;
    let text = |text: &str| json!({"cache_prompt": false, "type": "text", "text": text});
    let observed =
        async |name: &str| serde_json::to_value(call(&servers, name, json!({})).await).unwrap();
    let observation = |name: &str, is_error: bool, parts: Vec<Value>| json!({"content": parts, "is_error": is_error, "tool_name": name, "kind": "MCPToolObservation"});
    assert_eq!(
        observed("mixed").await,
        observation(
            "mixed",
            false,
            vec![
                text("[Tool 'mixed' executed.]"),
                text("before"),
                json!({"cache_prompt": false, "type": "image", "image_urls": ["data:image/png;base64,AAAA"]}),
                text("after"),
            ]
        )
    );
    assert_eq!(
        observed("error").await,
        observation(
            "error",
            true,
            vec![text("[Tool 'error' executed.]"), text("that was wrong")]
        )
    );
    assert_eq!(
        observed("fail").await,
        observation(
            "fail",
            true,
            vec![text("Error calling MCP tool fail: out of order")]
        )
    );
    assert_eq!(
        observed("structured").await,
        observation(
            "structured",
            false,
            vec![
                text("[Tool 'structured' executed.]"),
                text(r#"{"answer":42}"#)
            ]
        )
    );
    servers.close().await;
}

#[tokio::test]
async fn a_tool_is_described_with_the_servers_own_definition() {
    let servers = started(json!({"a": program(), "b": {"command": "/nonexistent"}})).await;
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let echo = tool(&servers, "a_echo");
    assert_eq!(
        Form::SOCKET.to_value(&echo.listing()).unwrap(),
        json!({
            "description": "does echo",
            "action_type": "MCPToolAction",
            "observation_type": "MCPToolObservation",
            "annotations": {
                "title": "Echo", "readOnlyHint": true, "destructiveHint": true, "idempotentHint": false,
                "openWorldHint": true,
            },
            "mcp_tool": {
                "name": "a_echo", "description": "does echo", "inputSchema": schema,
                "annotations": {"title": "Echo", "readOnlyHint": true},
            },
            "kind": "MCPToolDefinition",
            "title": "Echo",
        })
    );
    assert_eq!(Value::Object(echo.spec().input_schema.0.clone()), schema);
    assert!(echo.spec().is_read_only());
    assert_eq!(echo.server(), "a");
    let pid = tool(&servers, "a_pid");
    assert_eq!(
        (pid.spec().title.as_str(), &pid.spec().annotations),
        ("a_pid", &None)
    );
    let action = echo
        .decode(json!({"text": "x"}).as_object().unwrap())
        .unwrap();
    assert_eq!(
        serde_json::to_value(&action).unwrap(),
        json!({"data": {"text": "x"}, "kind": "MCPToolAction"})
    );
    let problem = echo
        .decode(json!({"text": 1, "more": 2}).as_object().unwrap())
        .unwrap_err();
    assert_eq!(problem.errors.len(), 2);
    servers.close().await;
}

#[tokio::test]
async fn secrets_of_the_call_are_put_into_its_arguments() {
    let servers = started(json!({"only": program()})).await;
    let cx = CallContext {
        env: vec![("TOKEN".to_owned(), Secret::new("s3cret"))],
        ..context()
    };
    let echo = tool(&servers, "echo");
    let observation = call_in(
        &echo,
        json!({"text": "$TOKEN ${TOKEN} $HOME ${HOME:-d}"}),
        cx,
    )
    .await
    .unwrap();
    assert_eq!(texts(&observation), ["s3cret s3cret $HOME d"]);
    servers.close().await;
}

#[tokio::test]
async fn progress_is_shown_while_the_call_runs() {
    let servers = started(json!({"only": program()})).await;
    let (output, mut shown) = OutputSink::channel(16);
    let cx = CallContext {
        output,
        ..context()
    };
    let steps = tool(&servers, "steps");
    let observation = call_in(&steps, json!({"steps": 3}), cx).await.unwrap();
    assert_eq!(texts(&observation), ["all steps done"]);
    let mut lines = Vec::new();
    while let Some(line) = shown.recv().await {
        lines.push(String::from_utf8(line.to_vec()).unwrap());
    }
    // Notifications are handled side by side, and may come in any order.
    lines.sort();
    assert_eq!(
        lines,
        ["[1/3] step 1\n", "[2/3] step 2\n", "[3/3] step 3\n"]
    );
    servers.close().await;
}

#[tokio::test]
async fn a_cancelled_call_ends_at_once_and_is_cancelled_on_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cancelled");
    let servers = started(json!({"only": program()})).await;
    let (output, mut shown) = OutputSink::channel(16);
    let cancel = CancellationToken::new();
    let cx = CallContext {
        output,
        cancel: cancel.clone(),
        ..context()
    };
    let steps = tool(&servers, "steps");
    let arguments = json!({"steps": 1, "cancelled": file});
    let interrupt = async {
        shown.recv().await.unwrap();
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(call_in(&steps, arguments, cx), interrupt);
    assert!(matches!(outcome, Err(ToolError::Cancelled)), "{outcome:?}");
    until("the server knows", async || file.exists()).await;
    assert_eq!(
        texts(&call(&servers, "echo", json!({"text": "still here"})).await),
        ["still here"]
    );
    servers.close().await;
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_on_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cancelled");
    let servers = started(json!({"only": program()})).await;
    let (output, mut shown) = OutputSink::channel(16);
    let cx = CallContext {
        output,
        ..context()
    };
    let steps = tool(&servers, "steps");
    let action = steps
        .decode(json!({"steps": 1, "cancelled": file}).as_object().unwrap())
        .unwrap();
    tokio::select! {
        outcome = steps.execute(action, cx) => panic!("{outcome:?}"),
        line = shown.recv() => assert!(line.is_some()),
    }
    until("the server knows", async || file.exists()).await;
    servers.close().await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_says_so_and_is_cancelled_on_the_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("cancelled");
    let options = McpOptions {
        call_limit: Duration::from_millis(500),
        ..options()
    };
    let servers = started_with(json!({"only": program()}), &options).await;
    let observation = call(&servers, "steps", json!({"steps": 0, "cancelled": file})).await;
    assert!(observation.is_error);
    let said = texts(&observation).concat();
    assert!(
        said.starts_with("MCP tool 'steps' timed out after 0.5 seconds. "),
        "{said}"
    );
    until("the server knows", async || file.exists()).await;
    servers.close().await;
}

#[test]
fn the_limit_is_written_as_a_whole_number() {
    assert_eq!(
        McpOptions::default().call_limit.as_secs_f64().to_string(),
        "300"
    );
}
