//! Watchers: those who fall behind, and those who go away.

use futures_util::FutureExt as _;
use openhands_sdk_rs::conversation::{Live, RunEnd, Update};
use openhands_sdk_rs::protocol::Event;
use openhands_sdk_rs::protocol::conversation::ExecutionStatus;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::task::unconstrained;

use super::scene::{PROMPT, Scene, ended};
use crate::world::{kind, script, user};

fn status(update: &Update) -> Option<String> {
    match update {
        Update::Live(Live::FullState(state)) => match state.event().unwrap() {
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
    for index in 2..conversation.events().len() {
        // A conversation at rest has them in its files.
        let Ok(Some(Update::Event(stored))) = watcher.next().await else {
            panic!("no event {index}");
        };
        assert_eq!(stored.index(), index);
    }
    assert!(unconstrained(watcher.next()).now_or_never().is_none());
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

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_said_who_went_away_is_seen_all_the_same() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    let mut watcher = conversation.subscribe(0);
    // It has begun, and nobody waits for it any more.
    let said = conversation.send_and_run(script(json!(["done"])));
    assert!(said.now_or_never().is_none());
    let seen = async {
        while let Some(update) = watcher.next().await.unwrap() {
            if let Update::Event(stored) = update
                && matches!(stored.event(), Event::Message(_))
            {
                return true;
            }
        }
        false
    };
    let seen = tokio::time::timeout(std::time::Duration::from_secs(20), seen);
    assert!(seen.await.unwrap());
    assert_eq!(conversation.wait().await, Some(RunEnd::Finished));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_and_what_goes_with_it_come_to_every_watcher_together() {
    let scene = Scene::new(&PROMPT);
    let conversation = scene.begin().await;
    conversation.send_message(user("first")).await.unwrap();
    let from = conversation.events().len();
    let watchers = (0..8).map(|_| {
        let mut watcher = conversation.subscribe(from);
        tokio::spawn(async move {
            let first = watcher.next().await.unwrap().unwrap();
            // With the next one there already, both are one frame of a socket.
            let is_ready = watcher.is_ready();
            let second = watcher.next().await.unwrap().unwrap();
            let kinds = [first, second].map(|update| match update {
                Update::Event(stored) => kind(stored.event()).unwrap(),
                Update::Live(live) => panic!("{live:?}"),
            });
            (kinds, is_ready)
        })
    });
    let watchers: Vec<_> = watchers.collect();
    conversation.send_message(user("second")).await.unwrap();
    for watcher in watchers {
        let both = ["Message(User)", "S(last_user_message_id)"].map(str::to_owned);
        assert_eq!(watcher.await.unwrap(), (both, true));
    }
}
