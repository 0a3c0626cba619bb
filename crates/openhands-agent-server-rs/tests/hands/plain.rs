//! A client of the protocol that knows nothing of us.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use openhands_protocol::ConversationId;
use reqwest::StatusCode;
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, MetaObject,
    ProgressNotificationParam, RequestMetaObject, ServerResult,
};
use rmcp::service::{
    NotificationContext, Peer, PeerRequestOptions, RequestHandle, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

use crate::world::{KEY, PATIENCE, World, long_time, processes_with, until};

/// Remembers what is said while calls run.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<String>>);

impl ClientHandler for Listener {
    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let said = progress.message.unwrap_or_default();
        self.0.lock().unwrap().push_str(&said);
    }
}

type Client = RunningService<RoleClient, Listener>;

async fn client(world: &World) -> (Client, Listener) {
    let listener = Listener::default();
    let key = [("x-session-api-key".parse().unwrap(), KEY.parse().unwrap())];
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", world.url()))
        .custom_headers(HashMap::from(key));
    let transport = StreamableHttpClientTransport::with_client(reqwest::Client::new(), config);
    let client = Box::pin(rmcp::service::serve_client(listener.clone(), transport));
    (client.await.unwrap(), listener)
}

fn call(tool: &str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool.to_owned())
        .with_arguments(arguments.as_object().unwrap().clone())
}

async fn command(client: &Client, command: &str) -> CallToolResult {
    let call = call("terminal", &json!({"command": command}));
    tokio::time::timeout(PATIENCE, client.call_tool(call))
        .await
        .unwrap()
        .unwrap()
}

