//! Actions that wait for the user wait on when the conversation changes hands, and the other side decides on them.

use openhands_sdk_rs::conversation::{Decision, RunEnd};
use openhands_sdk_rs::protocol::ConversationId;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::python::python;
use crate::reference::Reference;
use crate::world::{World, look, say, script, until};

/// A message after which one command waits.
fn question(name: &str) -> String {
    script(&json!([
        {"tools": [{"id": format!("{name}_asks"), "name": "terminal", "args": {"command": format!("echo > {name}")}}]},
        "done",
    ]))
}

fn last_kind(seen: &Value) -> &str {
    let events = seen["events"].as_array().unwrap();
    let last = events
        .iter()
        .rfind(|event| event[2] != "ConversationStateUpdateEvent");
    last.unwrap()[2].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_decided_by_the_other_side() {
    let Some(python) = python() else { return };
    let world = World::new("AlwaysConfirm").await;
    let mut reference = Reference::start(&python, &world.log());
    let id = ConversationId::random();
    reference.ask("open", &world.beginning(id));
    reference.ask("close", &json!({}));
    asked_there(&world, &mut reference, id, true).await;
    asked_here(&world, &mut reference, id, true).await;
    asked_there(&world, &mut reference, id, false).await;
    asked_here(&world, &mut reference, id, false).await;

    // And what was begun here.
    let ours = world.create().await;
    ours.close().await.unwrap();
    asked_here(&world, &mut reference, ours.id(), true).await;
    asked_there(&world, &mut reference, ours.id(), true).await;
}

/// The reference asks, we decide.
async fn asked_there(world: &World, reference: &mut Reference, id: ConversationId, accept: bool) {
    let name = format!("there_{accept}_{id}");
    let asked = World::turn_there(reference, &world.opening(id), &question(&name));
    assert_eq!(asked["status"], "waiting_for_confirmation");
    assert_eq!(asked["pending"].as_array().unwrap().len(), 1);
    let conversation = world.open(id).await;
    assert_eq!(look(&conversation).await, asked);
    let expected = if accept {
        conversation.respond(Decision::Accept).await.unwrap();
        assert_eq!(conversation.wait().await, Some(RunEnd::Finished));
        ("finished", "MessageEvent")
    } else {
        let decision = Decision::Reject("not now".to_owned());
        conversation.respond(decision).await.unwrap();
        ("idle", "UserRejectObservation")
    };
    conversation.close().await.unwrap();
    let decided = world.look_there(reference, id);
    assert_eq!(
        (decided["status"].as_str().unwrap(), last_kind(&decided)),
        expected
    );
    assert_eq!(decided["pending"], json!([]));
    assert_eq!(world.project().join(name).exists(), accept);
}

/// We ask, the reference decides.
async fn asked_here(world: &World, reference: &mut Reference, id: ConversationId, accept: bool) {
    let name = format!("here_{accept}_{id}");
    let conversation = world.open(id).await;
    let end = say(&conversation, &question(&name)).await;
    assert_eq!(end, RunEnd::AwaitingConfirmation);
    let asked = look(&conversation).await;
    assert_eq!(asked["pending"].as_array().unwrap().len(), 1);
    conversation.close().await.unwrap();

    reference.ask("open", &world.opening(id));
    assert_eq!(reference.ask("look", &json!({})), asked);
    reference.ask("respond", &json!({"accept": accept}));
    // On a busy machine the reference's terminal may answer before the command is done.
    until("the decision", || {
        world.project().join(&name).exists() == accept
    });
    let decided = reference.ask("look", &json!({}));
    reference.ask("close", &json!({}));
    let expected = if accept {
        ("finished", "MessageEvent")
    } else {
        ("idle", "UserRejectObservation")
    };
    assert_eq!(
        (decided["status"].as_str().unwrap(), last_kind(&decided)),
        expected
    );
    assert_eq!(world.look_here(id).await, decided);
    assert_eq!(world.project().join(name).exists(), accept);
}
