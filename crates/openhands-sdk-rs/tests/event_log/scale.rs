//! Large logs open by their names and index, not by their bodies.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use openhands_sdk_rs::event_log::{EventFilter, EventLog, Order, PageRequest};
use tempfile::TempDir;

use crate::support::{message, open, store};

const EVENTS: u32 = 100_000;

/// Writes the files of a long log as another writer would leave them: without an index.
fn plant(dir: &std::path::Path) {
    let events = dir.join("events");
    std::fs::create_dir_all(&events).unwrap();
    let mut text = String::new();
    for at in 0..EVENTS {
        text.clear();
        let id = format!("{at:08x}-0000-4000-8000-000000000000");
        let parent = at
            .checked_sub(1)
            .map(|p| format!("{p:08x}-0000-4000-8000-000000000000"));
        write!(
            text,
            r#"{{"id":"{id}","timestamp":"2026-11-15T19:07:54.170425","source":"user","#
        )
        .unwrap();
        if let Some(parent) = parent {
            write!(text, r#""parent_id":"{parent}","#).unwrap();
        }
        text.push_str(r#""llm_message":{"role":"user","content":[{"cache_prompt":false,"type":"text","text":"hello"}],"thinking_blocks":[]},"activated_skills":[],"extended_content":[],"kind":"MessageEvent"}"#);
        std::fs::write(events.join(format!("event-{at:05}-{id}.json")), &text).unwrap();
    }
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    let took = start.elapsed();
    println!("{what}: {:.1} ms", took.as_secs_f64() * 1e3);
    (done, took)
}

#[test]
fn a_hundred_thousand_events_open_without_their_bodies() {
    // In memory if possible: the test is about the log, and planting the files takes long enough.
    let dir = TempDir::new_in("/dev/shm")
        .or_else(|_| TempDir::new())
        .unwrap();
    timed("planting 100,000 files", || plant(dir.path()));
    let (rebuilt, slow) = timed("opening without an index", || open(dir.path()));
    assert_eq!(rebuilt.len(), u64::from(EVENTS));
    drop(rebuilt);
    let (log, fast) = timed("opening with an index", || open(dir.path()));
    assert_eq!(log.len(), u64::from(EVENTS));
    println!(
        "the index saves {:.1} ms",
        (slow.as_secs_f64() - fast.as_secs_f64()) * 1e3
    );
    // Unoptimised code on a loaded machine is far slower; the figure that counts is that of a release build.
    let bound = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 1 });
    assert!(fast < bound, "opening took {fast:?}");

    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let page = PageRequest {
        page_id: None,
        limit: 100,
        order: Order::NewestFirst,
    };
    let (found, _) = timed("the last page of 100", || {
        runtime
            .block_on(log.search(&EventFilter::default(), &page))
            .unwrap()
    });
    assert_eq!(found.items.len(), 100);
    let users = EventFilter {
        kind: Some("MessageEvent".to_owned()),
        ..EventFilter::default()
    };
    let (count, _) = timed("counting by kind", || {
        runtime.block_on(log.count(&users)).unwrap()
    });
    assert_eq!(count, u64::from(EVENTS));
    let leaf = log.head().leaf().cloned().unwrap();
    let (path, _) = timed("the branch from head to root", || {
        log.branch(&leaf, None).unwrap()
    });
    assert_eq!(path.len(), EVENTS as usize);
    timed("appending the first event", || {
        log.append_blocking(message("more")).unwrap()
    });
    timed("appending the second event", || {
        log.append_blocking(message("more")).unwrap()
    });
    drop(log);
    assert_eq!(
        EventLog::open_blocking(store(dir.path())).unwrap().len(),
        u64::from(EVENTS) + 2
    );
}
