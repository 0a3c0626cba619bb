//! How servers start: all at once, whatever the others do.

use std::time::{Duration, Instant};

use openhands_sdk_rs::mcp::{McpOptions, McpServers, read_servers};
use openhands_sdk_rs::protocol::mcp::McpErrorKind;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{
    call, errors, healthy, names, options, program, program_after, started, started_with, texts,
    until,
};

const TOOLS: [&str; 12] = [
    "echo",
    "pid",
    "env",
    "mixed",
    "error",
    "fail",
    "structured",
    "steps",
    "grow",
    "crash",
    "daemon",
    "b_echo",
];

#[tokio::test]
async fn a_single_server_keeps_the_names_of_its_tools_from_all_pages() {
    let servers = started(json!({"only": program()})).await;
    healthy(&servers);
    assert_eq!(names(&servers), TOOLS);
    servers.close().await;
}

#[tokio::test]
async fn several_servers_start_together_and_put_their_names_first() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    // Each waits for the other: one after the other, neither would ever start.
    let meet = |own: &std::path::Path, other: &std::path::Path| {
        program_after(&format!(
            "touch {}; until [ -e {} ]; do sleep 0.02; done",
            own.display(),
            other.display()
        ))
    };
    let servers = started(json!({"a": meet(&a, &b), "b": meet(&b, &a)})).await;
    let expected: Vec<String> = ["a", "b"]
        .iter()
        .flat_map(|server| TOOLS.map(|tool| format!("{server}_{tool}")))
        .collect();
    assert_eq!(names(&servers), expected);
    assert_eq!(
        texts(&call(&servers, "b_echo", json!({"text": "hi"})).await),
        ["hi"]
    );
    servers.close().await;
}

#[tokio::test]
async fn servers_that_fail_cost_the_others_nothing_and_say_why() {
    let servers = started(json!({
        "good": program(),
        "missing": {"command": "/nonexistent/bin"},
        "broken": {"command": "/bin/sh", "args": ["-c", "echo no config found >&2; exit 4"]},
        "deaf": {"url": "http://127.0.0.1:1/mcp"},
        "deaf-sse": {"url": "http://127.0.0.1:1/sse"},
        "off": {"command": "/nonexistent/bin", "enabled": false},
    }))
    .await;
    assert_eq!(names(&servers).len(), TOOLS.len());
    assert_eq!(
        errors(&servers),
        [
            (
                "missing".to_owned(),
                "Client failed to connect: [Errno 2] No such file or directory: '/nonexistent/bin'"
                    .to_owned()
            ),
            (
                "broken".to_owned(),
                "Client failed to connect: the server ended with exit code 4\n\
                 Standard error of the server:\nno config found"
                    .to_owned()
            ),
            (
                "deaf".to_owned(),
                "Client failed to connect: All connection attempts failed".to_owned()
            ),
            (
                "deaf-sse".to_owned(),
                "Client failed to connect: All connection attempts failed".to_owned()
            ),
        ]
        .into()
    );
    assert_eq!(servers.errors()["deaf"].kind, McpErrorKind::Connection);
    assert_eq!(
        texts(&call(&servers, "good_echo", json!({"text": "hi"})).await),
        ["hi"]
    );
    servers.close().await;
}

#[tokio::test]
async fn unusable_settings_are_an_error_of_their_server_only() {
    let servers = [
        (
            "good".to_owned(),
            serde_json::from_value(program()).unwrap(),
        ),
        (
            "bad".to_owned(),
            serde_json::from_value(json!({"transport": "sse"})).unwrap(),
        ),
    ];
    let servers = McpServers::start(&servers.into(), &options()).unwrap();
    servers.ready_in_time().await;
    assert_eq!(
        errors(&servers),
        [(
            "bad".to_owned(),
            "remote MCP servers require 'url'".to_owned()
        )]
        .into()
    );
    assert_eq!(names(&servers).len(), TOOLS.len());
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_hangs_is_waited_for_up_to_the_limit_and_may_come_later() {
    let dir = tempfile::tempdir().unwrap();
    let go = dir.path().join("go");
    let wait = format!("until [ -e {} ]; do sleep 0.02; done", go.display());
    let settings = json!({"good": program(), "late": program_after(&wait), "never": {"command": "sleep", "args": ["1000"]}});
    let servers = McpServers::start(&read_servers(&settings).unwrap(), &options()).unwrap();
    until("the good server is there", async || {
        names(&servers).len() == TOOLS.len()
    })
    .await;
    let begin = Instant::now();
    servers.ready(Duration::from_millis(300)).await;
    assert!(begin.elapsed() < Duration::from_secs(20));
    let found = errors(&servers);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["late", "never"]);
    assert!(
        found["never"].starts_with(
            "MCP tool listing timed out after 0.3 seconds.\nMCP servers configured: never\n"
        ),
        "{}",
        found["never"]
    );
    assert_eq!(servers.errors()["never"].kind, McpErrorKind::Timeout);

    let mut changes = servers.changes();
    changes.mark_unchanged();
    std::fs::write(&go, "").unwrap();
    tokio::time::timeout(crate::support::DEADLINE, changes.changed())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(names(&servers).len(), 2 * TOOLS.len());
    until("the error is gone", async || {
        !servers.errors().contains_key("late")
    })
    .await;
    servers.close().await;
}

#[tokio::test]
async fn the_filter_is_for_the_names_that_the_model_uses() {
    let options = McpOptions {
        filter_tools_regex: Some("a_e|b_grow$".to_owned()),
        ..options()
    };
    let servers = started_with(json!({"a": program(), "b": program()}), &options).await;
    assert_eq!(names(&servers), ["a_echo", "a_env", "a_error", "b_grow"]);
    servers.close().await;
}

#[tokio::test]
async fn of_two_tools_with_one_name_the_first_counts() {
    let servers = started(json!({"a": program(), "a_b": program()})).await;
    let same = names(&servers)
        .iter()
        .filter(|name| *name == "a_b_echo")
        .count();
    assert_eq!((same, names(&servers).len()), (1, 2 * TOOLS.len() - 1));
    assert_eq!(
        texts(&call(&servers, "a_b_echo", json!({})).await),
        ["of the first"]
    );
    servers.close().await;
}

#[tokio::test]
async fn a_program_gets_its_own_variables_and_few_of_ours() {
    let servers = started(json!({"only": program()})).await;
    let mut seen = Vec::new();
    for name in ["OWN", "HOME", "UNRELATED"] {
        seen.extend(texts(&call(&servers, "env", json!({"name": name})).await));
    }
    assert_eq!(seen, ["own value", "/nowhere", "not set"]);
    servers.close().await;
}

#[tokio::test]
async fn no_server_at_all_is_fine_and_all_disabled_is_not() {
    let servers = started(json!({})).await;
    assert_eq!(names(&servers), [""; 0]);
    servers.close().await;
    let disabled = read_servers(&json!({"x": {"command": "y", "enabled": false}})).unwrap();
    let error = McpServers::start(&disabled, &options()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "All configured MCP servers are disabled: x. Enable at least one, or skip the call entirely."
    );
}
