//! The binary serves on its defaults and stops when it is told to.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A server that is ended with the test.
struct Server(Child, String);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start() -> Server {
    let mut child = Command::new(env!("CARGO_BIN_EXE_openhands-agent-server"))
        .args(["--port", "0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let url = lines
        .map_while(Result::ok)
        .find_map(|line| line.split("listening on ").nth(1).map(str::to_owned))
        .expect("the server says where it listens");
    Server(child, url)
}

#[tokio::test]
async fn health_and_info_answer_without_any_set_up() {
    let server = start();
    for (path, status) in [("alive", "ok"), ("health", "ok"), ("ready", "ready")] {
        let body = get(&server.1, path).await;
        assert_eq!(body["status"], status, "{path}");
    }
    let info = get(&server.1, "server_info").await;
    assert_eq!(info["version"], "1.58.0");
    assert!(
        info["usable_tools"]
            .as_array()
            .unwrap()
            .contains(&"terminal".into())
    );
    let missing = reqwest::get(format!("{}/nowhere", server.1)).await.unwrap();
    assert_eq!(missing.status(), 404);
}

#[tokio::test]
async fn sigterm_ends_it_cleanly() {
    let mut server = start();
    get(&server.1, "health").await;
    let stopped = Command::new("kill")
        .arg(server.0.id().to_string())
        .status()
        .unwrap();
    assert!(stopped.success());
    assert!(server.0.wait().unwrap().success());
}

async fn get(url: &str, path: &str) -> serde_json::Value {
    reqwest::get(format!("{url}/{path}"))
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}
