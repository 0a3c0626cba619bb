//! Watchers: those who fall behind, and those who go away.

use futures_util::FutureExt as _;
use openhands_sdk_rs::conversation::{Live, RunEnd, Update};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::task::unconstrained;

use super::scene::{PROMPT, Scene, ended};
use crate::world::script;

fn status(update: &Update) -> Option<String> {
    match update {
        Update::Live(Live::FullState(event)) => match &**event {
            Event::StateUpdate(update) => Some(
                update.value["execution_status"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            ),
            _ => None,
        },
        Update::Live(_) | Update::Event(_) => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_falls_behind_gets_the_whole_state_and_every_event() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    let mut watcher = conversation.subscribe(0);
    for _ in 0..700 {
        conversation.interrupt().await.unwrap();
    }
    conversation
        .send_and_run(script(json!(["done"])))
        .await
        .unwrap();
    assert_eq!(ended(&conversation).await, RunEnd::Finished);
    let (mut states, mut events) = (Vec::new(), 0);
    while let Some(Ok(Some(update))) = unconstrained(watcher.next()).now_or_never() {
        states.extend(status(&update));
        events += u64::from(matches!(update, Update::Event(_)));
    }
    // One state as it is now, in place of all those that were missed and of those that are as old.
    assert_eq!(states, ["finished"]);
    assert_eq!(events, conversation.events().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_that_comes_late_sees_all_from_where_it_wants() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation
        .send_and_run(script(json!(["done"])))
        .await
        .unwrap();
    ended(&conversation).await;
    let mut watcher = conversation.subscribe(2);
    let mut first = None;
    let mut count = 0;
    while let Some(Ok(Some(Update::Event(stored)))) = unconstrained(watcher.next()).now_or_never() {
        first = first.or(Some(stored.index()));
        count += 1;
    }
    assert_eq!(first, Some(2));
    assert_eq!(count, conversation.events().len() - 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_after_a_run_comes_after_its_events_and_says_how_it_is() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    let mut watcher = conversation.subscribe(0);
    conversation
        .send_and_run(script(json!(["done"])))
        .await
        .unwrap();
    ended(&conversation).await;
    let mut events = 0;
    loop {
        let update = watcher.next().await.unwrap().unwrap();
        if let Some(status) = status(&update) {
            assert_eq!(status, "finished");
            break;
        }
        events += u64::from(matches!(update, Update::Event(_)));
    }
    assert_eq!(events, conversation.events().len());
    assert_eq!(conversation.status(), ExecutionStatus::Finished);
}
