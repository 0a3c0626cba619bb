//! The saved state: never behind after a run, and mended from the log after a kill.

use std::time::{Duration, Instant};

use openhands_sdk_rs::conversation::{Conversation, RunEnd};
use openhands_sdk_rs::event_log::{Durability, EventLog, FileStore};
use openhands_sdk_rs::protocol::conversation::{ConversationState, ExecutionStatus};
use openhands_sdk_rs::protocol::event::{ConversationStateUpdateEvent, MessageEvent, Source};
use openhands_sdk_rs::protocol::message::{Message, Role};
use openhands_sdk_rs::protocol::{ConversationId, EventId};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::world::{World, kinds, script};

fn saved(world: &World, conversation: &Conversation) -> ConversationState {
    let directory = world
        .dir
        .path()
        .join("conversations")
        .join(conversation.id().hex());
    let text = std::fs::read(directory.join("base_state.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// A conversation that was over, and then a message in its log: as a process leaves it that is killed when the message is stored and nothing
/// else of what goes with it.
async fn killed_after_a_message(world: &World) -> (ConversationId, EventLog, EventId) {
    let conversation = world.begin().await;
    conversation
        .send_message(script(json!(["one"])))
        .await
        .unwrap();
    conversation.run_to_end().await.unwrap();
    let id = conversation.id();
    conversation.close().await.unwrap();
    drop(conversation);
    let directory = world.dir.path().join("conversations").join(id.hex());
    let log = EventLog::open(FileStore::new(&directory, Durability::Strict))
        .await
        .unwrap();
    let message = MessageEvent::new(Source::User, Message::text(Role::User, "more"));
    let said = message.header.id.clone();
    log.append(message.into()).await.unwrap();
    (id, log, said)
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

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_after_the_state_was_saved_is_taken_from_the_log() {
    // As a process leaves it that is killed between telling of changes and saving them.
    let world = World::new();
    let (id, log, said) = killed_after_a_message(&world).await;
    for (key, value) in [
        ("execution_status", json!("running")),
        ("execution_status", json!("paused")),
        ("last_user_message_id", json!(said)),
        ("activated_knowledge_skills", json!(["a", "b"])),
        ("activated_path_rules", json!(["c"])),
        ("invoked_skills", json!(["d"])),
        ("blocked_actions", json!({"e": "not now"})),
        ("blocked_messages", json!({"f": "never"})),
        ("agent_state", json!({"g": 1})),
        ("invoked_skills", json!("no list")),
    ] {
        let update = ConversationStateUpdateEvent::new(key, value);
        log.append(update.into()).await.unwrap();
    }
    drop(log);
    let again = Conversation::open(&world.host, id).await.unwrap();
    again.state(|state| {
        assert_eq!(state.execution_status, ExecutionStatus::Paused);
        assert_eq!(state.last_user_message_id.as_ref(), Some(&said));
        assert_eq!(state.leaf_event_id.as_ref(), Some(&said));
        assert_eq!(state.activated_knowledge_skills, ["a", "b"]);
        assert_eq!(state.activated_path_rules, ["c"]);
        assert_eq!(state.invoked_skills, ["d"]);
        assert_eq!(state.blocked_actions.len(), 1);
        assert_eq!(state.blocked_messages.len(), 1);
        assert_eq!(state.agent_state.0["g"], 1);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_in_the_saved_state_soon() {
    let world = World::new();
    let conversation = world.begin().await;
    let said = conversation
        .send_message(script(json!(["one"])))
        .await
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while saved(&world, &conversation).last_user_message_id.as_ref() != Some(&said) {
        assert!(Instant::now() < deadline, "the state is not saved");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_at_the_very_end_of_the_log_has_begun_a_run() {
    let world = World::new();
    let (id, log, said) = killed_after_a_message(&world).await;
    drop(log);
    let again = Conversation::open(&world.host, id).await.unwrap();
    let last = again.state(|state| state.last_user_message_id.clone());
    assert_eq!(last, Some(said));
    // As after every run that a kill has ended.
    assert_eq!(again.status(), ExecutionStatus::Error);
    assert_eq!(kinds(&again).await.last().unwrap(), "S(error)");
}
