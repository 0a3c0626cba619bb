//! Measures the event log: `cargo run --release -p openhands-sdk-rs --example event_log_figures [directory]`.
//!
//! Without a directory it measures in memory-backed files and on the disk of the current directory.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use openhands_sdk_rs::event_log::{
    Durability, EventFilter, EventLog, FileStore, Lease, LeaseOwner, Order, PageRequest, Syncer,
};
use openhands_sdk_rs::protocol::event::{EventHeader, MessageEvent, Source};
use openhands_sdk_rs::protocol::message::{Message, Role};
use openhands_sdk_rs::protocol::{Event, Extra};

const MANY: u32 = 100_000;

fn message(text: &str) -> Event {
    Event::Message(MessageEvent {
        header: EventHeader::now(Source::Agent),
        llm_message: Message::text(Role::Assistant, text),
        llm_response_id: None,
        activated_skills: Vec::new(),
        extended_content: Vec::new(),
        sender: None,
        critic_result: None,
        extra: Extra::EMPTY,
    })
}

/// Runs something and prints how long each of its parts took.
fn timed<T>(what: &str, parts: u32, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let start = Instant::now();
    let done = work()?;
    let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(parts);
    println!("  {what:<44} {micros:>12.1} us");
    Ok(done)
}

/// Runs something often in batches and prints the middle and the best batch: other work on the machine makes
/// batches slower, never faster.
fn batches(
    what: &str,
    count: usize,
    size: u32,
    mut one: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for _ in 0..count {
        let start = Instant::now();
        for _ in 0..size {
            one()?;
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(size));
    }
    times.sort_by(f64::total_cmp);
    let middle = times.get(count / 2).copied().unwrap_or_default();
    let best = times.first().copied().unwrap_or_default();
    println!("  {what:<44} {middle:>12.1} us   best {best:.1} us");
    Ok(())
}

fn appends(dir: &Path) -> anyhow::Result<()> {
    let text = "x".repeat(600);
    let background = || Durability::Background(Syncer::new());
    let log = EventLog::open_blocking(FileStore::new(dir.join("plain"), background()))?;
    let append = |log: &EventLog| Ok(log.append_blocking(message(&text)).map(drop)?);
    batches("append", 100, 50, || append(&log))?;
    let lease = Lease::claim(dir.join("leased"), LeaseOwner::this_process("0".repeat(32)))?;
    let leased = FileStore::new(dir.join("leased"), background()).with_lease(lease.into());
    let leased = EventLog::open_blocking(leased)?;
    batches("append under a lease", 100, 50, || append(&leased))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    batches("append, awaited", 100, 50, || {
        Ok(runtime.block_on(log.append(message(&text))).map(drop)?)
    })?;
    let strict = FileStore::new(dir.join("strict"), Durability::Strict);
    let strict = EventLog::open_blocking(strict)?;
    batches("append, strict", 10, 10, || append(&strict))?;
    timed("sync", 1, || Ok(runtime.block_on(log.sync())?))
}

fn large(dir: &Path) -> anyhow::Result<()> {
    let dir = dir.join("large");
    let store = || FileStore::new(&dir, Durability::Background(Syncer::new()));
    let log = EventLog::open_blocking(store())?;
    for at in 0..MANY {
        log.append_blocking(message(if at % 2 == 0 { "even" } else { "odd" }))?;
    }
    drop(log);
    std::fs::remove_file(dir.join("events/.eventlog-index"))?;
    timed("open 100,000 events, index missing", 1, || {
        Ok(EventLog::open_blocking(store())?)
    })?;
    let log = timed("open 100,000 events", 1, || {
        Ok(EventLog::open_blocking(store())?)
    })?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let page = PageRequest {
        page_id: None,
        limit: 100,
        order: Order::NewestFirst,
    };
    let all = EventFilter::default();
    timed("last page of 100, bodies from files", 1, || {
        Ok(runtime.block_on(log.search(&all, &page))?)
    })?;
    timed("last page of 100, bodies in memory", 1, || {
        Ok(runtime.block_on(log.search(&all, &page))?)
    })?;
    let kind = EventFilter {
        kind: Some("MessageEvent".to_owned()),
        ..EventFilter::default()
    };
    timed("count by kind in 100,000", 1, || {
        Ok(runtime.block_on(log.count(&kind))?)
    })?;
    let text = EventFilter {
        body: Some("EVEN".to_owned()),
        ..EventFilter::default()
    };
    timed("count by text in 100,000", 1, || {
        Ok(runtime.block_on(log.count(&text))?)
    })?;
    let leaf = log.head().leaf().cloned().context("a head")?;
    timed("branch from head to root of 100,000", 1, || {
        Ok(log.branch(&leaf, None)?)
    })?;
    timed("last 20 of the branch", 1, || {
        Ok(log.branch(&leaf, Some(20))?)
    })?;
    Ok(())
}

fn main() -> anyhow::Result<()> {
    let places = match std::env::args_os().nth(1) {
        Some(place) => vec![PathBuf::from(place)],
        None => vec![PathBuf::from("/dev/shm"), std::env::current_dir()?],
    };
    for place in places {
        let dir = tempfile::TempDir::new_in(&place).with_context(|| place.display().to_string())?;
        println!("{}", place.display());
        appends(dir.path())?;
        large(dir.path())?;
    }
    Ok(())
}
