//! Cursors: nothing lagged, nothing dropped, whoever is slow.

use std::time::Duration;

use openhands_sdk_rs::event_log::{EventLog, MemoryStore};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, message, open, store};

#[tokio::test]
async fn a_cursor_gives_what_is_there_and_then_what_comes() {
    let log = EventLog::open(MemoryStore::default()).await.unwrap();
    fill(&log, &["a", "b", "c"]);
    let mut cursor = log.cursor(1);
    assert_eq!(cursor.next().await.unwrap().unwrap().index(), 1);
    assert_eq!(cursor.next().await.unwrap().unwrap().index(), 2);
    assert!(cursor.is_at_end());
    let late = tokio::spawn(async move { cursor.next().await.unwrap().unwrap().index() });
    fill(&log, &["d"]);
    assert_eq!(late.await.unwrap(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_all_speeds_see_every_event_in_order() {
    const EVENTS: u64 = 600;
    let dir = TempDir::new().unwrap();
    // A cache so small that slow readers must go to the files.
    let log = EventLog::open_with_cache(store(dir.path()), 8 << 10).unwrap();
    let mut readers = tokio::task::JoinSet::new();
    for slowness in 0..4_u64 {
        let mut cursor = log.cursor(0);
        readers.spawn(async move {
            let mut seen = Vec::new();
            while let Some(event) = cursor.next().await.unwrap() {
                seen.push(event.index());
                for _ in 0..slowness * slowness {
                    tokio::task::yield_now().await;
                }
            }
            seen
        });
    }
    for number in 0..EVENTS {
        log.append(message(&format!("{number}"))).await.unwrap();
    }
    log.close().await.unwrap();
    while let Some(seen) = readers.join_next().await {
        assert_eq!(seen.unwrap(), (0..EVENTS).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    let dir = TempDir::new().unwrap();
    let log = EventLog::open_with_cache(store(dir.path()), 1).unwrap();
    fill(&log, &["a"; 40]);
    let mut cursor = log.cursor(0);
    let mut seen = Vec::new();
    let mut patience = Duration::from_micros(1);
    while seen.len() < 40 {
        // The first of these end before the files are read.
        match tokio::time::timeout(patience, cursor.next()).await {
            Ok(event) => seen.push(event.unwrap().unwrap().index()),
            Err(_) => patience *= 2,
        }
    }
    assert_eq!(seen, (0..40).collect::<Vec<_>>());
}

#[tokio::test]
async fn unreadable_events_are_stepped_over() {
    let dir = TempDir::new().unwrap();
    let ids = fill(&open(dir.path()), &["a", "b", "c"]);
    std::fs::write(
        dir.path()
            .join(format!("events/event-00002-{}.json", ids[2])),
        "",
    )
    .unwrap();
    let log = open(dir.path());
    let mut cursor = log.cursor(0);
    let mut seen = Vec::new();
    log.close().await.unwrap();
    while let Some(event) = cursor.next().await.unwrap() {
        seen.push(event.index());
    }
    assert_eq!((seen, cursor.position()), (vec![0, 1], 3));
}

#[tokio::test]
async fn the_length_can_be_watched() {
    let log = EventLog::open(MemoryStore::default()).await.unwrap();
    let mut watch = log.watch();
    fill(&log, &["a"]);
    watch.changed().await.unwrap();
    assert_eq!(watch.borrow_and_update().len, 1);
    log.close().await.unwrap();
    watch.changed().await.unwrap();
    assert!(watch.borrow().closed);
}
