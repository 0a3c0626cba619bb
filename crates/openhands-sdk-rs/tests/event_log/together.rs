//! Several events in one go, and threads that write by themselves.

use std::fs;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use openhands_sdk_rs::event_log::{EventLog, EventStore, wait_for_files_here};
use openhands_sdk_rs::protocol::EventId;
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::support::{fill, message, open, store};

/// The files of the log, but for those that are always there.
fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir.join("events")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name != ".eventlog.lock").collect();
    names.sort();
    names
}

fn put(store: &impl EventStore, at: u64, letter: &str) {
    let id = letter.repeat(8);
    let json = Bytes::from(format!("{{\"id\":\"{id}\",\"kind\":\"PauseEvent\"}}"));
    store.append(at, &EventId::new(id), &json).unwrap();
}

fn is_locked(dir: &Path) -> bool {
    let lock = fs::File::open(dir.join("events/.eventlog.lock")).unwrap();
    lock.try_lock().is_err()
}

#[test]
fn several_events_take_the_lock_once_and_move_the_marker_once() {
    let dir = TempDir::new().unwrap();
    let store = store(dir.path());
    put(&store, 0, "a");
    assert!(!is_locked(dir.path()));
    store.hold(3).unwrap();
    put(&store, 1, "b");
    assert!(
        is_locked(dir.path()),
        "between two of them nobody else writes"
    );
    assert!(files(dir.path()).contains(&".eventlog-len-4.marker".to_owned()));
    put(&store, 2, "c");
    put(&store, 3, "d");
    store.release();
    assert!(!is_locked(dir.path()));
    assert_eq!(
        files(dir.path()),
        [
            ".eventlog-len-4.marker",
            "event-00000-aaaaaaaa.json",
            "event-00001-bbbbbbbb.json",
            "event-00002-cccccccc.json",
            "event-00003-dddddddd.json",
        ]
    );
}

/// As a kill, or a disk that is full after the first of them, would leave it.
#[test]
fn of_several_events_some_may_be_missing() {
    let dir = TempDir::new().unwrap();
    let store = store(dir.path());
    store.hold(5).unwrap();
    put(&store, 0, "a");
    put(&store, 1, "b");
    store.release();
    put(&store, 2, "c");
    assert!(files(dir.path()).contains(&".eventlog-len-3.marker".to_owned()));
    drop(store);
    let log = open(dir.path());
    assert_eq!(log.len(), 3);
    fill(&log, &["d"]);
    let markers: Vec<_> = files(dir.path())
        .into_iter()
        .filter(|name| name.ends_with(".marker"))
        .collect();
    assert_eq!(markers, [".eventlog-len-4.marker"]);
}

/// The one thread that may block is taken: an append that went there would wait for ever.
#[test]
fn a_thread_that_may_wait_for_files_writes_by_itself() {
    let dir = TempDir::new().unwrap();
    let log: EventLog = open(dir.path());
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(1)
        .enable_all()
        .on_thread_start(wait_for_files_here)
        .build()
        .unwrap();
    let (free, taken) = std::sync::mpsc::channel::<()>();
    let blocker = threads.spawn_blocking(move || taken.recv());
    let appending = log.clone();
    let appended = threads.spawn(async move {
        appending.append(message("hello")).await.unwrap();
        let state = Bytes::from_static(b"{}");
        appending.save_state(state, 1).await.unwrap();
    });
    threads.block_on(async {
        let soon = tokio::time::timeout(Duration::from_secs(20), appended);
        soon.await.expect("it waits for another thread").unwrap();
    });
    assert_eq!(log.len(), 1);
    free.send(()).unwrap();
    threads.block_on(blocker).unwrap().unwrap();
}

#[test]
fn while_somebody_else_has_the_lock_the_thread_goes_on_with_others() {
    let dir = TempDir::new().unwrap();
    let log: EventLog = open(dir.path());
    log.append_blocking(message("first")).unwrap();
    let lock = fs::File::open(dir.path().join("events/.eventlog.lock")).unwrap();
    lock.lock().unwrap();
    let threads = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .on_thread_start(wait_for_files_here)
        .build()
        .unwrap();
    let appending = log.clone();
    let appended = threads.spawn(async move { appending.append(message("second")).await });
    threads.block_on(async {
        for _ in 0..10 {
            let other = tokio::time::timeout(Duration::from_secs(10), tokio::spawn(async {}));
            other.await.expect("it waits for the lock, too").unwrap();
        }
        assert!(!appended.is_finished());
        lock.unlock().unwrap();
        appended.await.unwrap().unwrap();
    });
    assert_eq!(log.len(), 2);
}
