//! The thinnest path: message, model, terminal, finish.

use openhands_sdk_rs::conversation::{Conversation, RunEnd};
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
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
