//! What happens to servers after they started: changes, deaths, restarts, the end.

use std::time::Duration;

use openhands_sdk_rs::mcp::{McpOptions, McpServers, Restarts, read_servers};
use openhands_sdk_rs::protocol::tool::McpToolObservation;
use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::{
    DEADLINE, call, call_in, context, errors, healthy, lives, names, options, program,
    program_after, started, started_with, texts, tool, until,
};

async fn answer(servers: &McpServers, name: &str) -> String {
    texts(&call(servers, name, json!({})).await).concat()
}

fn said(observation: &McpToolObservation) -> String {
    assert!(observation.is_error, "{observation:?}");
    texts(observation).concat()
}

#[tokio::test]
async fn a_changed_list_of_tools_is_picked_up() {
    let servers = started(json!({"only": program()})).await;
    let mut changes = servers.changes();
    let pid = tool(&servers, "pid");
    changes.mark_unchanged();
    call(&servers, "grow", json!({})).await;
    tokio::time::timeout(DEADLINE, changes.changed())
        .await
        .unwrap()
        .unwrap();
    let now = names(&servers);
    assert!(
        now.contains(&"grown".to_owned()) && !now.contains(&"echo".to_owned()),
        "{now:?}"
    );
    assert!(
        std::sync::Arc::ptr_eq(&pid, &tool(&servers, "pid")),
        "what did not change is the same tool"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_killed_server_is_started_again_and_its_tools_stay() {
    let servers = started(json!({"only": program()})).await;
    let version = *servers.changes().borrow();
    let first = answer(&servers, "pid").await;
    let pid = Pid::from_raw(first.parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    until("another server answers", async || {
        let found = answer(&servers, "pid").await;
        found.parse::<i32>().is_ok() && found != first
    })
    .await;
    healthy(&servers);
    assert_eq!(
        *servers.changes().borrow(),
        version,
        "the tools did not change"
    );
    servers.close().await;
}

#[tokio::test]
async fn a_call_during_which_the_server_dies_fails_clearly_and_the_next_one_works() {
    let servers = started(json!({"only": program()})).await;
    assert_eq!(
        said(&call(&servers, "crash", json!({})).await),
        "Error calling MCP tool crash: the connection to the server 'only' was lost"
    );
    until("the server answers again", async || {
        let observation = call(&servers, "echo", json!({"text": "again"})).await;
        !observation.is_error && texts(&observation) == ["again"]
    })
    .await;
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_cannot_come_back_is_given_up_and_calls_say_why() {
    let dir = tempfile::tempdir().unwrap();
    let broken = dir.path().join("broken");
    let test = format!(
        "if [ -e {} ]; then echo out of order >&2; exit 5; fi",
        broken.display()
    );
    let options = McpOptions {
        restarts: Restarts {
            attempts: 2,
            first_delay: Duration::from_millis(1),
            ..Restarts::default()
        },
        ..options()
    };
    let servers = started_with(json!({"only": program_after(&test)}), &options).await;
    std::fs::write(&broken, "").unwrap();
    call(&servers, "crash", json!({})).await;
    let expected = "Client failed to connect: the server ended with exit code 5\nStandard error of the server:\nout of order";
    until("it was tried again", async || {
        errors(&servers)
            .get("only")
            .is_some_and(|error| error == expected)
    })
    .await;
    assert_eq!(names(&servers).len(), 12, "the tools stay listed");
    assert_eq!(
        said(&call(&servers, "echo", json!({"text": "x"})).await),
        format!(
            "MCP client not connected for tool 'echo'. Reconnection attempt failed: {expected}"
        )
    );
    // A call is a reason to try once more, even after it was given up.
    std::fs::remove_file(&broken).unwrap();
    assert_eq!(
        texts(&call(&servers, "echo", json!({"text": "back"})).await),
        ["back"]
    );
    healthy(&servers);
    servers.close().await;
}

#[tokio::test]
async fn closing_ends_everything_and_later_calls_say_so() {
    let servers = started(json!({"only": program()})).await;
    let (server, daemon) = (
        answer(&servers, "pid").await,
        answer(&servers, "daemon").await,
    );
    assert!(lives(&server) && lives(&daemon));
    let echo = tool(&servers, "echo");
    servers.close().await;
    assert!(!lives(&server), "the server is gone");
    assert!(!lives(&daemon), "and so is what it left behind");
    let observation = call_in(&echo, json!({"text": "x"}), context())
        .await
        .unwrap();
    assert!(said(&observation).starts_with("MCP client not connected for tool 'echo'. "));
    servers.close().await;
}

#[tokio::test]
async fn dropping_leaves_no_process_behind() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    // It never answers.
    let hang = format!("echo $$ > {}; exec sleep 1000", file.display());
    let settings =
        json!({"good": program(), "hangs": {"command": "/bin/sh", "args": ["-c", hang]}});
    let servers = McpServers::start(&read_servers(&settings).unwrap(), &options()).unwrap();
    let hanging = || {
        std::fs::read_to_string(&file)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    until("both run", async || {
        !names(&servers).is_empty() && !hanging().is_empty()
    })
    .await;
    let (server, daemon) = (
        answer(&servers, "good_pid").await,
        answer(&servers, "good_daemon").await,
    );
    let echo = tool(&servers, "good_echo");
    assert!(lives(&hanging()));
    drop(servers);
    until("all are gone", async || {
        !lives(&server) && !lives(&daemon) && !lives(&hanging())
    })
    .await;
    let observation = call_in(&echo, json!({"text": "x"}), context())
        .await
        .unwrap();
    assert!(said(&observation).starts_with("MCP client not connected for tool 'good_echo'. "));
}

#[tokio::test]
async fn running_calls_end_when_the_servers_are_closed() {
    let dir = tempfile::tempdir().unwrap();
    let servers = started(json!({"only": program()})).await;
    let steps = tool(&servers, "steps");
    let (output, mut shown) = openhands_sdk_rs::tools::OutputSink::channel(4);
    let cx = openhands_sdk_rs::tools::CallContext {
        output,
        ..context()
    };
    let closing = async {
        shown.recv().await.unwrap();
        servers.close().await;
    };
    let arguments = json!({"steps": 1, "cancelled": dir.path().join("x")});
    let (observation, ()) = tokio::join!(call_in(&steps, arguments, cx), closing);
    assert!(said(&observation.unwrap()).starts_with("Error calling MCP tool steps: "));
}
