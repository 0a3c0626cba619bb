//! Requests that are passed on to a server as they are.

use openhands_sdk_rs::mcp::{McpRelay, RelayError};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ServerResult};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{program, started, until};

fn call(tool: &'static str, arguments: Value) -> ClientRequest {
    let params = CallToolRequestParams::new(tool)
        .with_arguments(arguments.as_object().cloned().unwrap_or_default());
    ClientRequest::CallToolRequest(CallToolRequest::new(params))
}

async fn answer(relay: &McpRelay, request: ClientRequest) -> Value {
    let stop = CancellationToken::new();
    match relay.request(request, None, &stop).await {
        Ok(ServerResult::CallToolResult(result)) => serde_json::to_value(result).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn answers_are_passed_on_whole() {
    let servers = started(json!({"one": program()})).await;
    let relay = servers.relay("one").unwrap();
    assert!(servers.relay("two").is_none());
    assert_eq!(relay.name(), "one");
    assert!(relay.tools().iter().any(|tool| tool.name == "echo"));
    assert!(relay.capabilities().unwrap().tools.is_some());
    let mixed = answer(&relay, call("mixed", json!({}))).await;
    let kinds: Vec<&str> = mixed["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    // The observation of a conversation has no place for a resource.
    assert_eq!(kinds, ["text", "image", "resource", "text"]);
    let structured = answer(&relay, call("structured", json!({}))).await;
    assert_eq!(structured["structuredContent"], json!({"answer": 42}));
    let stop = CancellationToken::new();
    let refused = relay.request(call("fail", json!({})), None, &stop).await;
    match refused {
        Err(RelayError::Answered(error)) => assert_eq!(error.message, "out of order"),
        other => panic!("{other:?}"),
    }
    servers.close().await;
    let closed = relay.request(call("pid", json!({})), None, &stop).await;
    assert!(
        matches!(closed, Err(RelayError::NotConnected { .. })),
        "{closed:?}"
    );
}

#[tokio::test]
async fn progress_is_passed_on_and_a_cancelled_request_is_cancelled_on_the_server() {
    let servers = started(json!({"one": program()})).await;
    let relay = servers.relay("one").unwrap();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("cancelled");
    let (sender, mut steps) = mpsc::channel(8);
    let stop = CancellationToken::new();
    let request = call("steps", json!({"steps": 1, "cancelled": path}));
    let asked = relay.request(request, Some(sender), &stop);
    let cancelled = async {
        let step = steps.recv().await.unwrap();
        assert_eq!(step.message.as_deref(), Some("step 1"));
        stop.cancel();
    };
    let (answer, ()) = tokio::join!(asked, cancelled);
    assert!(matches!(answer, Err(RelayError::Cancelled)), "{answer:?}");
    until("the server knows that it is cancelled", async || {
        path.exists()
    })
    .await;
}

#[tokio::test]
async fn a_server_that_died_is_started_for_the_next_request() {
    let servers = started(json!({"one": program()})).await;
    let relay = servers.relay("one").unwrap();
    let before = answer(&relay, call("pid", json!({}))).await;
    let stop = CancellationToken::new();
    let died = relay.request(call("crash", json!({})), None, &stop).await;
    match died {
        Err(error @ RelayError::Failed { .. }) => {
            assert!(error.to_string().contains("'one'"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    let after = answer(&relay, call("pid", json!({}))).await;
    assert_ne!(before, after);
}
