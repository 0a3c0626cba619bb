//! Copies and moved heads: what one side made, the other opens and continues.

use openhands_sdk_rs::conversation::Fork;
use openhands_sdk_rs::protocol::{ConversationId, EventId};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::python::python;
use crate::reference::Reference;
use crate::world::{World, look, say, script};

/// The ids of events of a kind.
fn ids<'a>(seen: &'a Value, kind: &str) -> Vec<&'a str> {
    let events = seen["events"].as_array().unwrap();
    let of_kind = events.iter().filter(|event| event[2] == kind);
    of_kind.map(|event| event[0].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_and_moved_heads_are_taken_over() {
    let Some(python) = python() else { return };
    let world = World::new("NeverConfirm").await;
    let mut reference = Reference::start(&python, &world.log());
    let conversation = world.create().await;
    for answer in ["one", "two"] {
        say(&conversation, &script(&json!([answer]))).await;
    }
    let seen = look(&conversation).await;
    let first_answer = ids(&seen, "MessageEvent")[1];

    // A copy of ours, up to the first answer.
    let fork = Fork {
        from_event: Some(EventId::from(first_answer)),
        ..Fork::default()
    };
    let copy = conversation.fork(fork).await.unwrap();
    let copied = look(&copy).await;
    copy.close().await.unwrap();
    assert_eq!(ids(&copied, "MessageEvent").len(), 2);
    assert_eq!(world.look_there(&mut reference, copy.id()), copied);
    let longer = World::turn_there(
        &mut reference,
        &world.opening(copy.id()),
        &script(&json!(["three"])),
    );
    assert_eq!(ids(&longer, "MessageEvent").len(), 4);
    assert_eq!(world.look_here(copy.id()).await, longer);

    // Our head, moved back; the reference goes on from there.
    let to = Some(EventId::from(first_answer));
    conversation.navigate(to).await.unwrap();
    let moved = look(&conversation).await;
    assert_eq!(
        moved["branch"].as_array().unwrap().last().unwrap(),
        first_answer
    );
    conversation.close().await.unwrap();
    let id = conversation.id();
    assert_eq!(world.look_there(&mut reference, id), moved);
    let branched = World::turn_there(
        &mut reference,
        &world.opening(id),
        &script(&json!(["instead of two"])),
    );
    assert_eq!(world.look_here(id).await, branched);
    let on_branch = |seen: &Value| seen["branch"].as_array().unwrap().len();
    assert_eq!(on_branch(&branched), on_branch(&moved) + 2);

    // The reference's head before all events, and its copy.
    reference.ask("open", &world.opening(id));
    let copy = ConversationId::random();
    reference.ask("fork", &json!({"id": copy.hex()}));
    reference.ask("navigate", &json!({"to": null}));
    let emptied = reference.ask("look", &json!({}));
    reference.ask("close", &json!({}));
    assert_eq!(
        (&emptied["head_is_empty"], &emptied["branch"]),
        (&json!(true), &json!([]))
    );
    assert_eq!(world.look_here(id).await, emptied);
    let anew = world
        .turn_here(id, &script(&json!(["from the start"])))
        .await;
    assert_eq!(world.look_there(&mut reference, id), anew);
    let copied = world.look_here(copy).await;
    assert_eq!(world.look_there(&mut reference, copy), copied);
    assert_eq!(ids(&copied, "MessageEvent"), ids(&branched, "MessageEvent"));
    assert_eq!(copied["status"], "idle");
}
