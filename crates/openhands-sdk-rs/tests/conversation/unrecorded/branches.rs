//! Branches: what counts on them, copies, and questions that leave no trace.

use openhands_sdk_rs::conversation::{Conversation, Fork, RunEnd};
use openhands_sdk_rs::protocol::EventId;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::scene::{PROMPT, Scene, assert_answered_once, calls, ended, refusals, until};
use crate::world::{kinds, script};

async fn say(conversation: &Conversation, answer: &str) -> EventId {
    conversation
        .send_and_run(script(json!([answer])))
        .await
        .unwrap();
    assert_eq!(ended(conversation).await, RunEnd::Finished);
    conversation
        .state(|state| state.leaf_event_id.clone())
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_final_response_is_that_of_the_branch() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    assert_eq!(conversation.final_response().await.unwrap(), "");
    let first = say(&conversation, "one").await;
    let second = say(&conversation, "two").await;
    conversation.navigate(Some(first)).await.unwrap();
    assert_eq!(conversation.final_response().await.unwrap(), "one");
    say(&conversation, "other").await;
    assert_eq!(conversation.final_response().await.unwrap(), "other");
    conversation.navigate(Some(second)).await.unwrap();
    assert_eq!(conversation.final_response().await.unwrap(), "two");
}

#[tokio::test(flavor = "multi_thread")]
async fn after_moving_before_everything_a_new_tree_begins() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    say(&conversation, "one").await;
    let before = conversation.events().len();
    conversation.navigate(None).await.unwrap();
    assert_eq!(conversation.final_response().await.unwrap(), "");
    assert!(conversation.state(|state| state.head_is_empty && state.leaf_event_id.is_none()));
    say(&conversation, "two").await;
    let added = conversation.events().range(before..u64::MAX).await.unwrap();
    let added: Vec<Value> = added
        .iter()
        .map(|stored| serde_json::from_slice(stored.json()).unwrap())
        .collect();
    let root = added
        .iter()
        .find(|event| event["kind"] == "SystemPromptEvent")
        .unwrap();
    assert_eq!(root["parent_id"], "__root__");
    // The model hears nothing of the other tree.
    assert_eq!(scene.told(1), ["user:MOCK:[\"two\"]"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn moving_survives_a_restart() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    let id = conversation.id();
    let first = say(&conversation, "one").await;
    say(&conversation, "two").await;
    conversation.navigate(Some(first.clone())).await.unwrap();
    conversation.close().await.unwrap();
    drop(conversation);
    let again = Conversation::open(&scene.host, id).await.unwrap();
    assert_eq!(
        again.state(|state| state.leaf_event_id.clone()),
        Some(first)
    );
    assert_eq!(again.final_response().await.unwrap(), "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_conversation_at_work_is_idle_and_whole() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["hold"], "first"))
        .await
        .unwrap();
    until(&conversation, "Action(hold)", 1).await;
    scene.stage.busy().await;
    let copy = conversation.fork(Fork::default()).await.unwrap();
    assert_eq!(copy.status(), ExecutionStatus::Idle);
    assert_eq!(conversation.status(), ExecutionStatus::Running);
    assert_answered_once(&copy).await;
    assert_eq!(refusals(&copy).await.len(), 1);
    // Both go on by themselves.
    assert_eq!(copy.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_eq!(copy.final_response().await.unwrap(), "first");
    scene.let_go.send_replace(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(refusals(&conversation).await, Vec::<String>::new());
    assert_answered_once(&conversation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_beside_the_task_leaves_no_event() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    say(&conversation, "one").await;
    let before = kinds(&conversation).await;
    let (status, leaf) =
        conversation.state(|state| (state.execution_status, state.leaf_event_id.clone()));
    let length = conversation.events().len();
    let answer = conversation.ask_agent("MOCK:[\"an aside\"]").await.unwrap();
    assert_eq!(answer, "an aside");
    assert_eq!(conversation.events().len(), length);
    assert_eq!(kinds(&conversation).await, before);
    assert_eq!(
        conversation.state(|state| (state.execution_status, state.leaf_event_id.clone())),
        (status, leaf)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_while_the_agent_is_at_work() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["hold"], "first"))
        .await
        .unwrap();
    until(&conversation, "Action(hold)", 1).await;
    scene.stage.busy().await;
    assert_eq!(
        conversation.ask_agent("MOCK:[\"busy\"]").await.unwrap(),
        "busy"
    );
    scene.let_go.send_replace(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(conversation.final_response().await.unwrap(), "first");
}
