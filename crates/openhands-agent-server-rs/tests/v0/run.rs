//! `run`: what the recordings do not show.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, Setup, signal};

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

fn metadata(observation: &Value) -> &Value {
    &observation["extras"]["metadata"]
}

#[tokio::test]
async fn the_end_of_a_shell_is_told_with_the_next_command() {
    let server = Server::start().await;
    let pid = server.output("echo $$").await;
    let left = json!({"command": "echo bye; until [ -e go ]; do sleep 0.02; done; exit 3"});
    let running = server.act("run", left, 1.0).await;
    assert_eq!(metadata(&running)["exit_code"], -1, "{running}");
    std::fs::write(server.path("go"), "").unwrap();
    ended(&pid).await;
    // The alias is there for this command already.
    let next = loop {
        let next = server.run("type git").await;
        let suffix = metadata(&next)["suffix"].as_str().unwrap();
        // Until the server knows of the end.
        if !suffix.contains("is NOT executed") {
            break next;
        }
    };
    assert_eq!(metadata(&next)["exit_code"], 0, "{next}");
    assert!(
        next["content"].as_str().unwrap().contains("--no-pager"),
        "{next}"
    );
    let prefix = metadata(&next)["prefix"].as_str().unwrap();
    assert!(
        prefix.starts_with("[The shell ended with exit code 3 before this command. A new shell"),
        "{next}"
    );
    assert_eq!(metadata(&server.run("true").await)["prefix"], "");
}

#[tokio::test]
async fn a_shell_that_dies_while_nothing_runs_is_told_of() {
    let server = Server::start().await;
    let pid = server.output("echo $$").await;
    signal("KILL", pid.parse().unwrap());
    ended(&pid).await;
    let next = server.run("true").await;
    // If the server did not know of the end yet, it is the command's.
    let told = [&metadata(&next)["prefix"], &metadata(&next)["suffix"]];
    assert!(
        told.iter()
            .any(|told| told.as_str().unwrap().contains("A new shell was started")),
        "{next}"
    );
    assert!(server.output("type git").await.contains("--no-pager"));
}

#[tokio::test]
async fn a_limit_beyond_all_times_is_none() {
    let server = Server::start().await;
    for limit in [1e10, 9.3e18, 1.8e19, 1e300] {
        let observation = server
            .act(
                "run",
                json!({"command": "echo well", "blocking": true}),
                limit,
            )
            .await;
        assert_eq!(observation["content"], "well", "{limit}: {observation}");
    }
    assert!(!server.log().contains("panic"), "{}", server.log());
}

/// Waits for the end of a process.
async fn ended(pid: &str) {
    let process = Path::new("/proc").join(pid);
    let began = Instant::now();
    while process.exists() {
        assert!(began.elapsed() < Duration::from_secs(20), "{pid} goes on");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
