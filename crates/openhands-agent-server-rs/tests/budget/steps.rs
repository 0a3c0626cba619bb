//! What a step of the agent costs, and an event in the log.

use openhands_sdk_rs::event_log::{Durability, EventLog, FileStore, Syncer};
use openhands_sdk_rs::protocol::event::{Event, EventHeader, MessageEvent, Source};
use openhands_sdk_rs::protocol::message::{Message, Role};
use serde_json::json;
use stats_alloc::{Region, Stats};

use crate::budget::judge;
use crate::counts::{self, asked, can_trace, counted_by, least_counted_by, tell};
use crate::{ALLOCATOR, conversation};

#[test]
fn a_step_allocates_no_more_than_it_did_also_in_a_long_conversation() {
    judge(&least_counted_by("steps::counted_steps", 100));
}

/// Not a check of its own: this is what is counted.
#[tokio::test]
async fn counted_steps() {
    let Some((directory, steps)) = asked() else {
        return;
    };
    let runs = [steps, steps, 10 * steps, steps];
    let conversation = conversation::that_calls(&directory, &json!([]), think, &runs).await;
    conversation::run(&conversation).await;
    let early = counted(&conversation).await;
    conversation::run(&conversation).await;
    let late = counted(&conversation).await;
    let steps = steps as f64;
    tell("allocations per step", allocations(&early) / steps);
    tell(
        "kilobytes allocated per step",
        early.bytes_allocated as f64 / 1e3 / steps,
    );
    tell("kilobytes kept per step", kept(&early) / steps);
    tell(
        "allocations per step, after 3,000 events more",
        allocations(&late) / steps,
    );
}

#[test]
fn a_conversation_that_has_answered_has_little_memory() {
    judge(&counted_by("steps::counted_conversations", 100));
}

/// Not a check of its own: this is what is counted.
#[tokio::test]
async fn counted_conversations() {
    let Some((directory, count)) = asked() else {
        return;
    };
    // What the first ones make for all is not counted.
    let first = 20;
    let runs = vec![1; usize::try_from(first + count).unwrap()];
    let host = conversation::host_that_calls(&directory, think, &runs);
    let mut conversations = Vec::with_capacity(runs.len());
    let mut region = Region::new(ALLOCATOR);
    for number in 0..first + count {
        if number == first {
            region.reset();
        }
        let conversation = conversation::begin(&host, &directory, &json!([])).await;
        conversation::run(&conversation).await;
        conversations.push(conversation);
    }
    tell(
        "kilobytes kept per conversation that has answered",
        kept(&region.change()) / count as f64,
    );
}

fn think(number: u64) -> serde_json::Value {
    json!({"name": "think", "args": {"thought": format!("thought {number}")}})
}

/// Kilobytes that are still there.
fn kept(stats: &Stats) -> f64 {
    (stats.bytes_allocated as f64 - stats.bytes_deallocated as f64) / 1e3
}

async fn counted(conversation: &openhands_sdk_rs::Conversation) -> Stats {
    let region = Region::new(ALLOCATOR);
    conversation::run(conversation).await;
    region.change()
}

fn allocations(stats: &Stats) -> f64 {
    (stats.allocations + stats.reallocations) as f64
}

#[test]
fn an_event_writes_no_more_than_it_did() {
    if !can_trace() {
        return;
    }
    let mut counts = counted_by("steps::counted_events", 200);
    counts.insert(
        "system calls per event".to_owned(),
        counts::system_calls_of("steps::counted_events"),
    );
    judge(&counts);
}

/// Not a check of its own: this is what is counted.
#[test]
fn counted_events() {
    let Some((directory, events)) = asked() else {
        return;
    };
    let store = FileStore::new(&directory, Durability::Background(Syncer::new()));
    let log = EventLog::open_blocking(store).unwrap();
    let before = written();
    for _ in 0..events {
        log.append_blocking(event()).unwrap();
    }
    let bytes = written() - before;
    tell("bytes written per event", bytes as f64 / events as f64);
}

fn event() -> Event {
    Event::Message(MessageEvent {
        header: EventHeader::now(Source::User),
        llm_message: Message::text(Role::User, "a message of some forty characters' length"),
        llm_response_id: None,
        activated_skills: Vec::new(),
        extended_content: Vec::new(),
        sender: None,
        critic_result: None,
        extra: openhands_sdk_rs::protocol::Extra::EMPTY,
    })
}

/// Bytes that this process has handed to `write`.
fn written() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.unwrap().parse().unwrap()
}
