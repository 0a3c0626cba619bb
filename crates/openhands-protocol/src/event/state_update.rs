//! A field of the conversation's state changed, or the whole state is sent.

use crate::conversation::ConversationState;
use crate::event::{EventHeader, Source};
use crate::json::{Extra, Json};
use crate::wire::wire;

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
