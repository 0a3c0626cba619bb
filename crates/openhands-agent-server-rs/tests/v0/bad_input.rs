//! Input that makes no sense: an answer each time, and the server goes on.

use std::time::Duration;

use openhands_sdk_rs::tools::browser;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::ipython;
use crate::server::{Server, Setup};

/// How long any action here may take; one that waits for a pipe takes for ever.
const PATIENCE: Duration = Duration::from_mins(1);

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
        answered(&server, &action).await;
    }
    is_well(&server).await;
}

/// Does an action, which is answered in time and in a known form.
async fn answered(server: &Server, action: &Value) -> Value {
    let asked = json!({"action": action});
    let answer = server.post("/execute_action", &asked);
    let answer = tokio::time::timeout(PATIENCE, answer).await;
    let (status, body) = answer.unwrap_or_else(|_| panic!("no answer: {action}"));
    match status {
        200 => assert!(body["observation"].is_string(), "{action}: {body}"),
        422 | 500 => assert!(body["detail"].is_string(), "{action}: {body}"),
        other => panic!("{action}: {other} {body}"),
    }
    body
}

async fn is_well(server: &Server) {
    assert_eq!(server.output("echo well").await, "well");
    assert!(!server.log().contains("panic"), "{}", server.log());
}

/// Actions of the kernel and the browser, with what is harmless to run and to open, and with anything else that is no text.
fn any_engine_action() -> impl Strategy<Value = Value> {
    let texts = prop::sample::select(vec![
        "",
        "pass",
        "1 +",
        "\u{0}",
        "raise SystemExit(1)",
        "'\u{1f600}'",
        "\u{d7ff}\n\t(",
        "%nope",
        "?",
        "noop()",
        "click(",
        "click()",
        "fill('a')",
        "goto(1)",
        "goto('about:blank', 2, 3)",
        "about:blank",
        "http://",
        "http://127.0.0.1:1/",
        "javascript:1",
        "not a url",
    ]);
    let value = prop_oneof![
        3 => texts.prop_map(Value::from),
        1 => any_json().prop_filter("texts are those above", |value| !value.is_string()),
    ];
    let names = prop::sample::select(vec![
        "code",
        "url",
        "browser_actions",
        "include_extra",
        "kernel_init_code",
        "return_axtree",
        "browsergym_send_msg_to_user",
        "bogus",
    ]);
    let kinds = prop::sample::select(vec!["run_ipython", "browse", "browse_interactive"]);
    let args = prop::collection::btree_map(names, value, 0..3);
    (kinds, args, any::<bool>()).prop_map(|(kind, mut args, whole)| {
        let needed = match kind {
            "run_ipython" => "code",
            "browse" => "url",
            _ => "browser_actions",
        };
        if whole {
            args.retain(|name, _| *name != "bogus");
            args.entry(needed).or_insert_with(|| "pass".into());
        }
        json!({"action": kind, "args": args, "timeout": 10})
    })
}

#[tokio::test]
async fn malformed_actions_leave_the_kernel_and_the_browser_well() {
    if ipython::python().is_none() {
        return;
    }
    let variables = std::env::vars_os().collect();
    let has_browser = browser::find(None, &variables).is_ok();
    let setup = Setup {
        plugins: &["jupyter"],
        args: if has_browser {
            &["--enable-browser"]
        } else {
            &[]
        },
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    let mut runner = TestRunner::new(Config::default());
    for _ in 0..150 {
        let action = any_engine_action().new_tree(&mut runner).unwrap().current();
        answered(&server, &action).await;
    }
    assert_eq!(ipython::text(&server, "print('well')").await, "well");
    is_well(&server).await;
}

/// Paths that are no files, or none that end: all are answered, and none is changed.
#[tokio::test]
async fn special_paths_are_refused_at_once() {
    let server = Server::start().await;
    server
        .output("mkfifo pipe && mkdir directory && ln -s pipe link && ln -s loop loop")
        .await;
    // Where that is allowed, a device of our own, so that a failure harms nobody.
    let device = server
        .run("mknod zero c 1 5 && cat zero | head -c 1 | wc -c")
        .await;
    let has_device = device["content"] == "1";
    let long = "x".repeat(5000);
    let mut paths = vec![
        server.path("pipe"),
        server.path("link"),
        server.path("loop"),
        server.path("directory"),
        "pipe".to_owned(),
        "loop".to_owned(),
        "directory".to_owned(),
        "\u{0}".to_owned(),
        format!("/{long}"),
        long,
        String::new(),
    ];
    if has_device {
        paths.extend([server.path("zero"), "zero".to_owned()]);
    }
    for path in &paths {
        for (kind, mut args) in [
            ("write", json!({"content": "x"})),
            ("edit", json!({"command": "create", "file_text": "x"})),
            (
                "edit",
                json!({"command": "str_replace", "old_str": "a", "new_str": "b"}),
            ),
            ("edit", json!({"command": "undo_edit"})),
            ("edit", json!({"content": "x", "start": 1, "end": 1})),
        ] {
            args["path"] = path.as_str().into();
            let body = answered(&server, &json!({"action": kind, "args": args})).await;
            assert_ne!(body["observation"], "write", "{path}: {body}");
        }
    }
    paths.extend(["/dev/zero", "/proc/self/mem", "/dev/tty"].map(str::to_owned));
    paths.push(format!("{}dev/zero", "../".repeat(30)));
    for path in &paths {
        for args in [
            json!({"path": path}),
            json!({"path": path, "impl_source": "oh_aci"}),
        ] {
            let body = answered(&server, &json!({"action": "read", "args": args})).await;
            let content = body["content"].as_str().unwrap_or_default();
            assert!(content.len() < 1000 + 2 * path.len(), "{path}: {content}");
        }
    }
    let kinds = server.output("stat -c %F pipe directory").await;
    assert_eq!(kinds, "fifo\ndirectory");
    if has_device {
        assert_eq!(
            server.output("stat -c %F zero").await,
            "character special file"
        );
    }
    is_well(&server).await;
}

#[tokio::test]
async fn a_pipe_and_a_device_are_named_as_such() {
    let server = Server::start().await;
    server.output("mkfifo pipe").await;
    let pipe = server.path("pipe");
    let zero = format!("{}dev/zero", "../".repeat(30));
    for (kind, path, expected) in [
        ("read", "pipe", "You can only read files"),
        ("read", zero.as_str(), "You can only read files"),
        ("write", "pipe", "You can only write to files"),
    ] {
        let args = json!({"path": path, "content": "x"});
        let args = if kind == "read" {
            json!({"path": path})
        } else {
            args
        };
        let body = answered(&server, &json!({"action": kind, "args": args})).await;
        assert_eq!(body["observation"], "error", "{body}");
        let content = body["content"].as_str().unwrap();
        assert!(
            content.starts_with("Path is not a regular file: ") && content.ends_with(expected),
            "{content}"
        );
        assert!(path != "pipe" || content.contains(&pipe), "{content}");
    }
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
