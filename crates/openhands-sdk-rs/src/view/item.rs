//! What a view keeps of an event: a few facts, and the message that was made of it.

use std::sync::Arc;

use openhands_protocol::EventId;
use openhands_protocol::ToolCallId;
use openhands_protocol::event::Source;
use openhands_protocol::message::Message;

/// An event of a view.
#[derive(Debug, Clone)]
pub struct ViewItem {
    /// Order of arrival. Unlike a position it never changes.
    pub(super) serial: u64,
    pub(super) id: EventId,
    pub(super) source: Source,
    pub(super) role: ItemRole,
    pub(super) message: Arc<Message>,
    pub(super) tokens: u64,
    /// Whether the model is shown it. An action is not while it has no result.
    pub(super) shown: bool,
}

/// What an event of a view is for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemRole {
    /// The system prompt.
    System,
    /// What someone said.
    Message,
    /// A summary of what was forgotten.
    Summary,
    /// A tool call.
    Action(Call),
    /// What came of a tool call: an observation, a rejection or an error.
    Result(Call),
}

/// The call that an action makes or a result answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The id that the model gave to the call.
    pub tool_call_id: ToolCallId,
    /// All calls of one response of the model are one batch.
    pub(super) batch: u64,
    /// Serial of the action.
    pub(super) action: u64,
}

impl ViewItem {
    /// Id of the event. That of a summary is the condensation's with `-summary` behind it.
    pub fn id(&self) -> &EventId {
        &self.id
    }

    /// Who caused the event.
    pub fn source(&self) -> Source {
        self.source
    }

    /// What the event is for the model.
    pub fn role(&self) -> &ItemRole {
        &self.role
    }

    /// The event as a message of its own. That of an action has this one call only.
    pub fn message(&self) -> &Arc<Message> {
        &self.message
    }

    /// About how many tokens the message has.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    pub(super) fn call(&self) -> Option<&Call> {
        match &self.role {
            ItemRole::Action(call) | ItemRole::Result(call) => Some(call),
            ItemRole::System | ItemRole::Message | ItemRole::Summary => None,
        }
    }
}
