//! Two servers and one directory: whoever lives and owns it keeps the other out.

use openhands_sdk_rs::conversation::{Conversation, ConversationError};
use openhands_sdk_rs::event_log::LeaseError;
use openhands_sdk_rs::protocol::ConversationId;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::python::python;
use crate::reference::Reference;
use crate::worker::Worker;
use crate::world::{World, say, script};

/// The lease on disk: its owner and how often that has changed.
fn lease(world: &World, id: ConversationId) -> Option<(String, i64)> {
    let path = world.events(id).parent().unwrap().join("owner_lease.json");
    let lease: Value = serde_json::from_str(&std::fs::read_to_string(path).ok()?).unwrap();
    Some((
        lease["owner_instance_id"].as_str().unwrap().to_owned(),
        lease["generation"].as_i64().unwrap(),
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_living_owner_keeps_the_other_out_and_a_dead_one_does_not() {
    let Some(python) = python() else { return };
    let world = World::new("NeverConfirm").await;
    let mut reference = Reference::start(&python, &world.log());

    // Ours lives: the reference is refused, and may come when we are done.
    let conversation = world.create().await;
    let id = conversation.id();
    assert_eq!(lease(&world, id), Some(("ours".to_owned(), 1)));
    let refusal = reference.attempt("open", &world.opening(id)).unwrap_err();
    assert_eq!(refusal["error"], "ConversationLeaseHeldError", "{refusal}");
    say(&conversation, &script(&json!(["still ours"]))).await;
    conversation.close().await.unwrap();
    assert_eq!(lease(&world, id), None);
    let mut opening = world.opening(id);
    opening["owner"] = json!("theirs");
    reference.ask("open", &opening);
    assert_eq!(lease(&world, id), Some(("theirs".to_owned(), 1)));

    // The reference lives: we are refused, and take over when it is dead.
    let refused = Conversation::open(&world.host, id).await.unwrap_err();
    match refused {
        ConversationError::Lease(LeaseError::Held { owner, .. }) => assert_eq!(owner, "theirs"),
        other => panic!("{other:?}"),
    }
    reference.kill();
    let conversation = world.open(id).await;
    assert_eq!(lease(&world, id), Some(("ours".to_owned(), 2)));
    conversation.close().await.unwrap();
    drop(conversation);

    // Ours is dead: the reference takes over.
    let directory = world.dir.path().join("conversations");
    let mut worker = Worker::start(&directory, id, &json!(["working"]), &id.hex());
    while worker.acknowledged.is_empty() && worker.hear() {}
    worker.kill();
    let (_, generation) = lease(&world, id).unwrap();
    let mut reference = Reference::start(&python, &world.log());
    reference.ask("open", &opening);
    assert_eq!(
        lease(&world, id),
        Some(("theirs".to_owned(), generation + 1))
    );
    reference.ask("close", &json!({}));
    assert_eq!(lease(&world, id), None);
}
