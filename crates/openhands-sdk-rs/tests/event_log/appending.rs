//! What both stores promise: order, parents, the head, refusals.

use openhands_sdk_rs::event_log::{EventLog, Head, LogError, MemoryStore};
use openhands_sdk_rs::protocol::event::{EventHeader, Source, StreamingDeltaEvent};
use openhands_sdk_rs::protocol::{Event, EventId, Form};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, id, indices, message, open, update, with_parent};

/// Runs a test on a log in files and on one in memory.
fn on_both(test: impl Fn(&EventLog)) {
    let dir = TempDir::new().unwrap();
    test(&open(dir.path()));
    test(&EventLog::open_blocking(MemoryStore::default()).unwrap());
}

#[test]
fn events_are_numbered_in_order_and_found_by_id_and_position() {
    on_both(|log| {
        assert!(log.is_empty());
        let ids = fill(log, &["a", "b", "c"]);
        assert_eq!(log.len(), 3);
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(log.index_of(id), Some(at as u64));
            assert_eq!(log.id_at(at as u64).as_ref(), Some(id));
        }
        assert_eq!(log.index_of(&"unknown".into()), None);
        assert_eq!(log.kind_at(1).as_deref(), Some("MessageEvent"));
    });
}

#[tokio::test]
async fn the_bytes_are_those_of_the_form_without_nulls_and_are_shared() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let stored = log.append(message("hello")).await.unwrap();
    assert_eq!(stored.json(), &Form::SOCKET.to_vec(stored.event()).unwrap());
    assert!(!stored.json().windows(4).any(|part| part == b"null"));
    let again = log.get(stored.id()).await.unwrap().unwrap();
    assert_eq!(again.json().as_ptr(), stored.json().as_ptr());
    let on_disk = dir
        .path()
        .join("events")
        .join(format!("event-00000-{}.json", stored.id()));
    assert_eq!(std::fs::read(on_disk).unwrap(), *stored.json());
}

#[test]
fn a_new_event_is_attached_to_the_head_and_moves_it() {
    on_both(|log| {
        assert_eq!(log.head(), Head::Unset);
        let first = log.append_blocking(message("a")).unwrap();
        assert_eq!(first.event().parent_id(), None);
        let second = log.append_blocking(message("b")).unwrap();
        assert_eq!(second.event().parent_id().as_ref(), Some(first.id()));
        assert_eq!(log.head(), Head::At(second.id().clone()));
    });
}

#[test]
fn a_state_update_is_attached_but_does_not_move_the_head() {
    on_both(|log| {
        let first = log.append_blocking(message("a")).unwrap();
        let news = log.append_blocking(update("tags")).unwrap();
        assert_eq!(news.event().parent_id().as_ref(), Some(first.id()));
        assert_eq!(log.head(), Head::At(first.id().clone()));
        let second = log.append_blocking(message("b")).unwrap();
        assert_eq!(second.event().parent_id().as_ref(), Some(first.id()));
    });
}

#[test]
fn a_given_parent_is_kept_and_must_exist() {
    on_both(|log| {
        let ids = fill(log, &["a", "b", "c"]);
        let branch = log
            .append_blocking(with_parent(message("d"), ids[0].as_str()))
            .unwrap();
        assert_eq!(branch.event().parent_id().as_ref(), Some(&ids[0]));
        assert_eq!(log.parent_of(3), Some(0));
        let orphan = with_parent(message("e"), "nowhere");
        let name = id(&orphan);
        let refusal = log.append_blocking(orphan).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            format!("Parent event 'nowhere' does not exist for event '{name}'")
        );
        assert_eq!(log.len(), 4);
    });
}

#[tokio::test]
async fn navigation_starts_a_branch_and_nowhere_starts_a_root() {
    let log = EventLog::open(MemoryStore::default()).await.unwrap();
    let ids = fill(&log, &["a", "b", "c"]);
    log.navigate(Some(ids[1].clone())).unwrap();
    log.append(message("d")).await.unwrap();
    assert_eq!(indices(&log.active_branch(None).await.unwrap()), [0, 1, 3]);
    assert_eq!(indices(&log.active_branch(Some(2)).await.unwrap()), [1, 3]);
    assert_eq!(log.branch(&ids[2], None).unwrap(), [0, 1, 2]);

    log.navigate(None).unwrap();
    assert!(log.head().is_empty());
    assert!(log.active_branch(None).await.unwrap().is_empty());
    let root = log.append(message("e")).await.unwrap();
    assert_eq!(root.event().parent_id(), Some(EventId::ROOT.into()));
    assert_eq!(indices(&log.active_branch(None).await.unwrap()), [4]);

    let refusal = log.navigate(Some("nowhere".into())).unwrap_err();
    assert_eq!(refusal.to_string(), "Unknown event_id: nowhere");
}

#[test]
fn an_id_is_taken_once() {
    on_both(|log| {
        let event = message("a");
        log.append_blocking(event.clone()).unwrap();
        let refusal = log.append_blocking(event.clone()).unwrap_err();
        let text = format!("Event with ID '{}' already exists at index 0", id(&event));
        assert_eq!(refusal.to_string(), text);
        assert_eq!(log.len(), 1);
    });
}

#[test]
fn what_is_only_sent_is_never_stored() {
    on_both(|log| {
        let delta = Event::StreamingDelta(StreamingDeltaEvent {
            header: EventHeader::now(Source::Agent),
            content: Some("x".to_owned()),
            reasoning_content: None,
            extra: openhands_sdk_rs::protocol::Extra::EMPTY,
        });
        for event in [delta, update("full_state")] {
            assert!(matches!(
                log.append_blocking(event),
                Err(LogError::NotStored(_))
            ));
        }
        assert!(log.is_empty());
    });
}

#[test]
fn an_event_of_unknown_kind_is_stored_and_linked() {
    on_both(|log| {
        let ids = fill(log, &["a"]);
        let text = br#"{"id":"0d8f6c5e-1b7a-4c53-9f0e-2b1f6a7c8d9e","source":"agent","leaves":[1,null],"kind":"Sprout"}"#;
        let stored = log
            .append_blocking(Event::from_slice(text).unwrap())
            .unwrap();
        assert_eq!(stored.event().kind(), "Sprout");
        assert_eq!(stored.event().parent_id().as_ref(), Some(&ids[0]));
        assert_eq!(log.head().leaf(), Some(stored.id()));
    });
}

#[tokio::test]
async fn a_closed_log_takes_nothing_and_still_reads() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    let ids = fill(&log, &["a"]);
    log.close().await.unwrap();
    assert!(matches!(
        log.append(message("b")).await,
        Err(LogError::Closed)
    ));
    assert!(log.get(&ids[0]).await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_append_is_finished_when_its_caller_goes_away() {
    let dir = TempDir::new().unwrap();
    let log = open(dir.path());
    for round in 0..200 {
        let append = log.append(message("x"));
        // Polled once, then dropped: the write has begun or not, but the log agrees with the files.
        let _ = futures_poll_once(append).await;
        if round % 50 == 49 {
            log.append(message("kept")).await.unwrap();
        }
    }
    log.close().await.unwrap();
    let len = log.len();
    drop(log);
    assert_eq!(open(dir.path()).len(), len);
}

async fn futures_poll_once<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
