//! Tools that fall over, and agents that are not known.

use openhands_sdk_rs::conversation::{Conversation, ConversationError, RunEnd};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::scene::{PROMPT, Scene, assert_answered_once, calls, ended, kinds_of_run, refusals};
use crate::world::{script, user};

async fn last_error(conversation: &Conversation) -> (String, String) {
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    let errors = events.iter().rev().find_map(|stored| match stored.event() {
        Event::ConversationError(error) => Some((error.code.clone(), error.detail.clone())),
        _ => None,
    });
    errors.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_panics_is_an_error_that_the_model_reads() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["fall", "note"], "went on"))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_answered_once(&conversation).await;
    let refusals = refusals(&conversation).await;
    assert_eq!(refusals.len(), 1);
    assert!(
        refusals[0].starts_with("Error executing tool 'fall': ")
            && refusals[0].contains("fell over"),
        "{}",
        refusals[0]
    );
    assert_eq!(conversation.final_response().await.unwrap(), "went on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_panics_over_its_arguments_ends_the_run_and_no_more() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["stumble"], "unheard"))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Failed);
    assert_eq!(conversation.status(), ExecutionStatus::Error);
    conversation
        .send_and_run(script(json!(["still here"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_broken_ends_the_run_with_every_action_answered() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["note", "break", "note"], "unheard"))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Failed);
    assert_eq!(conversation.status(), ExecutionStatus::Error);
    assert_answered_once(&conversation).await;
    assert_eq!(last_error(&conversation).await.1, "broken beyond repair");
    assert_eq!(
        kinds_of_run(&conversation).await,
        [
            "Action(note)",
            "Action(break)",
            "Action(note)",
            "ObservationEvent",
            "AgentError",
            "AgentError",
            "S(error)",
            "ConversationErrorEvent",
        ]
    );
    // Nothing of it is tried again.
    conversation
        .send_and_run(script(json!(["on we go"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(conversation.final_response().await.unwrap(), "on we go");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_of_an_unknown_kind_is_kept_and_not_run() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    let id = conversation.id();
    conversation.close().await.unwrap();
    drop(conversation);
    let path = scene
        .dir
        .path()
        .join("conversations")
        .join(id.hex())
        .join("base_state.json");
    let mut state: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    state["agent"]["kind"] = json!("RobotAgent");
    state["agent"]["wheels"] = json!(4);
    std::fs::write(&path, state.to_string()).unwrap();

    let conversation = Conversation::open(&scene.host, id).await.unwrap();
    let refused = conversation.send_message(user("hello")).await.unwrap_err();
    assert!(matches!(&refused, ConversationError::UnknownAgent(kind) if kind == "RobotAgent"));
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Failed);
    assert_eq!(conversation.status(), ExecutionStatus::Error);
    assert_eq!(
        last_error(&conversation).await.1,
        "agents of kind 'RobotAgent' cannot be run here"
    );
    conversation.close().await.unwrap();
    let state: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(state["agent"]["wheels"], 4);
}
