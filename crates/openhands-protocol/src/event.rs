//! Events: what happened in a conversation, one after the other.

mod action;
mod condensation;
mod error;
mod header;
mod hook;
mod message;
mod observation;
mod state_update;
mod streaming;
mod system;
mod user_action;

pub use action::{AcpToolCallEvent, ActionEvent, SecurityRisk};
pub use condensation::{Condensation, CondensationRequest, CondensationSummaryEvent};
pub use error::{
    AgentErrorEvent, ConversationErrorEvent, ErrorClassification, FailureKind, ServerErrorEvent,
    UserAction,
};
pub use header::{EventHeader, Source};
pub(crate) use header::{HEADER_FIELDS, HeaderParts};
pub use hook::{HookEventType, HookExecutionEvent};
pub use message::MessageEvent;
pub use observation::{ObservationEvent, RejectionSource, UserRejectObservation};
pub use state_update::{ConversationStateUpdateEvent, FULL_STATE, FullStateUpdate};
pub use streaming::{LlmCompletionLogEvent, StreamingDeltaEvent, TokenEvent};
pub use system::{SecurityAnalysisEvent, SystemPromptEvent};
pub use user_action::{InterruptEvent, PauseEvent};

use crate::ids::EventId;
use crate::time::EventTime;
use crate::union::union;

/// Declares the union and the header that every known kind has.
macro_rules! events {
    ($($variant:ident($ty:ty)),+ $(,)?) => {
        union! {
            /// Something that happened in a conversation.
            pub enum Event by "kind" {
                $($variant($ty)),+
            }
        }

        impl Event {
            /// Id, time, source and parent; none for an unknown kind.
            pub fn header(&self) -> Option<&EventHeader> {
                match self {
                    $(Self::$variant(event) => Some(&event.header),)+
                    Self::Unknown(_) => None,
                }
            }

            /// Id, time, source and parent, to change them; none for an unknown kind.
            pub fn header_mut(&mut self) -> Option<&mut EventHeader> {
                match self {
                    $(Self::$variant(event) => Some(&mut event.header),)+
                    Self::Unknown(_) => None,
                }
            }
        }
    };
}

events! {
    Message(MessageEvent),
    Action(ActionEvent),
    Observation(ObservationEvent),
    SystemPrompt(SystemPromptEvent),
    StateUpdate(ConversationStateUpdateEvent),
    AgentError(AgentErrorEvent),
    ConversationError(ConversationErrorEvent),
    UserReject(UserRejectObservation),
    Pause(PauseEvent),
    Interrupt(InterruptEvent),
    Condensation(Condensation),
    CondensationRequest(CondensationRequest),
    CondensationSummary(CondensationSummaryEvent),
    HookExecution(HookExecutionEvent),
    SecurityAnalysis(SecurityAnalysisEvent),
    StreamingDelta(StreamingDeltaEvent),
    LlmCompletionLog(LlmCompletionLogEvent),
    Token(TokenEvent),
    AcpToolCall(AcpToolCallEvent),
    ServerError(ServerErrorEvent),
}

impl Event {
    /// The id. An unknown kind is asked by its raw member.
    pub fn id(&self) -> Option<EventId> {
        self.text_member("id", |header| Some(header.id.clone()))
    }

    /// The parent in the event tree. An unknown kind is asked by its raw member.
    pub fn parent_id(&self) -> Option<EventId> {
        self.text_member("parent_id", |header| header.parent_id.clone())
    }

    /// When it happened. An unknown kind is asked by its raw member.
    pub fn timestamp(&self) -> Option<EventTime> {
        self.text_member("timestamp", |header| Some(header.timestamp.clone()))
    }

    /// Who caused it. An unknown kind is asked by its raw member.
    pub fn source(&self) -> Option<Source> {
        self.text_member("source", |header| Some(header.source))
    }

    fn text_member<T: std::str::FromStr>(
        &self,
        name: &str,
        known: impl FnOnce(&EventHeader) -> Option<T>,
    ) -> Option<T> {
        match self.header() {
            Some(header) => known(header),
            None => self.raw()?.body().get(name)?.as_str()?.parse().ok(),
        }
    }

    /// The raw body of an unknown kind.
    pub fn raw(&self) -> Option<&crate::RawUnion> {
        if let Self::Unknown(raw) = self {
            Some(raw)
        } else {
            None
        }
    }
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
