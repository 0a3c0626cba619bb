//! The MCP router of the real program, with the clients that backends have.

use std::path::Path;
use std::time::Duration;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::process::Command;

use crate::replay::recording;
use crate::server::{MCP_SERVER, Server, Setup};

const KEY: &str = "the key";
const CLIENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/mcp/client.py");

/// The interpreter that has the protocol's library, or nothing to test with.
fn python() -> Option<std::ffi::OsString> {
    let python = std::env::var_os("OPENHANDS_REFERENCE_PYTHON");
    if python.is_none() {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "OPENHANDS_REFERENCE_PYTHON is not set, and nothing may be skipped here"
        );
    }
    python
}

async fn with_key() -> Server {
    let setup = Setup {
        env: &[("SESSION_API_KEY", KEY)],
        ..Setup::default()
    };
    Server::with(setup).await
}

/// Posts a set of servers and gives the answer.
async fn update(server: &Server, set: Value) -> Value {
    let request = server.client.post(server.url("/update_mcp_server"));
    let request = request.header("x-session-api-key", KEY).json(&set);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

#[tokio::test]
async fn the_recorded_session_of_a_python_client() {
    let Some(python) = python() else {
        println!("skipped: no reference");
        return;
    };
    let server = with_key().await;
    let demo = json!({"name": "demo", "command": "python3", "args": [MCP_SERVER], "env": {}});
    let updated = update(&server, json!([demo])).await;
    assert_eq!(updated["router_error_log"], "", "{}", server.log());
    let recorded = recording("mcp-sse-client");
    let steps = recorded["steps"].as_array().unwrap();
    let mut client = Command::new(python);
    client.args([CLIENT, KEY]).kill_on_drop(true);
    for step in steps {
        client.arg(server.url(step["request"]["path"].as_str().unwrap()));
    }
    let output = tokio::time::timeout(Duration::from_mins(2), client.output()).await;
    let output = output.expect("the client ends").unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}\n{}", server.log());
    let found: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let expected: Vec<Value> = steps.iter().map(|step| step["response"].clone()).collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn both_the_header_and_the_bearer_token_are_demanded() {
    let server = with_key().await;
    let demo = json!({"name": "demo", "command": "python3", "args": [MCP_SERVER]});
    update(&server, json!([demo])).await;
    let bearer = format!("Bearer {KEY}");
    for path in ["/mcp/sse", "/sse", "/mcp"] {
        for (key, token, status) in [
            (None, None, 403),
            (None, Some(&bearer), 403),
            (Some(KEY), None, 401),
        ] {
            let mut request = server.client.get(server.url(path));
            if let Some(key) = key {
                request = request.header("x-session-api-key", key);
            }
            if let Some(token) = token {
                request = request.header("authorization", token);
            }
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), status, "{path} {key:?} {token:?}");
        }
    }
    let request = server.client.get(server.url("/mcp/sse"));
    let request = request.header("x-session-api-key", KEY);
    let stream = request.header("authorization", bearer).send().await;
    assert_eq!(
        stream.unwrap().headers()["content-type"],
        "text/event-stream"
    );
}

#[tokio::test]
async fn the_end_of_the_server_is_the_end_of_its_mcp_servers_and_streams() {
    let mut server = Server::start().await;
    let pid_file = server.path(".pid");
    let script = format!("echo $$ > {pid_file}; exec python3 {MCP_SERVER}");
    let demo = json!({"name": "demo", "command": "sh", "args": ["-c", script]});
    let (status, _) = server.post("/update_mcp_server", &json!([demo])).await;
    assert_eq!(status, 200);
    let mut stream = server.get("/mcp/sse").await;
    assert!(stream.chunk().await.unwrap().is_some());
    let pid = std::fs::read_to_string(&pid_file).unwrap();
    let process = Path::new("/proc").join(pid.trim());
    assert!(process.exists());
    assert!(server.terminate().await.success(), "{}", server.log());
    assert!(!process.exists());
}
