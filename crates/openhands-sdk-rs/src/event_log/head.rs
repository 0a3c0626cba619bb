//! The head of the event tree: where the next event is attached, and what moves it.

use openhands_protocol::conversation::ExecutionStatus;
use openhands_protocol::event::ConversationStateUpdateEvent;
use openhands_protocol::{EventId, Tagged};
use serde::Deserialize;

/// Where the next event is attached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Head {
    /// Nothing was said about it: before the first event, or a log from before there were trees.
    #[default]
    Unset,
    /// Deliberately before all events: the next one starts a root of its own.
    Empty,
    /// At this event.
    At(EventId),
}

impl Head {
    /// The head as the state spells it, in `leaf_event_id` and `head_is_empty`.
    pub fn from_state(leaf: Option<EventId>, is_empty: bool) -> Self {
        match leaf {
            Some(leaf) => Self::At(leaf),
            None if is_empty => Self::Empty,
            None => Self::Unset,
        }
    }

    /// The state's `leaf_event_id`.
    pub fn leaf(&self) -> Option<&EventId> {
        match self {
            Self::At(leaf) => Some(leaf),
            Self::Unset | Self::Empty => None,
        }
    }

    /// The state's `head_is_empty`.
    pub fn is_empty(&self) -> bool {
        *self == Self::Empty
    }

    /// Reads the head out of the text of a state, and whether the state is that of a run. Text that is no state says
    /// nothing about either.
    pub(crate) fn peek(state: &[u8]) -> (Self, bool) {
        #[derive(Default, Deserialize)]
        struct Peek {
            #[serde(default)]
            leaf_event_id: Option<EventId>,
            #[serde(default)]
            head_is_empty: bool,
            #[serde(default)]
            execution_status: Option<ExecutionStatus>,
        }
        let peek: Peek = serde_json::from_slice(state).unwrap_or_default();
        let is_running = peek.execution_status == Some(ExecutionStatus::Running);
        (
            Self::from_state(peek.leaf_event_id, peek.head_is_empty),
            is_running,
        )
    }
}

/// Whether an event of this kind moves the head. State updates are news about the tree, not part of it.
pub(crate) fn advances_head(kind: &str) -> bool {
    kind != ConversationStateUpdateEvent::VALUE
}
