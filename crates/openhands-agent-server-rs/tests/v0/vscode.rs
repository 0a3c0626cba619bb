//! The plugin `vscode`.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::server::{Server, Setup};

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("0.0.0.0", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

async fn token(server: &Server) -> Value {
    let body: Value = server
        .get("/vscode/connection_token")
        .await
        .json()
        .await
        .unwrap();
    body["token"].clone()
}

#[tokio::test]
async fn without_a_port_it_is_off() {
    let place = tempfile::tempdir().unwrap();
    let base = place.path().join("base");
    let setup = Setup {
        plugins: &["vscode"],
        env: &[
            ("VSCODE_PORT", ""),
            ("RUNTIME_USERNAME", &username()),
            ("WORKSPACE_BASE", base.to_str().unwrap()),
        ],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    assert_eq!(token(&server).await, Value::Null);
    // What people find when they open the workspace is there all the same.
    assert!(base.join(".vscode/settings.json").is_file());
}

#[tokio::test]
async fn a_port_that_is_taken_is_no_reason_not_to_start() {
    let place = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind(("0.0.0.0", 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let setup = Setup {
        plugins: &["vscode"],
        env: &[
            ("VSCODE_PORT", &port),
            ("RUNTIME_USERNAME", &username()),
            ("WORKSPACE_BASE", place.path().to_str().unwrap()),
        ],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    assert!(token(&server).await.is_string());
    assert_eq!(server.output("echo works").await, "works");
}

#[tokio::test]
async fn a_real_one_lets_in_who_has_the_token() {
    let program = std::env::var("OPENHANDS_TEST_CODE_SERVER").unwrap_or_default();
    if program.is_empty() {
        println!("skipped: no code-server");
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let port = free_port();
    let setup = Setup {
        plugins: &["vscode"],
        env: &[
            ("VSCODE_PORT", &port.to_string()),
            ("RUNTIME_USERNAME", &username()),
            ("WORKSPACE_BASE", place.path().to_str().unwrap()),
            ("OH_VSCODE_PROGRAM", &program),
            ("RUNTIME_ID", "r1"),
            ("RUNTIME_URL", "https://sandboxes.example/r1"),
        ],
        ..Setup::default()
    };
    let mut server = Server::with(setup).await;
    let token = token(&server).await;
    let token = token.as_str().unwrap();
    assert_eq!(token.len(), 36, "{token}");
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let url = |token: &str| format!("http://127.0.0.1:{port}/r1/vscode/?tkn={token}");
    let began = Instant::now();
    let answer = loop {
        match client.get(url(token)).send().await {
            Ok(answer) => break answer,
            Err(error) => assert!(
                began.elapsed() < Duration::from_mins(1),
                "{error}: {}",
                server.log()
            ),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(answer.status().as_u16(), 302, "{answer:?}");
    let refused = client.get(url("another")).send().await.unwrap();
    assert_eq!(refused.status().as_u16(), 403, "{refused:?}");
    assert!(server.terminate().await.success(), "{}", server.log());
    assert!(client.get(url(token)).send().await.is_err(), "it goes on");
}

fn username() -> String {
    let name = std::process::Command::new("id")
        .arg("-un")
        .output()
        .unwrap()
        .stdout;
    String::from_utf8(name).unwrap().trim().to_owned()
}
