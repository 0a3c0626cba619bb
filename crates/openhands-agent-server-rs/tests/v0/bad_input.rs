//! Input that makes no sense: an answer each time, and the server goes on.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::server::Server;

const KINDS: &[&str] = &[
    "run",
    "run_ipython",
    "read",
    "write",
    "edit",
    "browse",
    "browse_interactive",
    "think",
    "odd",
];
const ARGUMENTS: &[&str] = &[
    "command",
    "code",
    "path",
    "content",
    "start",
    "end",
    "is_input",
    "blocking",
    "is_static",
    "cwd",
    "hidden",
    "thought",
    "impl_source",
    "view_range",
    "old_str",
    "new_str",
    "file_text",
    "insert_line",
    "url",
    "browser_actions",
    "bogus",
];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        // Commands that end at once and change nothing.
        prop_oneof![
            Just("true"),
            Just("echo a\necho b"),
            Just("\u{0}"),
            Just("C-c"),
            Just(":")
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Mostly an action, with anything for arguments. What it could run or write is harmless.
fn any_action() -> impl Strategy<Value = Value> {
    let args = prop::collection::btree_map(prop::sample::select(ARGUMENTS), any_json(), 0..5);
    let action = (prop::sample::select(KINDS), args, any_json(), any::<bool>()).prop_map(
        |(kind, args, timeout, timed)| {
            let mut args: serde_json::Map<String, Value> = args
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            // Arbitrary text is not run, and not written anywhere but below a directory of the test.
            let harmless =
                |text: &str| matches!(text, "true" | "echo a\necho b" | "\u{0}" | "C-c" | ":");
            if args
                .get("command")
                .and_then(Value::as_str)
                .is_some_and(|text| !harmless(text))
                && kind == "run"
            {
                args.insert("command".to_owned(), "true".into());
            }
            if let Some(path) = args.get("path").and_then(Value::as_str) {
                let path = format!("fuzz/{}", path.replace("..", "_"));
                args.insert("path".to_owned(), path.into());
            }
            let mut action = json!({"action": kind, "args": args});
            action["timeout"] = if timed { json!(2) } else { timeout };
            action
        },
    );
    prop_oneof![8 => action, 1 => any_json()]
}

#[tokio::test]
async fn a_thousand_malformed_actions_leave_the_server_well() {
    let server = Server::start().await;
    let mut runner = TestRunner::new(Config::default());
    for _ in 0..1000 {
        let action = any_action().new_tree(&mut runner).unwrap().current();
        let answer = server
            .post("/execute_action", &json!({"action": action}))
            .await;
        let (status, body) = answer;
        match status {
            200 => assert!(body["observation"].is_string(), "{action}: {body}"),
            422 | 500 => assert!(body["detail"].is_string(), "{action}: {body}"),
            other => panic!("{action}: {other} {body}"),
        }
    }
    assert_eq!(server.output("echo well").await, "well");
    assert!(!server.log().contains("panic"), "{}", server.log());
}

#[tokio::test]
async fn bodies_that_are_no_json_are_refused() {
    let server = Server::start().await;
    for body in [
        &b""[..],
        b"\xff\xfe",
        b"[1",
        b"nul",
        b"\"text\"",
        b"[]",
        b"{\"action\": {}}",
        b"{\"action\": [1]}",
    ] {
        for path in ["/execute_action", "/execute_action/stream", "/list_files"] {
            let request = server.client.post(server.url(path)).body(body.to_vec());
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            let text = answer.text().await.unwrap();
            let is_list = path == "/list_files" && serde_json::from_slice::<Value>(body).is_ok();
            assert!(
                matches!(status, 422 | 500) || is_list && status == 200,
                "{path} {body:?}: {status} {text}"
            );
        }
    }
    let deep = format!(
        "{{\"action\": {}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let answer = server
        .client
        .post(server.url("/execute_action"))
        .body(deep)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 422);
    assert_eq!(server.output("echo well").await, "well");
}
