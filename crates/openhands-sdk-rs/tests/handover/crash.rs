//! One side is killed in the middle of a tool; the other answers the action and goes on.

use std::path::Path;

use openhands_sdk_rs::conversation::RunEnd;
use openhands_sdk_rs::protocol::{ConversationId, Event};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::python::python;
use crate::reference::Reference;
use crate::survivors::wait_for_none;
use crate::worker::Worker;
use crate::world::{World, look, results_of, say, script, until};

/// A command that says that it has begun, and then takes longer than anybody waits.
fn endless(begun: &Path) -> Value {
    json!([{"tools": [{
        "id": "endless", "name": "terminal", "args": {"command": format!("echo > {}; sleep 600", begun.display())},
    }]}])
}

/// The kinds of the last events of the branch.
fn tail(seen: &Value, count: usize) -> Vec<&str> {
    let branch = seen["branch"].as_array().unwrap();
    let kind = |id: &Value| {
        let events = seen["events"].as_array().unwrap();
        events.iter().find(|event| event[0] == *id).unwrap()[2]
            .as_str()
            .unwrap()
    };
    branch[branch.len() - count..].iter().map(kind).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn we_recover_what_the_reference_left_when_it_was_killed_in_a_tool() {
    let Some(python) = python() else { return };
    let world = World::new("NeverConfirm").await;
    let mut reference = Reference::start(&python, &world.log());
    let id = ConversationId::random();
    reference.ask("open", &world.beginning(id));
    reference.ask("message", &json!({"text": script(&json!(["hello"]))}));
    let begun = world.dir.path().join("begun");
    let text = script(&endless(&begun));
    reference.ask("message", &json!({"text": text, "wait": false}));
    until("the command", || begun.exists());
    reference.kill();

    let conversation = world.open(id).await;
    let seen = look(&conversation).await;
    assert_eq!(
        (&seen["status"], &seen["pending"]),
        (&json!("error"), &json!([]))
    );
    assert_eq!(
        tail(&seen, 3),
        ["MessageEvent", "ActionEvent", "AgentErrorEvent"]
    );
    let events = conversation.events().range(0..u64::MAX).await.unwrap();
    for stored in &events {
        assert_ne!(results_of(stored.event(), &events), Some(0));
        if let Event::AgentError(error) = stored.event() {
            assert!(
                error
                    .error
                    .starts_with("A restart occurred while this tool was in progress.")
            );
        }
    }
    let end = say(&conversation, &script(&json!(["and on"]))).await;
    assert_eq!(end, RunEnd::Finished);
    let seen = look(&conversation).await;
    assert_eq!(
        tail(&seen, 3),
        ["AgentErrorEvent", "MessageEvent", "MessageEvent"]
    );
    conversation.close().await.unwrap();

    let mut reference = Reference::start(&python, &world.log());
    assert_eq!(world.look_there(&mut reference, id), seen);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_recovers_what_we_left_when_we_were_killed_in_a_tool() {
    let Some(python) = python() else { return };
    let world = World::new("NeverConfirm").await;
    let conversation = world.create().await;
    say(&conversation, &script(&json!(["hello"]))).await;
    conversation.close().await.unwrap();
    let id = conversation.id();
    drop(conversation);

    let begun = world.dir.path().join("begun");
    let directory = world.dir.path().join("conversations");
    let mut worker = Worker::start(&directory, id, &endless(&begun), &id.hex());
    until("the command", || begun.exists());
    worker.kill();
    wait_for_none(&id.hex());

    let mut reference = Reference::start(&python, &world.log());
    reference.ask("open", &world.opening(id));
    let seen = reference.ask("look", &json!({}));
    assert_eq!(
        (&seen["status"], &seen["pending"]),
        (&json!("error"), &json!([]))
    );
    assert_eq!(
        tail(&seen, 3),
        ["MessageEvent", "ActionEvent", "AgentErrorEvent"]
    );
    reference.ask("message", &json!({"text": script(&json!(["and on"]))}));
    let seen = reference.ask("look", &json!({}));
    reference.ask("close", &json!({}));
    assert_eq!(
        tail(&seen, 3),
        ["AgentErrorEvent", "MessageEvent", "MessageEvent"]
    );
    assert_eq!(seen["status"], "finished");
    assert_eq!(world.look_here(id).await, seen);
}
