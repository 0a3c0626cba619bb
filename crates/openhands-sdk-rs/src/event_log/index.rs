//! The index in memory: id, parent, kind, source and time of every event.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry as Slot;
use openhands_protocol::event::{ConversationErrorEvent, Source};
use openhands_protocol::{Event, EventId, EventTime, Tagged};

use crate::event_log::Problem;
use crate::event_log::head::advances_head;
use crate::event_log::header::Header;

/// The kind of an event. Known kinds cost no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Known(&'static str),
    Other(Box<str>),
}

impl Kind {
    pub(crate) fn new(name: &str) -> Self {
        match Event::KINDS.iter().find(|known| **known == name) {
            Some(known) => Self::Known(known),
            None => Self::Other(name.into()),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Known(name) => name,
            Self::Other(name) => name,
        }
    }
}

impl Default for Kind {
    fn default() -> Self {
        Self::Other("".into())
    }
}

/// What the event is attached to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parent {
    /// It does not say: the one before it, as in logs from before there were trees.
    Before,
    /// Nothing: it starts a root.
    Root,
    /// The event at this position, always an earlier one.
    At(u64),
    /// Something that is no earlier event; it starts a root for want of better.
    Broken(EventId),
}

/// What is known of an event without its body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) id: EventId,
    pub(crate) parent: Parent,
    pub(crate) kind: Kind,
    pub(crate) source: Option<Source>,
    pub(crate) time: Option<EventTime>,
    /// Whether the body could be read when it was indexed.
    pub(crate) readable: bool,
}

/// All entries, by position and by id.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: Vec<Entry>,
    by_id: HashTable<usize>,
    hasher: RandomState,
}

/// A position in a public number as a place in a list. A place that no list can have stands for one too large.
pub(crate) fn place(index: u64) -> usize {
    usize::try_from(index).unwrap_or(usize::MAX)
}

impl Index {
    pub(crate) fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(crate) fn get(&self, index: u64) -> Option<&Entry> {
        self.entries.get(place(index))
    }

    pub(crate) fn find(&self, id: &EventId) -> Option<u64> {
        let hash = self.hasher.hash_one(id);
        self.by_id
            .find(hash, |place| {
                self.entries
                    .get(*place)
                    .is_some_and(|entry| entry.id == *id)
            })
            .map(|place| *place as u64)
    }

    /// An entry for the next position, with its parent looked up.
    pub(crate) fn entry(&self, id: EventId, header: Result<Header, String>) -> Entry {
        let readable = header.is_ok();
        let Header {
            parent,
            kind,
            source,
            time,
        } = header.unwrap_or_default();
        let parent = match parent {
            None => Parent::Before,
            Some(parent) if parent == EventId::ROOT => Parent::Root,
            Some(parent) => self
                .find(&parent)
                .map_or(Parent::Broken(parent), Parent::At),
        };
        Entry {
            id,
            parent,
            kind,
            source,
            time,
            readable,
        }
    }

    /// Adds the entry of the next position. The first event with an id is the one that is found by it.
    pub(crate) fn push(&mut self, entry: Entry) -> Option<Problem> {
        let index = self.len();
        let (entries, hasher) = (&self.entries, &self.hasher);
        let known = |place: &usize| entries.get(*place).map(|known| &known.id);
        let slot = self.by_id.entry(
            hasher.hash_one(&entry.id),
            |place| known(place) == Some(&entry.id),
            |place| known(place).map_or(0, |id| hasher.hash_one(id)),
        );
        let problem = match (slot, &entry.parent) {
            (Slot::Occupied(_), _) => Some(Problem::SameId {
                index,
                id: entry.id.clone(),
            }),
            (Slot::Vacant(slot), parent) => {
                slot.insert(entries.len());
                match parent {
                    Parent::Broken(parent) => Some(Problem::BrokenParent {
                        index,
                        parent: parent.clone(),
                    }),
                    Parent::Before | Parent::Root | Parent::At(_) => None,
                }
            }
        };
        self.entries.push(entry);
        problem
    }

    /// Makes room for this many entries at once.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.entries.reserve(count);
        let (entries, hasher) = (&self.entries, &self.hasher);
        self.by_id.reserve(count, |place| {
            entries
                .get(*place)
                .map_or(0, |known| hasher.hash_one(&known.id))
        });
    }

    /// The position that the event is attached to, always an earlier one.
    pub(crate) fn parent_of(&self, index: u64) -> Option<u64> {
        match self.get(index)?.parent {
            Parent::Before => index.checked_sub(1),
            Parent::Root | Parent::Broken(_) => None,
            Parent::At(parent) => Some(parent),
        }
    }

    /// The positions from an event up to its root, the event first. Ends, because parents are earlier.
    pub(crate) fn up(&self, leaf: Option<u64>) -> impl Iterator<Item = u64> + '_ {
        std::iter::successors(leaf, |index| self.parent_of(*index))
    }

    /// The head for want of one: the last event that is part of the tree. Errors and state updates that were
    /// written onto the tail of a log from before there were trees are not.
    pub(crate) fn last_of_tree(&self) -> Option<&EventId> {
        self.entries
            .iter()
            .rev()
            .find(|entry| {
                let kind = entry.kind.as_str();
                entry.readable && advances_head(kind) && kind != ConversationErrorEvent::VALUE
            })
            .map(|entry| &entry.id)
    }
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
