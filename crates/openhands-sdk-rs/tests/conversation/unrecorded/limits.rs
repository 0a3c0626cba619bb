//! Limits of a run: money, and going in circles.

use openhands_sdk_rs::agent::stuck::Thresholds;
use openhands_sdk_rs::conversation::RunEnd;
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::protocol::event::{FailureKind, UserAction};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::scene::{PROMPT, Scene, assert_answered_once, ended, kinds_of_run};
use crate::world::{script, user};

fn note(n: i64) -> Value {
    json!({"tools": [{"name": "note", "args": {"n": n}}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_when_it_has_cost_as_much_as_it_may() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene
        .begin_with(|config| config.unsaved.max_budget_per_run = Some(1.0))
        .await;
    let costly = |n| {
        let mut step = note(n);
        step["usage"] = json!({"cost": 0.6});
        step
    };
    conversation
        .send_and_run(script(json!([costly(1), costly(2), costly(3), "unheard"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::BudgetLimit);
    assert_eq!(conversation.status(), ExecutionStatus::Error);
    assert_eq!(
        kinds_of_run(&conversation).await,
        [
            "Action(note)",
            "ObservationEvent",
            "Action(note)",
            "ObservationEvent",
            "S(error)",
            "ConversationErrorEvent",
        ]
    );
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    let Event::ConversationError(error) = events.last().unwrap().event() else {
        panic!("an error was expected");
    };
    assert_eq!(error.code, "MaxBudgetReached");
    let classification = error.classification.as_ref().unwrap();
    assert_eq!(classification.kind, FailureKind::Quota);
    assert_eq!(classification.user_action, UserAction::Settings);
    assert!(!classification.retryable);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_finishes_may_cost_more() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene
        .begin_with(|config| config.unsaved.max_budget_per_run = Some(1.0))
        .await;
    conversation
        .send_and_run(script(json!([{"text": "done", "usage": {"cost": 2.0}}])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
}

async fn run_into(steps: Value) -> (Scene, openhands_sdk_rs::conversation::Conversation) {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin_with(|config| config.max_iterations = 30).await;
    conversation.send_and_run(script(steps)).await.unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Stuck);
    assert_eq!(conversation.status(), ExecutionStatus::Stuck);
    assert_answered_once(&conversation).await;
    (scene, conversation)
}

fn count(kinds: &[String], kind: &str) -> usize {
    kinds.iter().filter(|it| *it == kind).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_call_with_the_same_result_four_times() {
    let mut step = note(1);
    step["repeat"] = json!(true);
    let (_scene, conversation) = run_into(json!([note(7), step])).await;
    let kinds = kinds_of_run(&conversation).await;
    assert_eq!(count(&kinds, "Action(note)"), 5);
    assert_eq!(kinds.last().unwrap(), "S(stuck)");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_failing_call_four_times_with_a_hint_after_the_third() {
    let step = json!({"tools": [{"name": "fall", "args": {}}], "repeat": true});
    let (_scene, conversation) = run_into(json!([step])).await;
    assert_eq!(
        kinds_of_run(&conversation).await,
        [
            "Action(fall)",
            "AgentError",
            "Action(fall)",
            "AgentError",
            "Action(fall)",
            "AgentError",
            "Message(Environment)",
            "Action(fall)",
            "AgentError",
            "S(stuck)",
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn three_answers_in_a_row_that_say_nothing() {
    let (_scene, conversation) = run_into(json!([{"text": "", "repeat": true}])).await;
    let kinds = kinds_of_run(&conversation).await;
    assert_eq!(count(&kinds, "Message(Agent)"), 3);
    assert_eq!(count(&kinds, "Message(Environment)"), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_calls_in_turn_three_times_each() {
    let steps: Vec<Value> = (0..20).map(|n| note(n % 2)).collect();
    let (_scene, conversation) = run_into(json!(steps)).await;
    assert_eq!(count(&kinds_of_run(&conversation).await, "Action(note)"), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_frees_an_agent_that_is_stuck() {
    let mut step = note(1);
    step["repeat"] = json!(true);
    let (_scene, conversation) = run_into(json!([step])).await;
    conversation
        .send_and_run(script(json!(["free"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(conversation.final_response().await.unwrap(), "free");
}

#[tokio::test(flavor = "multi_thread")]
async fn thresholds_can_be_set_and_the_whole_look_turned_off() {
    let scene = Scene::new(&PROMPT);
    let mut step = note(1);
    step["repeat"] = json!(true);
    let conversation = scene
        .begin_with(|config| {
            config.unsaved.stuck_thresholds = Thresholds {
                action_observation: 2,
                ..Thresholds::default()
            };
        })
        .await;
    conversation
        .send_and_run(script(json!([step])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Stuck);
    assert_eq!(count(&kinds_of_run(&conversation).await, "Action(note)"), 2);

    let conversation = scene
        .begin_with(|config| {
            config.stuck_detection = false;
            config.max_iterations = 9;
        })
        .await;
    conversation
        .send_and_run(script(json!([step])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::IterationLimit);
    // Each run has its own count.
    conversation
        .send_and_run(user("MOCK:[\"fine\"]"))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
}