fn text(result: &CallToolResult) -> String {
    let blocks = result.content.iter();
    blocks
        .filter_map(|block| Some(block.as_text()?.text.clone()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_listed_with_what_they_take() {
    let world = World::new().await;
    let (client, _) = client(&world).await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    for name in ["terminal", "file_editor", "grep", "glob", "task_tracker"] {
        assert!(names.contains(&name), "{name} of {names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("openhands.")));
    assert!(!names.iter().any(|name| name.starts_with("browser")));
    let terminal = tools.iter().find(|tool| tool.name == "terminal").unwrap();
    assert!(terminal.description.as_ref().unwrap().len() > 50);
    assert!(terminal.input_schema["properties"]["command"].is_object());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_answered_with_text_and_the_whole_observation() {
    let world = World::new().await;
    let (client, _) = client(&world).await;
    let result = command(&client, "echo once-only; false").await;
    assert_eq!(result.is_error, Some(false));
    assert_eq!(text(&result), "once-only");
    let observation = result.structured_content.unwrap();
    assert_eq!(observation["kind"], "TerminalObservation");
    assert_eq!(observation["exit_code"], 1);
    let whole = observation.to_string();
    assert_eq!(whole.matches("once-only").count(), 2, "{whole}"); // the output, and the command
    // The shell stays, for the session.
    command(&client, "Y=7").await;
    assert_eq!(text(&command(&client, "echo $Y").await), "7");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_have_shells_of_their_own_which_end_with_them() {
    let world = World::new().await;
    let (one, _) = client(&world).await;
    let (other, _) = client(&world).await;
    command(&one, "Y=7").await;
    assert_eq!(text(&command(&other, "echo \"Y is $Y\"").await), "Y is");
    let seconds = long_time();
    command(&one, &format!("sleep {seconds} & disown")).await;
    let marker = format!("sleep\0{seconds}");
    // The shell goes on before its child has become the program.
    until("the program runs", || processes_with(&marker).len() == 1).await;
    one.cancel().await.unwrap();
    until("the shell of a session ends", || {
        processes_with(&marker).is_empty()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_is_said() {
    let world = World::new().await;
    let (client, _) = client(&world).await;
    let unknown = client.call_tool(call("telepathy", &json!({}))).await;
    let Err(ServiceError::McpError(error)) = unknown else {
        panic!("{unknown:?}");
    };
    assert_eq!(error.message, "Unknown tool: telepathy");
    let bad = client.call_tool(call("terminal", &json!({"command": 5})));
    let bad = bad.await.unwrap();
    assert_eq!(bad.is_error, Some(true));
    assert!(text(&bad).contains("command"), "{}", text(&bad));
    let reserved = client.call_tool(call("openhands.nothing", &json!({})));
    assert!(reserved.await.is_err());
    let misshapen = client.call_tool(call("openhands.read", &json!({"path": 5})));
    assert!(misshapen.await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_told_while_a_command_runs_and_cancelling_ends_its_tree() {
    let world = World::new().await;
    let (client, listener) = client(&world).await;
    let seconds = long_time();
    let started = start(
        client.peer(),
        call(
            "terminal",
            &json!({"command": format!("echo begun; sleep {seconds} & sleep {seconds}")}),
        ),
        None,
    )
    .await;
    until("output is told", || {
        listener.0.lock().unwrap().contains("begun")
    })
    .await;
    let marker = format!("sleep\0{seconds}");
    until("both run", || processes_with(&marker).len() == 2).await;
    started.cancel(Some("enough".to_owned())).await.unwrap();
    until("the tree is dead", || processes_with(&marker).is_empty()).await;
}

async fn start(
    peer: &Peer<RoleClient>,
    call: CallToolRequestParams,
    meta: Option<&Value>,
) -> RequestHandle<RoleClient> {
    let mut options = PeerRequestOptions::no_options();
    options.meta =
        meta.map(|meta| RequestMetaObject(MetaObject(meta.as_object().unwrap().clone())));
    peer.send_cancellable_request(
        ClientRequest::CallToolRequest(CallToolRequest::new(call)),
        options,
    )
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_id_runs_once_however_often_and_by_whomever_it_is_asked_for() {
    let world = World::new().await;
    let (one, _) = client(&world).await;
    let (other, _) = client(&world).await;
    let file = world.work().join("count");
    let meta = json!({
        "openhands.dev/conversation": ConversationId::random(),
        "openhands.dev/call": "the-call",
    });
    let counting = call(
        "terminal",
        &json!({"command": format!("echo x >> {}; sleep 0.3; echo done", file.display())}),
    );
    // At the same time, from two connections.
    let (first, second) = (
        start(one.peer(), counting.clone(), Some(&meta)).await,
        start(other.peer(), counting.clone(), Some(&meta)).await,
    );
    for handle in [first, second] {
        let answer = tokio::time::timeout(PATIENCE, handle.await_response());
        assert_eq!(text(&of_call(answer.await.unwrap().unwrap())), "done");
    }
    // And later.
    let later = start(one.peer(), counting, Some(&meta)).await;
    let answer = later.await_response().await.unwrap();
    assert_eq!(text(&of_call(answer)), "done");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\n");
    // The id of one tool's call is not that of another's.
    let other_tool = call("glob", &json!({"pattern": "*"}));
    let misused = start(one.peer(), other_tool, Some(&meta)).await;
    assert!(misused.await_response().await.is_err());
}

fn of_call(answer: ServerResult) -> CallToolResult {
    match answer {
        ServerResult::CallToolResult(result) => result,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_opens_nothing() {
    let world = World::new().await;
    let http = reqwest::Client::new();
    let ask = || {
        http.post(format!("{}/mcp", world.url()))
            .header("accept", "application/json, text/event-stream")
            .json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
    };
    assert_eq!(
        ask().send().await.unwrap().status(),
        StatusCode::UNAUTHORIZED
    );
    let wrong = ask().header("x-session-api-key", "wrong").send().await;
    assert_eq!(wrong.unwrap().status(), StatusCode::UNAUTHORIZED);
    // Clients that know no header of ours have bearer tokens.
    let bearer = ask().bearer_auth(KEY).send().await.unwrap();
    assert_ne!(bearer.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_refused_with_a_status() {
    let world = World::new().await;
    let refused = reqwest::Client::new()
        .post(format!("{}/mcp", world.url()))
        .header("x-session-api-key", KEY)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .timeout(Duration::from_mins(1))
        .body("x".repeat((64 << 20) + 1))
        .send()
        .await
        .unwrap();
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
}
