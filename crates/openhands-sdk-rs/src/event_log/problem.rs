//! What is wrong with a stored log. A problem is reported, and never stops the log from opening.

use std::fmt;

use openhands_protocol::EventId;

/// Something wrong with a stored log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A position is missing: the log ends there, and the files behind it are not part of it.
    Gap {
        /// The missing position.
        index: u64,
        /// How many files are behind it.
        behind: usize,
    },
    /// The body cannot be read. The event keeps its position and is skipped.
    Unreadable {
        /// Its position.
        index: u64,
        /// Its id, by the name of the file.
        id: EventId,
        /// What is wrong with it.
        reason: String,
    },
    /// Two files claim a position; the second one is left out.
    SamePosition {
        /// The position.
        index: u64,
        /// The id that counts.
        kept: EventId,
        /// The id that is left out.
        left_out: EventId,
    },
    /// An id occurs again; the first event with it is the one that is found.
    SameId {
        /// The position of the second.
        index: u64,
        /// The id.
        id: EventId,
    },
    /// The parent is not an earlier event: the branch starts here.
    BrokenParent {
        /// The position of the child.
        index: u64,
        /// What it names as parent.
        parent: EventId,
    },
    /// A file in the directory of events that is not one.
    UnknownFile {
        /// Its name.
        name: String,
    },
    /// The head that the state names is not in the log; the last event took its place.
    LostHead {
        /// What the state names.
        leaf: EventId,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gap { index, behind } => {
                write!(
                    f,
                    "event {index} is missing, {behind} files behind it are left out"
                )
            }
            Self::Unreadable { index, id, reason } => {
                write!(f, "event {index} ({id}) is unreadable: {reason}")
            }
            Self::SamePosition {
                index,
                kept,
                left_out,
            } => write!(
                f,
                "two events at {index}: {kept} counts, {left_out} is left out"
            ),
            Self::SameId { index, id } => write!(f, "event {index} repeats the id {id}"),
            Self::BrokenParent { index, parent } => {
                write!(
                    f,
                    "event {index} names {parent} as parent, which is no earlier event"
                )
            }
            Self::UnknownFile { name } => write!(f, "{name:?} is not an event file"),
            Self::LostHead { leaf } => write!(f, "the head {leaf} is not in the log"),
        }
    }
}
