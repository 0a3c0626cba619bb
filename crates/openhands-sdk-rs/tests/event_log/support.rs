//! What the tests share: events to append, logs to append to, and waiting.

use std::path::Path;
use std::time::{Duration, Instant};

use openhands_sdk_rs::event_log::{Durability, EventLog, FileStore, StoredEvent, Syncer};
use openhands_sdk_rs::protocol::event::{
    ConversationStateUpdateEvent, EventHeader, MessageEvent, Source,
};
use openhands_sdk_rs::protocol::message::{Message, Role};
use openhands_sdk_rs::protocol::{Event, EventId, Json};

pub(crate) fn message(text: &str) -> Event {
    Event::Message(MessageEvent {
        header: EventHeader::now(Source::User),
        llm_message: Message::text(Role::User, text),
        llm_response_id: None,
        activated_skills: Vec::new(),
        extended_content: Vec::new(),
        sender: None,
        critic_result: None,
        extra: openhands_sdk_rs::protocol::Extra::EMPTY,
    })
}

pub(crate) fn update(key: &str) -> Event {
    Event::StateUpdate(ConversationStateUpdateEvent {
        header: EventHeader::now(Source::Environment),
        key: key.to_owned(),
        value: Json::NULL,
        extra: openhands_sdk_rs::protocol::Extra::EMPTY,
    })
}

pub(crate) fn with_parent(mut event: Event, parent: &str) -> Event {
    event.header_mut().unwrap().parent_id = Some(parent.into());
    event
}

pub(crate) fn id(event: &Event) -> EventId {
    event.id().unwrap()
}

pub(crate) fn open(dir: &Path) -> EventLog {
    EventLog::open_blocking(store(dir)).unwrap()
}

pub(crate) fn store(dir: &Path) -> FileStore {
    FileStore::new(dir, Durability::Background(Syncer::new()))
}

/// Appends messages with these texts and returns their ids.
pub(crate) fn fill(log: &EventLog, texts: &[&str]) -> Vec<EventId> {
    let append = |text: &&str| log.append_blocking(message(text)).unwrap().id().clone();
    texts.iter().map(append).collect()
}

pub(crate) fn indices(events: &[std::sync::Arc<StoredEvent>]) -> Vec<u64> {
    events.iter().map(|event| event.index()).collect()
}

/// File names in a directory, sorted.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::yield_now();
    }
}

/// Whether system calls can be watched. Continuous integration skips nothing.
pub(crate) fn can_trace() -> bool {
    let traced = std::process::Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .status();
    let can = traced.is_ok_and(|status| status.success());
    if !can {
        let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(
            !is_ci,
            "there is no strace, and nothing may be skipped here"
        );
        println!("skipped: no strace");
    }
    can
}
