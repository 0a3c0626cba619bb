//! The recorded exchanges with the server that we replace, played again. What differs on purpose is listed with its reason.

use std::fs;
use std::io::Write as _;

use reqwest::multipart::{Form, Part};
use serde_json::Value;

use crate::compare::differences;
use crate::server::{MCP_SERVER, Server, Setup, user_id};

const LOST_OUTPUT: &str =
    "the recorded server lost what the cell showed; ours waits until the kernel is idle";

/// A difference that is meant: the recording, where, and why.
const KNOWN: &[(&str, &str, &str)] = &[
    ("ipython-image", "", LOST_OUTPUT),
    ("ipython-no-extra", "", LOST_OUTPUT),
    ("ipython-no-timeout-field", "", LOST_OUTPUT),
    ("ipython-print", "", LOST_OUTPUT),
    ("ipython-stderr", "", LOST_OUTPUT),
    (
        "run-backslash-escapes",
        "",
        "nothing has to be escaped for a terminal multiplexer, so the command comes back as it was given and its echo is gone",
    ),
    (
        "run-exit-kills-shell",
        "",
        "a shell that ends is started again, and its exit code is told",
    ),
    (
        "run-hard-timeout-then-poll-then-interrupt",
        ".content",
        "the notice of a background job that ends is shown at the next prompt, whenever that is",
    ),
];

fn is_known(scenario: &str, difference: &str) -> bool {
    KNOWN
        .iter()
        .any(|(known, at, _)| *known == scenario && difference.contains(at))
}

