//! The thinnest path: message, model, terminal, finish.

use openhands_sdk_rs::conversation::{Conversation, Decision, Live, RunEnd, Update};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::protocol::security::{AlwaysConfirm, ConfirmationPolicy};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::world::{World, kinds, script};

#[tokio::test(flavor = "multi_thread")]
async fn a_message_becomes_a_command_and_an_answer() {
    let world = World::new();
    let conversation = world.begin().await;
    assert_eq!(conversation.events().len(), 0);
    conversation
        .send_message(script(json!([
            {"text": "I will write it", "tools": [{"name": "terminal", "args": {"command": "echo hi > made.txt; cat made.txt"}}]},
            {"tools": [{"name": "finish", "args": {"message": "all done"}}]},
        ])))
        .await
        .unwrap();
    assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_eq!(
        kinds(&conversation).await,
        [
            "SystemPromptEvent",
            "Message(User)",
            "S(last_user_message_id)",
            "S(running)",
            "Action(terminal)",
            "ObservationEvent",
            "Action(finish)",
            "ObservationEvent",
            "S(finished)",
        ]
    );
    // Clients sort by time.
    let events = conversation.events().range(0..2).await.unwrap();
    let times: Vec<_> = events
        .iter()
        .map(|event| event.event().header().unwrap().timestamp.to_string())
        .collect();
    assert!(times[0] <= times[1], "{times:?}");
    let made = world.dir.path().join("project/made.txt");
    assert_eq!(std::fs::read_to_string(made).unwrap(), "hi\n");

    let id = conversation.id();
    conversation.close().await.unwrap();
    drop(conversation);
    let again = Conversation::open(&world.host, id).await.unwrap();
    assert_eq!(again.status(), ExecutionStatus::Finished);
    again
        .send_message(script(json!(["and again"])))
        .await
        .unwrap();
    assert_eq!(again.run_to_end().await.unwrap(), RunEnd::Finished);
    assert_eq!(
        kinds(&again).await.split_off(9),
        [
            "S(idle)",
            "Message(User)",
            "S(last_user_message_id)",
            "S(running)",
            "Message(Agent)",
            "S(finished)"
        ]
    );
    again.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_hears_that_a_run_is_over_can_ask_how_it_ended() {
    let world = World::new();
    let conversation = world.begin().await;
    let mut watcher = conversation.subscribe(0);
    for round in 0..20 {
        conversation
            .send_and_run(script(json!(["done"])))
            .await
            .unwrap();
        while let Some(update) = watcher.next().await.unwrap() {
            if matches!(update, Update::Live(Live::FullState(_))) {
                break;
            }
        }
        assert_eq!(
            conversation.wait().await,
            Some(RunEnd::Finished),
            "round {round}"
        );
    }
    conversation.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_that_wait_are_pending_until_they_are_decided_on() {
    let world = World::new();
    let mut config = world.config();
    config.confirmation_policy = ConfirmationPolicy::Always(AlwaysConfirm::default());
    let conversation = Conversation::create(&world.host, config).await.unwrap();
    assert_eq!(conversation.pending_actions().await.unwrap().len(), 0);
    conversation
        .send_message(script(json!([
            {"tools": [
                {"name": "terminal", "args": {"command": "touch a"}},
                {"name": "terminal", "args": {"command": "touch b"}},
            ]},
            "so be it",
        ])))
        .await
        .unwrap();
    let end = conversation.run_to_end().await.unwrap();
    assert_eq!(end, RunEnd::AwaitingConfirmation);
    let pending = conversation.pending_actions().await.unwrap();
    let commands: Vec<_> = pending
        .iter()
        .map(|stored| match stored.event() {
            Event::Action(action) => action.tool_call.arguments.clone(),
            other => panic!("a {} is no action", other.kind()),
        })
        .collect();
    assert_eq!(
        commands,
        [r#"{"command": "touch a"}"#, r#"{"command": "touch b"}"#]
    );
    let no = Decision::Reject("no".to_owned());
    conversation.respond(no).await.unwrap();
    assert_eq!(conversation.pending_actions().await.unwrap().len(), 0);
    conversation.close().await.unwrap();
}
