//! Pause, interrupt and close, whatever is under way.

use openhands_sdk_rs::conversation::{Conversation, RunEnd};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::scene::{
    FIRST_HELD, PROMPT, Scene, assert_answered_once, calls, ended, kinds_of_run, refusals, until,
};
use crate::world::script;

const INTERRUPTED: &str = "Tool call interrupted before completion. The conversation was paused.";
const NOT_BEGUN: &str = "Tool call cancelled by interrupt.";

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_conversation_goes_on_with_a_message() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation.pause().await.unwrap();
    assert_eq!(conversation.status(), ExecutionStatus::Paused);
    conversation
        .send_and_run(script(json!(["awake"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(conversation.final_response().await.unwrap(), "awake");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_a_run_that_is_being_paused_is_answered_in_a_run_of_its_own() {
    let scene = Scene::new(&FIRST_HELD);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["note"], "first"))
        .await
        .unwrap();
    scene.stage.busy().await;
    conversation.pause().await.unwrap();
    conversation
        .send_and_run(script(json!(["second", "third"])))
        .await
        .unwrap();
    scene.stage.let_answer(true);
    until(&conversation, "S(finished)", 1).await;
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(conversation.status(), ExecutionStatus::Finished);
    assert_eq!(
        kinds_of_run(&conversation).await,
        [
            "S(paused)",
            "PauseEvent",
            "Message(User)",
            "S(last_user_message_id)",
            "Action(note)",
            "ObservationEvent",
            "S(running)",
            "Message(Agent)",
            "S(finished)",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_being_paused_goes_on_when_it_is_run() {
    let scene = Scene::new(&FIRST_HELD);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["note"], "after"))
        .await
        .unwrap();
    scene.stage.busy().await;
    conversation.pause().await.unwrap();
    assert_eq!(conversation.status(), ExecutionStatus::Paused);
    conversation.run().await.unwrap();
    assert_eq!(conversation.status(), ExecutionStatus::Running);
    scene.stage.let_answer(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(
        kinds_of_run(&conversation).await,
        [
            "S(paused)",
            "PauseEvent",
            "S(running)",
            "Action(note)",
            "ObservationEvent",
            "Message(Agent)",
            "S(finished)",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_answers_calls_that_run_side_by_side_and_those_that_wait() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene
        .begin_with(|config| config.agent.tool_concurrency_limit = 2)
        .await;
    conversation
        .send_and_run(calls(&["hold", "hold", "note"], "after"))
        .await
        .unwrap();
    until(&conversation, "Action(note)", 1).await;
    scene.stage.busy_with(2).await;
    conversation.interrupt().await.unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Interrupted);
    assert_eq!(conversation.status(), ExecutionStatus::Paused);
    assert_eq!(
        refusals(&conversation).await,
        [INTERRUPTED, INTERRUPTED, NOT_BEGUN]
    );
    assert_answered_once(&conversation).await;
    assert_eq!(
        kinds_of_run(&conversation).await[3..],
        [
            "AgentError",
            "AgentError",
            "AgentError",
            "S(paused)",
            "InterruptEvent"
        ]
    );
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_eq!(conversation.final_response().await.unwrap(), "after");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_calls_side_by_side_are_in_the_order_of_the_calls() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene
        .begin_with(|config| config.agent.tool_concurrency_limit = 2)
        .await;
    conversation
        .send_and_run(calls(&["hold", "note"], "done"))
        .await
        .unwrap();
    until(&conversation, "Action(note)", 1).await;
    scene.stage.busy().await;
    scene.let_go.send_replace(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    let results = events.iter().filter_map(|stored| match stored.event() {
        Event::Observation(event) => Some(event.tool_name.as_str()),
        _ => None,
    });
    assert_eq!(results.collect::<Vec<_>>(), ["hold", "note"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_while_a_tool_runs_leaves_one_result_per_action() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    let id = conversation.id();
    conversation
        .send_and_run(calls(&["hold", "note"], "after"))
        .await
        .unwrap();
    until(&conversation, "Action(note)", 1).await;
    scene.stage.busy().await;
    conversation.close().await.unwrap();
    drop(conversation);
    let again = Conversation::open(&scene.host, id).await.unwrap();
    assert_eq!(again.status(), ExecutionStatus::Paused);
    assert_answered_once(&again).await;
    assert_eq!(
        kinds_of_run(&again).await,
        [
            "Action(hold)",
            "Action(note)",
            "S(paused)",
            "PauseEvent",
            "AgentError",
            "AgentError",
            "InterruptEvent",
        ]
    );
    assert_eq!(again.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_eq!(again.final_response().await.unwrap(), "after");
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_twice_is_closing_once() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(script(json!(["done"])))
        .await
        .unwrap();
    ended(&conversation).await;
    conversation.close().await.unwrap();
    conversation.close().await.unwrap();
}
