//! `run`: what the recordings do not show.

use std::time::Duration;

use serde_json::json;

use crate::server::{Server, Setup};

#[tokio::test]
async fn a_client_that_goes_away_does_not_end_its_command() {
    let server = Server::start().await;
    let action = json!({"action": {"action": "run", "timeout": 30,
        "args": {"command": "sleep 0.5; touch done", "blocking": true}}});
    let asked = server
        .client
        .post(server.url("/execute_action"))
        .json(&action)
        .timeout(Duration::from_millis(100))
        .send()
        .await;
    assert!(asked.is_err(), "it had to time out");
    // The next action waits for the one before it.
    assert_eq!(server.output("ls").await, "done");
}

#[tokio::test]
async fn the_server_leaves_nothing_in_the_workspace() {
    let server = Server::start().await;
    assert_eq!(server.output("ls -la | tail -n +4").await, "");
    assert!(server.output("ls -l").await.starts_with("total 0"));
}

#[tokio::test]
async fn a_limit_and_silence_are_told_apart() {
    let setup = Setup {
        env: &[("NO_CHANGE_TIMEOUT_SECONDS", "1")],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    let suffix = |observation: &serde_json::Value| {
        observation["extras"]["metadata"]["suffix"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let silent = server
        .act("run", json!({"command": "sleep 20"}), 30.0)
        .await;
    assert!(
        suffix(&silent).contains("no new output after 1 seconds"),
        "{silent}"
    );
    let interrupted = server
        .act("run", json!({"command": "C-c", "is_input": true}), 10.0)
        .await;
    assert_eq!(interrupted["extras"]["metadata"]["exit_code"], 130);
    let limited = server
        .act("run", json!({"command": "sleep 20", "blocking": true}), 1.5)
        .await;
    assert!(
        suffix(&limited).contains("timed out after 1.5 seconds"),
        "{limited}"
    );
    server
        .act("run", json!({"command": "C-c", "is_input": true}), 10.0)
        .await;
}

#[tokio::test]
async fn names_of_keys_are_text_for_a_program() {
    let server = Server::start().await;
    let asked = server
        .act("run", json!({"command": "read line; echo got $line"}), 1.0)
        .await;
    assert_eq!(asked["extras"]["metadata"]["exit_code"], -1);
    let answered = server
        .act("run", json!({"command": "UP", "is_input": true}), 10.0)
        .await;
    assert_eq!(answered["content"], "got UP", "{answered}");
}

#[tokio::test]
async fn what_is_hidden_is_not_cut() {
    let server = Server::start().await;
    let long = "python3 -c \"print('x' * 50000)\"";
    let hidden = server
        .act("run", json!({"command": long, "hidden": true}), 30.0)
        .await;
    assert_eq!(hidden["content"].as_str().unwrap().len(), 50_000);
    assert_eq!(hidden["extras"]["hidden"], true);
    let cut = server.output(long).await;
    assert!(cut.contains("[... Observation truncated due to length ...]"));
}

#[tokio::test]
async fn a_shell_that_ends_comes_back_with_its_alias() {
    let server = Server::start().await;
    let ended = server.run("exit 7").await;
    assert_eq!(ended["extras"]["metadata"]["exit_code"], 7);
    assert!(server.output("type git").await.contains("--no-pager"));
}

#[tokio::test]
async fn the_key_of_the_server_is_not_shown_to_commands() {
    let setup = Setup {
        env: &[("SESSION_API_KEY", "k1"), ("OTHER_VARIABLE", "seen")],
        ..Setup::default()
    };
    let server = Server::with(setup).await;
    let action = json!({"action": {"action": "run", "args": {"command": "env"}, "timeout": 10}});
    let answer = server
        .client
        .post(server.url("/execute_action"))
        .header("X-Session-API-Key", "k1")
        .json(&action)
        .send()
        .await
        .unwrap();
    let text = answer.text().await.unwrap();
    assert!(text.contains("OTHER_VARIABLE=seen") && !text.contains("SESSION_API_KEY"));
}
