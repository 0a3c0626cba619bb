//! A process that was killed: what its conversations are when another one opens them.
//!
//! The directory is copied while the first host is at work. Events are on disk before anyone sees them, so the copy is
//! what a kill would have left.

use std::path::Path;
use std::sync::Arc;

use openhands_sdk_rs::conversation::{Conversation, ConversationConfig};
use openhands_sdk_rs::llm::{ChatModel, LlmError, LlmErrorKind, ScriptedModel};
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use serde_json::json;

use super::recording::{self, Entry, is_full_state};
use super::{Replay, table};
use crate::world::{agent, user};

const NAME: &str = "60_crash_recovery";
const AT_TOOL: &str = "11111111-1111-4111-8111-111111111111";
const AT_MODEL: &str = "22222222-2222-4222-8222-222222222222";
const WAITING: &str = "33333333-3333-4333-8333-333333333333";

/// What the library of the recorded server said when it had no key.
const NO_KEY: &str = "Missing credentials. Please pass an `api_key`, `workload_identity`, `admin_api_key`, or set the `OPENAI_API_KEY` or `OPENAI_ADMIN_KEY` environment variable.";

#[tokio::test(flavor = "multi_thread")]
async fn crash_recovery() {
    let before = Replay::new(NAME);
    let killed = leave_at_work(&before).await;
    let mut after = Replay::new(NAME);
    copy(
        before.server.host.directory.as_ref().unwrap(),
        after.server.host.directory.as_ref().unwrap(),
    );
    let mut host = (*after.server.host).clone();
    host.models = Arc::new(|llm| {
        // Without a cipher, keys are not kept.
        if llm
            .api_key
            .as_ref()
            .is_some_and(|key| key.expose().is_some())
        {
            return Err(LlmError::new(LlmErrorKind::Configuration, "there is a key"));
        }
        let script = json!([{"status": 500, "error": {"message": NO_KEY}, "repeat": true}]);
        Ok(Arc::new(ScriptedModel::from_value(&script)?) as Arc<dyn ChatModel>)
    });
    after.server.host = Arc::new(host);
    // The shell of the workspace of the first host is in the paths of its events.
    after.server.comparison.places.push((
        before.server.project.display().to_string(),
        "<ws>".to_owned(),
    ));
    for (id, status) in [
        (AT_TOOL, ExecutionStatus::Error),
        (AT_MODEL, ExecutionStatus::Error),
        (WAITING, ExecutionStatus::WaitingForConfirmation),
    ] {
        let opened = Conversation::open(&after.server.host, id.parse().unwrap())
            .await
            .unwrap();
        assert_eq!(opened.status(), status, "{id}");
        after.server.know(id, &opened);
    }
    play(&mut after).await;
    after.end().await;
    for conversation in killed {
        conversation.close().await.unwrap();
    }
}

async fn play(replay: &mut Replay) {
    for entry in recording::read(NAME) {
        match entry {
            Entry::Call(call) => replay.server.perform(&call).await,
            Entry::Frame(frame) => {
                if is_full_state(&frame) && frame["value"]["id"] == WAITING && replay.states == 1 {
                    // What came of the first run was not recorded.
                    replay.watcher = None;
                }
                replay.expect(frame).await;
            }
        }
    }
}

/// A tool at work, a model at work, and an action that waits.
async fn leave_at_work(replay: &Replay) -> Vec<Conversation> {
    let mut left = Vec::new();
    for (id, script) in [
        (
            AT_TOOL,
            r#"MOCK:[{"tools": [{"name": "terminal", "args": {"command": "sleep 60", "security_risk": "LOW"}}]}]"#,
        ),
        (AT_MODEL, r#"MOCK:[{"text":"x"}]"#),
        (
            WAITING,
            r#"MOCK:[{"tools": [{"name": "terminal", "args": {"command": "echo w", "security_risk": "LOW"}}]}]"#,
        ),
    ] {
        let mut config = ConversationConfig::new(agent(), &replay.server.project);
        config.id = id.parse().unwrap();
        config.agent.llm.api_key = Some("sk-x".into());
        if id == WAITING {
            config.confirmation_policy = super::perform::read(&json!({"kind": "AlwaysConfirm"}));
        }
        let conversation = Conversation::create(&replay.server.host, config)
            .await
            .unwrap();
        conversation.send_and_run(user(script)).await.unwrap();
        match id {
            AT_TOOL => {
                let mut events = conversation.events().cursor(0);
                while events.next().await.unwrap().unwrap().event().kind() != "ActionEvent" {}
                replay.server.stage.busy_with(1).await;
            }
            AT_MODEL => replay.server.stage.busy_with(2).await,
            _ => {
                conversation.wait().await;
            }
        }
        left.push(conversation);
    }
    assert_eq!(table::part("60").held, [2]);
    left
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
