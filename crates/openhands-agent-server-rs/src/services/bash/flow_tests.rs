use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use openhands_protocol::bash::ExecuteBashRequest;
use openhands_sdk_rs::process::command_environment;
use serde_json::Value;
use tokio::time::timeout;

use super::super::{Answer, BashService};
use super::*;

const SOON: Duration = Duration::from_secs(20);

async fn execute(command: String) -> (tempfile::TempDir, Arc<BashService>, Answer) {
    let directory = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let environment = command_environment([("PATH".into(), path)]);
    let bash = BashService::new(directory.path().join("events"), environment, None);
    let request = ExecuteBashRequest {
        command,
        ..ExecuteBashRequest::default()
    };
    let answer = timeout(SOON, bash.execute(request)).await.unwrap().unwrap();
    (directory, bash, answer)
}

/// Waits until a command has come to the line that makes this file.
async fn made(file: &Path) {
    let made = async {
        while !file.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(SOON, made).await.expect("the command goes on");
}

async fn value(answer: Answer) -> Value {
    let pieces = timeout(SOON, answer.json.collect::<Vec<_>>())
        .await
        .unwrap();
    let pieces: Vec<_> = pieces.into_iter().map(Result::unwrap).collect();
    serde_json::from_slice(&pieces.concat()).unwrap()
}

#[tokio::test]
async fn large_output_is_on_its_way_before_the_command_ends() {
    let gate = tempfile::tempdir().unwrap();
    let gate = gate.path().join("gate");
    let mode = 0o600.into();
    rustix::fs::mknodat(rustix::fs::CWD, &gate, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let line = "yes '\"ü' | head -n 500000";
    let command = format!("{line}; echo problem >&2; cat {}; exit 3", gate.display());
    let (_directory, _bash, mut answer) = execute(command).await;
    assert_eq!(answer.length, None);
    let mut begun = Vec::new();
    while begun.len() < 100_000 {
        let piece = timeout(SOON, answer.json.next()).await.unwrap();
        begun.extend_from_slice(&piece.unwrap().unwrap());
    }
    // Only now may it end.
    std::fs::write(&gate, "last").unwrap();
    let rest = timeout(SOON, answer.json.collect::<Vec<_>>())
        .await
        .unwrap();
    for piece in rest {
        begun.extend_from_slice(&piece.unwrap());
    }
    let whole: Value = serde_json::from_slice(&begun).unwrap();
    let stdout = "\"ü\n".repeat(500_000) + "last";
    assert_eq!(whole["stdout"], stdout);
    assert_eq!(whole["stderr"], "problem\n");
    assert_eq!(whole["exit_code"], 3);
    assert_eq!(whole["kind"], "BashOutput");
    assert_eq!(whole.as_object().unwrap().len(), 8);
}

#[tokio::test]
async fn a_client_that_reads_nothing_holds_up_no_command_and_gets_it_all_later() {
    let directory = tempfile::tempdir().unwrap();
    let done = directory.path().join("done");
    // More than is kept in memory and open files together.
    let command = format!(
        "head -c 80000000 /dev/zero | tr '\\0' x; touch {}",
        done.display()
    );
    let (_directory, _bash, answer) = execute(command).await;
    made(&done).await;
    let whole = value(answer).await;
    assert_eq!(whole["stdout"].as_str().unwrap().len(), 80_000_000);
    assert_eq!(whole["exit_code"], 0);
    assert_eq!(whole["stderr"], Value::Null);
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_a_command_that_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let done = directory.path().join("done");
    let command = format!(
        "head -c 20000000 /dev/zero | tr '\\0' x; touch {}",
        done.display()
    );
    let (_directory, _bash, answer) = execute(command).await;
    drop(answer);
    made(&done).await;
}

#[tokio::test]
async fn what_was_kept_for_a_client_that_has_gone_is_given_up_while_the_command_says_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (outputs, stored) = mpsc::channel(1);
    let parts = begin(Joined::new(directory.path()), stored);
    drop(parts);
    timeout(SOON, outputs.closed()).await.unwrap();
}
