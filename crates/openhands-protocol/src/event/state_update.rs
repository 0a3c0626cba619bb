//! A field of the conversation's state changed, or the whole state is sent.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::conversation::ConversationState;
use crate::event::{EventHeader, Source};
use crate::json::{Extra, Json};
use crate::wire::{Tagged as _, wire};

/// The key under which the whole state is sent. Such an event is never stored.
pub const FULL_STATE: &str = "full_state";

wire! {
    /// A new value of a state field. It does not move the head of the event tree.
    pub struct ConversationStateUpdateEvent ["kind" = "ConversationStateUpdateEvent"] event [header: Some(Source::Environment)] {
        key: String = String::new(),
        value: Json = Json::NULL,
    }
}

impl ConversationStateUpdateEvent {
    /// A new value of a field.
    pub fn new(key: impl Into<String>, value: impl Into<Json>) -> Self {
        Self {
            header: EventHeader::now(Source::Environment),
            key: key.into(),
            value: value.into(),
            extra: Extra::default(),
        }
    }

    /// Whether it carries the whole state.
    pub fn is_full_state(&self) -> bool {
        self.key == FULL_STATE
    }

    /// The whole state, if it carries it.
    pub fn full_state(&self) -> Option<Result<ConversationState, serde_json::Error>> {
        let members = self.value.as_object().filter(|_| self.is_full_state())?;
        Some(crate::tree::from_members(members))
    }
}

/// The whole state, written as the event in which it is sent. No tree of it is made for that: with the sums and lists of what models used
/// it is by far the largest thing that is sent.
#[derive(Debug)]
pub struct FullStateUpdate<'a> {
    header: EventHeader,
    state: &'a ConversationState,
}

impl<'a> FullStateUpdate<'a> {
    /// The state as it is now.
    pub fn new(state: &'a ConversationState) -> Self {
        Self {
            header: EventHeader::now(Source::Environment),
            state,
        }
    }
}

impl Serialize for FullStateUpdate<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.header.write_members(&mut map)?;
        map.serialize_entry("key", FULL_STATE)?;
        map.serialize_entry("value", self.state)?;
        map.serialize_entry(
            ConversationStateUpdateEvent::TAG,
            ConversationStateUpdateEvent::VALUE,
        )?;
        map.end()
    }
}
