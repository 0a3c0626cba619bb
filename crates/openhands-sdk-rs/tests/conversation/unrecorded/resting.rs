//! A conversation that does nothing costs nothing that runs.

use std::time::Duration;

use openhands_sdk_rs::conversation::RunEnd;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::runtime::Handle;

use super::scene::{DEADLINE, PROMPT, Scene, calls, ended};
use crate::world::script;

/// Waits until there are no more tasks than these.
async fn settle(tasks: usize) {
    let mut looks = tokio::time::interval(Duration::from_millis(5));
    let wait = async {
        while Handle::current().metrics().num_alive_tasks() > tasks {
            looks.tick().await;
        }
    };
    tokio::time::timeout(DEADLINE, wait)
        .await
        .unwrap_or_else(|_| {
            panic!(
                "{} tasks, not {tasks}",
                Handle::current().metrics().num_alive_tasks()
            )
        });
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_conversations_have_no_task() {
    let scene = Scene::new(&PROMPT);
    let tasks = Handle::current().metrics().num_alive_tasks();
    let mut conversations = Vec::new();
    for _ in 0..20 {
        let conversation = scene.begin().await;
        conversation
            .send_and_run(calls(&["note"], "done"))
            .await
            .unwrap();
        conversations.push(conversation);
    }
    for conversation in &conversations {
        assert_eq!(ended(conversation).await, RunEnd::Finished);
    }
    settle(tasks).await;
    // They still work.
    for conversation in &conversations {
        conversation
            .send_and_run(script(json!(["again"])))
            .await
            .unwrap();
        assert_eq!(ended(conversation).await, RunEnd::Finished);
    }
    settle(tasks).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_at_rest_gives_its_shell_up_and_gets_a_new_one() {
    let scene = Scene::new(&PROMPT);
    let tasks = Handle::current().metrics().num_alive_tasks();
    let conversation = scene
        .begin_with(|config| config.agent = crate::world::agent())
        .await;
    let steps = json!([{"tools": [{"name": "terminal", "args": {"command": "echo $$"}}]}, "done"]);
    conversation
        .send_and_run(script(steps.clone()))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    conversation.rest().await;
    settle(tasks).await;
    conversation.send_and_run(script(steps)).await.unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    conversation.close().await.unwrap();
    settle(tasks).await;
}
