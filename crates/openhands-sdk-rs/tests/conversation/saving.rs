//! The saved state: never behind after a run, and mended from the log after a kill.

use openhands_sdk_rs::conversation::{Conversation, RunEnd};
use openhands_sdk_rs::protocol::conversation::ConversationState;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::world::{World, script};

fn saved(world: &World, conversation: &Conversation) -> ConversationState {
    let directory = world
        .dir
        .path()
        .join("conversations")
        .join(conversation.id().hex());
    let text = std::fs::read(directory.join("base_state.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_saved_state_has_every_call_when_a_run_is_over() {
    let world = World::new();
    let conversation = world.begin().await;
    let mut answers = vec![json!({"tools": [{"name": "think", "args": {"thought": "x"}}]}); 3];
    answers.push(json!("done"));
    for _ in 0..10 {
        conversation
            .send_message(script(json!(answers)))
            .await
            .unwrap();
        assert_eq!(conversation.run_to_end().await.unwrap(), RunEnd::Finished);
    }
    let state = saved(&world, &conversation);
    assert_eq!(state.stats.usage_to_metrics["agent"].token_usages.len(), 40);
    assert_eq!(
        state.leaf_event_id,
        conversation.events().head().leaf().cloned()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_that_the_state_lacks_are_taken_from_the_log() {
    let world = World::new();
    let conversation = world.begin().await;
    conversation
        .send_message(script(json!(["one"])))
        .await
        .unwrap();
    conversation.run_to_end().await.unwrap();
    let directory = world
        .dir
        .path()
        .join("conversations")
        .join(conversation.id().hex());
    let before = std::fs::read(directory.join("base_state.json")).unwrap();
    conversation
        .send_message(script(json!(["two"])))
        .await
        .unwrap();
    conversation.run_to_end().await.unwrap();
    let sums = |conversation: &Conversation| {
        conversation.state(|state| {
            let metrics = &state.stats.usage_to_metrics["agent"];
            metrics
                .accumulated_token_usage
                .as_ref()
                .unwrap()
                .prompt_tokens
        })
    };
    let (id, after) = (conversation.id(), sums(&conversation));
    drop(conversation);
    // As if the process had been killed before it saved the state again.
    std::fs::write(directory.join("base_state.json"), before).unwrap();
    let again = Conversation::open(&world.host, id).await.unwrap();
    assert_eq!(sums(&again), after);
}
