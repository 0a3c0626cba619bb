//! Names of the files of a conversation, as both implementations know them.

use std::path::{Path, PathBuf};

use openhands_protocol::EventId;

pub(crate) const STATE: &str = "base_state.json";
pub(crate) const EVENTS: &str = "events";
pub(crate) const LOCK: &str = ".eventlog.lock";
/// Ours alone. The reference ignores names that start with a dot.
pub(crate) const INDEX: &str = ".eventlog-index";
/// Where the next event is written before it gets its name, on file systems that know no files without one. There is only one: its writer
/// holds the lock.
pub(crate) const NEXT: &str = ".eventlog-next.tmp";
/// What files behind a gap are renamed to, so that new events do not collide with them.
const STRANDED_PREFIX: &str = ".stranded-";
const MARKER_PREFIX: &str = ".eventlog-len-";
const MARKER_SUFFIX: &str = ".marker";

/// The paths of one conversation.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) conversation: PathBuf,
    pub(crate) events: PathBuf,
}

impl Layout {
    pub(crate) fn new(conversation: &Path) -> Self {
        Self {
            conversation: conversation.to_owned(),
            events: conversation.join(EVENTS),
        }
    }

    pub(crate) fn event(&self, index: u64, id: &EventId) -> PathBuf {
        self.events.join(event_name(index, id))
    }

    pub(crate) fn marker(&self, len: u64) -> PathBuf {
        self.events
            .join(format!("{MARKER_PREFIX}{len}{MARKER_SUFFIX}"))
    }

    pub(crate) fn stranded(&self, name: &str) -> PathBuf {
        self.events.join(format!("{STRANDED_PREFIX}{name}"))
    }
}

/// The name of an event's file: at least five digits, more when they are needed.
pub(crate) fn event_name(index: u64, id: &EventId) -> String {
    format!("event-{index:05}-{id}.json")
}

/// What a name in the directory of events stands for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Name<'a> {
    Event(u64, &'a str),
    Marker(u64),
    /// Lock, index, half-written or set-aside files.
    Hidden,
    Unknown,
}

/// Reads a name by the rule `^event-(\d{5,})-([0-9a-fA-F-]{8,})\.json$`.
pub(crate) fn parse(name: &str) -> Name<'_> {
    let event = name
        .strip_prefix("event-")
        .and_then(|rest| rest.strip_suffix(".json"))
        .and_then(|rest| rest.split_once('-'))
        .filter(|(digits, id)| digits.len() >= 5 && is_number(digits) && is_storable(id))
        .and_then(|(digits, id)| Some(Name::Event(digits.parse().ok()?, id)));
    let marker = || {
        name.strip_prefix(MARKER_PREFIX)
            .and_then(|rest| rest.strip_suffix(MARKER_SUFFIX))
            .filter(|digits| is_number(digits))
            .and_then(|digits| digits.parse().ok())
            .map(Name::Marker)
    };
    event.or_else(marker).unwrap_or(if name.starts_with('.') {
        Name::Hidden
    } else {
        Name::Unknown
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether an id can be part of a file name that both implementations recognise.
pub(crate) fn is_storable(id: &str) -> bool {
    id.len() >= 8
        && id
            .bytes()
            .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
