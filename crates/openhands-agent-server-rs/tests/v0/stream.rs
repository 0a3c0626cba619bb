//! Output while it is printed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::Server;

/// The events of a stream, each with the time at which it came.
async fn events(answer: reqwest::Response) -> Vec<(String, Value, Instant)> {
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut answer = answer;
    let (mut text, mut events) = (String::new(), Vec::new());
    while let Some(piece) = answer.chunk().await.unwrap() {
        text.push_str(std::str::from_utf8(&piece).unwrap());
        while let Some((event, rest)) = text.split_once("\n\n") {
            let (name, data) = event.split_once('\n').unwrap();
            let name = name.strip_prefix("event: ").unwrap().to_owned();
            let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            events.push((name, data, Instant::now()));
            text = rest.to_owned();
        }
    }
    events
}

#[tokio::test]
async fn output_comes_while_the_command_runs() {
    let server = Server::start().await;
    let action = json!({"action": {"action": "run", "timeout": 30,
        "args": {"command": "echo first; until [ -e go ]; do sleep 0.02; done; echo second"}}});
    let answer = server
        .client
        .post(server.url("/execute_action/stream"))
        .json(&action)
        .send();
    let mut answer = answer.await.unwrap();
    let piece = tokio::time::timeout(Duration::from_secs(10), answer.chunk()).await;
    let piece = piece.unwrap().unwrap().unwrap();
    assert!(String::from_utf8_lossy(&piece).contains("first"));
    // It was still running: it ends only now.
    std::fs::write(server.path("go"), "").unwrap();
    let events = events(answer).await;
    let (name, observation, _) = events.last().unwrap();
    assert_eq!(name, "observation");
    assert_eq!(observation["content"], "first\nsecond");
    assert_eq!(observation["success"], true);
}

#[tokio::test]
async fn a_browser_can_ask_by_the_query() {
    let server = Server::start().await;
    let action =
        json!({"action": "run", "args": {"command": "printf 'h\u{e9}llo'"}, "timeout": 10});
    let request = server
        .client
        .get(server.url("/execute_action/stream"))
        .query(&[("action", action.to_string())]);
    let events = events(request.send().await.unwrap()).await;
    let output: String = events
        .iter()
        .filter(|(name, ..)| name == "output")
        .map(|(_, data, _)| data["output"].as_str().unwrap())
        .collect();
    assert_eq!(output.trim_end(), "h\u{e9}llo");
    assert_eq!(events.last().unwrap().1["content"], "h\u{e9}llo");
}

#[tokio::test]
async fn what_cannot_be_done_is_an_error() {
    let server = Server::start().await;
    let (status, body) = server
        .post(
            "/execute_action/stream",
            &json!({"action": {"action": "odd"}}),
        )
        .await;
    assert_eq!(status, 500);
    assert!(body["detail"].as_str().unwrap().contains("is not defined"));
    let request = json!({"action": {"action": "run_ipython", "args": {"code": "1"}}});
    let request = server
        .client
        .post(server.url("/execute_action/stream"))
        .json(&request);
    let events = events(request.send().await.unwrap()).await;
    assert_eq!(events.last().unwrap().0, "error");
    assert_eq!(events.last().unwrap().1["status"], 500);
}

#[tokio::test]
async fn a_web_page_of_somebody_else_cannot_run_commands() {
    let server = Server::start().await;
    let action = json!({"action": "run", "args": {"command": "touch owned"}, "timeout": 10});
    for header in [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
        ("Origin", "https://evil.example"),
    ] {
        let by_query = server
            .client
            .get(server.url("/execute_action/stream"))
            .query(&[("action", action.to_string())]);
        let simple = |path: &str, body: Value| {
            let request = server.client.post(server.url(path));
            request
                .header("Content-Type", "text/plain")
                .body(body.to_string())
        };
        let servers = json!([{"name": "x", "command": "touch", "args": ["owned"]}]);
        for request in [
            by_query,
            simple("/execute_action", json!({"action": action})),
            simple("/execute_action/stream", json!({"action": action})),
            simple("/update_mcp_server", servers),
        ] {
            let answer = request.header(header.0, header.1).send().await.unwrap();
            assert_eq!(answer.status(), 403, "{header:?} {}", answer.url().path());
        }
        let alive = server.client.get(server.url("/alive"));
        let alive = alive.header(header.0, header.1).send().await.unwrap();
        assert_eq!(alive.status(), 200);
    }
    assert_eq!(server.output("ls").await, "");
}