pub(crate) fn recording(scenario: &str) -> Value {
    let path = format!(
        "{}/../openhands-protocol/tests/fixtures/transcripts/v0/{scenario}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Plays recordings one after the other, and tells of all differences at the end.
pub(crate) async fn play(server: &Server, scenarios: &[&str]) {
    let mut wrong = Vec::new();
    let mut known = Vec::new();
    for scenario in scenarios {
        let steps = recording(scenario);
        for (number, step) in steps["steps"].as_array().unwrap().iter().enumerate() {
            let request = here(server, &step["request"]).to_string();
            let request = request.replace("<venv>/bin/python", "python3");
            let request = serde_json::from_str(&request).unwrap();
            let (status, body) = send(server, scenario, number, &request).await;
            let response = here(server, &step["response"]);
            let mut found = differences(&response["json"], &body);
            if response["status"] != status {
                found.push(format!(
                    "status: recorded {}, came {status}",
                    response["status"]
                ));
            }
            for difference in found {
                if is_known(scenario, &difference) {
                    known.push(*scenario);
                } else {
                    wrong.push(format!("{scenario} #{number} {difference}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), server.log());
    // A difference that is listed and does not show any more is taken off the list, unless chance makes it.
    for (scenario, at, reason) in KNOWN
        .iter()
        .filter(|(name, at, _)| scenarios.contains(name) && at.is_empty())
    {
        assert!(
            known.contains(scenario),
            "no difference any more: {scenario}{at} ({reason})"
        );
    }
}

/// The recorded value with the workspace of this server.
pub(crate) fn here(server: &Server, value: &Value) -> Value {
    let text = value.to_string();
    let uid = user_id();
    let text = text
        .replace("/workspace", server.workspace.to_str().unwrap())
        .replace("<demo stdio MCP server>", MCP_SERVER)
        .replace("664:1000:1000", &format!("664:{uid}:{uid}"));
    serde_json::from_str(&text).unwrap()
}

async fn send(server: &Server, scenario: &str, number: usize, request: &Value) -> (u16, Value) {
    let url = server.url(request["path"].as_str().unwrap());
    let mut builder = match request["method"].as_str().unwrap() {
        "GET" => server.client.get(url),
        "POST" => server.client.post(url),
        other => panic!("{other}"),
    };
    for (name, value) in request["headers"].as_object().into_iter().flatten() {
        builder = builder.header(name, value.as_str().unwrap());
    }
    builder = match (&request["json"], request["body"].as_str()) {
        (Value::Null, Some(body)) if body.starts_with("multipart") => {
            match form(scenario, number) {
                Some(form) => builder.multipart(form),
                None => builder.multipart(Form::new().text("other", "x")),
            }
        }
        (Value::Null, Some(body)) => builder
            .header("content-type", "application/json")
            .body(body.to_owned()),
        (Value::Null, None) => builder,
        (json, _) => builder.json(json),
    };
    let answer = builder.send().await.unwrap();
    let status = answer.status().as_u16();
    let kind = answer.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    let body = answer.bytes().await.unwrap();
    if kind == "application/json" {
        return (status, serde_json::from_slice(&body).unwrap());
    }
    // What the recorder wrote for what is no JSON.
    let size = body.len();
    (
        status,
        serde_json::json!({"<non-json>": true, "content-type": kind, "bytes": size}),
    )
}

/// The file that the recorder sent.
fn form(scenario: &str, number: usize) -> Option<Form> {
    let (name, content) = match (scenario, number) {
        ("upload-single", _) => ("a.txt", b"hello".to_vec()),
        ("upload-zip-recursive", _) => ("t.zip", zip(&[("dir/x.txt", "x"), ("y.txt", "y")])),
        ("upload-errors", 0 | 1) => ("a.txt", b"x".to_vec()),
        ("upload-errors", 2) => return None,
        ("upload-errors", 3) => ("bad.zip", b"no zip".to_vec()),
        other => panic!("what was sent by {other:?} is not known"),
    };
    Some(Form::new().part("file", Part::bytes(content).file_name(name)))
}

pub(crate) fn zip(members: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[tokio::test]
async fn http() {
    let server = Server::start().await;
    play(
        &server,
        &[
            "http-alive",
            "http-server-info",
            "http-vscode-token-none",
            "http-bad-bodies",
            "bad-actions",
            "edit-llm-based-is-server-error",
            "ipython-without-plugin",
            "browse-disabled",
        ],
    )
    .await;
}

#[tokio::test]
async fn mcp() {
    let server = Server::start().await;
    play(&server, &["update-mcp-empty-and-bad", "update-mcp-stdio"]).await;
}

#[tokio::test]
async fn auth() {
    let setup = Setup {
        env: &[("SESSION_API_KEY", "k1")],
        ..Setup::default()
    };
    play(&Server::with(setup).await, &["auth"]).await;
}

#[tokio::test]
async fn shell() {
    let server = Server::start().await;
    play(
        &server,
        &[
            "run-echo",
            "run-nonzero-exit",
            "run-cd-tracks-cwd",
            "run-env-state-kept",
            "run-empty-without-running",
            "run-input-without-running",
            "run-multiple-commands-error",
            "run-full-action-as-client-sends-it",
            "run-background-sets-pid",
            "run-hard-timeout-then-poll-then-interrupt",
            "run-interactive-read",
            "run-syntax-error-unclosed-quote",
            "run-ansi-colour",
            "run-backslash-escapes",
            "run-blocking-ignores-no-change",
            "run-carriage-return",
            "run-exit-code-unknown-command",
            "run-git-alias",
            "run-heredoc",
            "run-hidden",
            "run-history-overflow",
            "run-multiline-quoted",
            "run-no-timeout-field",
            "run-static-cwd",
            "run-trailing-no-newline",
            "run-truncated-30000",
            "run-unicode",
            "run-no-change-timeout",
        ],
    )
    .await;
}

#[tokio::test]
async fn silence() {
    let setup = Setup {
        env: &[("NO_CHANGE_TIMEOUT_SECONDS", "3")],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    play(
        &server,
        &[
            "run-no-change-timeout-3s-env",
            "run-python-repl",
            "run-ctrl-c-idle-as-command",
            "run-send-new-command-while-running",
            "run-ctrl-z",
            "run-exit-kills-shell",
        ],
    )
    .await;
}

#[tokio::test]
async fn files() {
    let server = Server::start().await;
    let write = |name: &str, content: &[u8]| fs::write(server.path(name), content).unwrap();
    // The recorded server had run a background job before.
    server.output("sleep 0.01 & wait").await;
    let picture = recording("read-png-relative");
    let picture = picture["steps"][0]["response"]["json"]["content"]
        .as_str()
        .unwrap();
    let picture = picture.strip_prefix("data:image/png;base64,").unwrap();
    write("picture.txt", picture.as_bytes());
    server
        .output("base64 -d picture.txt > i.png && rm picture.txt")
        .await;
    write("b.bin", b"\x00\x01\x02\xff\xfe");
    write("latin.txt", b"caf\xe9");
    play(
        &server,
        &[
            "write-read-relative",
            "write-range",
            "write-makes-parents",
            "write-to-directory",
            "read-binary",
            "read-directory",
            "read-missing",
            "read-not-utf8",
            "read-png",
            "read-png-relative",
        ],
    )
    .await;
}

#[tokio::test]
async fn editor() {
    let server = Server::start().await;
    fs::write(server.path("dup.txt"), "foo\nbar\nfoo\n").unwrap();
    fs::create_dir_all(server.path("tree/sub/deep")).unwrap();
    fs::write(server.path("tree/sub/f.txt"), "f").unwrap();
    fs::write(server.path("tree/.hid"), "h").unwrap();
    play(
        &server,
        &[
            "aci-create-view",
            "aci-str-replace",
            "aci-insert",
            "aci-undo",
            "aci-multiple-occurrences",
            "aci-errors",
            "aci-view-directory",
            "aci-view-errors",
        ],
    )
    .await;
}

#[tokio::test]
async fn transfer() {
    let server = Server::start().await;
    for directory in ["d1", "p", "q", "tree/sub"] {
        fs::create_dir_all(server.path(directory)).unwrap();
    }
    for file in [
        "b.bin",
        "dup.txt",
        "e.py",
        "h.txt",
        "i.png",
        "latin.txt",
        "w.txt",
        "tree/.hid",
    ] {
        fs::write(server.path(file), "x").unwrap();
    }
    play(
        &server,
        &[
            "upload-single",
            "upload-zip-recursive",
            "upload-errors",
            "list-files",
        ],
    )
    .await;
}
