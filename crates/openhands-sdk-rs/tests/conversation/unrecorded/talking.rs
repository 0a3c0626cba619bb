//! Messages that come when the agent is at work, actions that wait for the user, and images that the model cannot see.

use std::sync::Arc;

use openhands_sdk_rs::conversation::{ConversationError, Decision, Refused, RunEnd};
use openhands_sdk_rs::llm::{ModelFeatures, ScriptedModel};
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::protocol::message::Content;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::scene::{
    FIRST_HELD, PROMPT, Scene, assert_answered_once, calls, ended, kinds_of_run, refusals, until,
};
use crate::world::{World, kinds, script, user};

#[tokio::test(flavor = "multi_thread")]
async fn a_message_during_a_tool_is_stored_at_once_and_told_after_the_result() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(calls(&["hold"], "never"))
        .await
        .unwrap();
    until(&conversation, "Action(hold)", 1).await;
    scene.stage.busy().await;
    conversation.send_and_run(user("and this")).await.unwrap();
    until(&conversation, "Message(User)", 2).await;
    scene.let_go.send_replace(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(
        kinds_of_run(&conversation).await,
        [
            "Action(hold)",
            "Message(User)",
            "S(last_user_message_id)",
            "ObservationEvent",
            "Message(Agent)",
            "S(finished)",
        ]
    );
    let told = scene.told(1);
    assert_eq!(
        told.iter()
            .map(|line| line.split(':').next().unwrap())
            .collect::<Vec<_>>(),
        ["user", "assistant", "tool", "user"]
    );
    assert_eq!(
        told[1..],
        ["assistant:hold", "tool:hold done", "user:and this"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_with_a_message_is_stored_while_the_model_thinks_and_before_its_answer() {
    let begun = ["Message(User)", "S(last_user_message_id)", "S(running)"];
    let scene = Scene::new(&FIRST_HELD);
    let conversation = scene.begin().await;
    let said = conversation
        .send_and_run(script(json!(["first"])))
        .await
        .unwrap();
    assert_eq!(conversation.status(), ExecutionStatus::Running);
    let last = conversation.state(|state| state.last_user_message_id.clone());
    assert_eq!(last, Some(said));
    scene.stage.busy().await;
    until(&conversation, "S(running)", 1).await;
    let stored = kinds(&conversation).await;
    assert!(stored.ends_with(&begun.map(str::to_owned)), "{stored:?}");
    scene.stage.let_answer(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    // From now on the model answers at once.
    let before = kinds(&conversation).await.len();
    conversation
        .send_and_run(script(json!(["second"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    let stored = kinds(&conversation).await.split_off(before);
    assert_eq!(stored[1..4], begun, "{stored:?}");
    assert_eq!(stored[4..], ["Message(Agent)", "S(finished)"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_while_the_model_decides_takes_the_place_of_a_confirmation() {
    let scene = Scene::new(&FIRST_HELD);
    let conversation = scene
        .begin_with(|config| {
            config.confirmation_policy =
                serde_json::from_value(json!({"kind": "AlwaysConfirm"})).unwrap();
        })
        .await;
    conversation
        .send_and_run(calls(&["note"], "unheard"))
        .await
        .unwrap();
    scene.stage.busy().await;
    conversation
        .send_and_run(script(json!(["ignored", "well then"])))
        .await
        .unwrap();
    scene.stage.let_answer(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(
        kinds_of_run(&conversation).await,
        [
            "Message(User)",
            "S(last_user_message_id)",
            "Action(note)",
            "S(waiting_for_confirmation)",
            "UserRejectObservation",
            "S(running)",
            "Message(Agent)",
            "S(finished)",
        ]
    );
    assert_eq!(
        refusals(&conversation).await,
        ["Superseded by a new user message"]
    );
    assert_answered_once(&conversation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn at_the_last_permitted_step_a_late_message_leaves_the_conversation_idle() {
    let scene = Scene::new(&FIRST_HELD);
    let conversation = scene.begin_with(|config| config.max_iterations = 1).await;
    conversation
        .send_and_run(script(json!(["first", "second"])))
        .await
        .unwrap();
    scene.stage.busy().await;
    conversation
        .send_message(user("one more thing"))
        .await
        .unwrap();
    scene.stage.let_answer(true);
    assert_eq!(ended(&conversation).await, RunEnd::Idle);
    assert_eq!(conversation.status(), ExecutionStatus::Idle);
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_eq!(conversation.final_response().await.unwrap(), "second");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_run_at_a_time() {
    let scene = Scene::new(&FIRST_HELD);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(script(json!(["done"])))
        .await
        .unwrap();
    scene.stage.busy().await;
    let refused = conversation.run().await.unwrap_err();
    assert!(matches!(
        refused,
        ConversationError::Refused(Refused::AlreadyRunning)
    ));
    // Whoever accepts what is already running is not told off.
    conversation.respond(Decision::Accept).await.unwrap();
    scene.stage.let_answer(true);
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(
        kinds_of_run(&conversation).await,
        ["Message(Agent)", "S(finished)"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejection_with_nothing_to_reject_changes_nothing() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_message(script(json!(["done"])))
        .await
        .unwrap();
    let before = conversation.events().len();
    conversation
        .respond(Decision::Reject("no".to_owned()))
        .await
        .unwrap();
    assert_eq!(conversation.events().len(), before);
    assert_eq!(conversation.status(), ExecutionStatus::Idle);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_action_of_a_batch_is_rejected_with_its_reason() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene
        .begin_with(|config| {
            config.confirmation_policy =
                serde_json::from_value(json!({"kind": "AlwaysConfirm"})).unwrap();
        })
        .await;
    conversation
        .send_and_run(calls(&["note", "note"], "fine"))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::AwaitingConfirmation);
    conversation
        .respond(Decision::Reject("not now".to_owned()))
        .await
        .unwrap();
    assert_eq!(refusals(&conversation).await, ["not now", "not now"]);
    assert_eq!(conversation.status(), ExecutionStatus::Idle);
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_answered_once(&conversation).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_conversations_work_at_the_same_time() {
    let scene = Scene::new(&PROMPT);
    let (one, other) = (scene.begin().await, scene.begin().await);
    one.send_and_run(calls(&["hold"], "one")).await.unwrap();
    other.send_and_run(calls(&["hold"], "other")).await.unwrap();
    // Both tools are at work before either ends.
    until(&one, "Action(hold)", 1).await;
    until(&other, "Action(hold)", 1).await;
    scene.stage.busy_with(2).await;
    scene.let_go.send_replace(true);
    assert_eq!(ended(&one).await, RunEnd::Finished);
    assert_eq!(ended(&other).await, RunEnd::Finished);
    assert_eq!(one.final_response().await.unwrap(), "one");
    assert_eq!(other.final_response().await.unwrap(), "other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_sees_nothing_is_not_asked_about_an_image() {
    let model = ScriptedModel::from_messages().with_features(ModelFeatures {
        native_tools: true,
        vision: false,
        ..ModelFeatures::default()
    });
    let model = Arc::new(model);
    let world = World::with_model(Arc::clone(&model));
    let conversation = world.begin().await;
    let mut shown = user("What is this?");
    shown
        .content
        .push(Content::image("data:image/png;base64,AAAA"));
    conversation.send_and_run(shown).await.unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    let said = conversation.final_response().await.unwrap();
    assert!(said.contains("cannot read images"), "{said}");
    assert_eq!(model.calls(), 0);
    // It is answered: the model hears of what comes next.
    conversation
        .send_and_run(script(json!(["a cat then"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    assert_eq!(conversation.final_response().await.unwrap(), "a cat then");
    assert_eq!(model.calls(), 1);
}
