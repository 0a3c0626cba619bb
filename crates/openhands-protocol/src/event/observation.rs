//! What came of a tool call.

use crate::event::{ActionEvent, EventHeader, Source};
use crate::ids::{EventId, ToolCallId};
use crate::json::Extra;
use crate::message::TextContent;
use crate::text::words;
use crate::tool::Observation;
use crate::wire::wire;

words! {
    /// Who rejected an action.
    pub enum RejectionSource {
        User = "user",
        Hook = "hook",
    }
}

wire! {
    /// A tool answered.
    pub struct ObservationEvent ["kind" = "ObservationEvent"] event [header: Some(Source::Environment)] {
        tool_name: String,
        tool_call_id: ToolCallId,
        observation: Observation,
        /// The action that it answers.
        action_id: EventId,
        /// Text added for the model, such as skills that the answer triggered.
        extended_content: Vec<TextContent> = Vec::new(),
    }

    /// An action was not allowed to run.
    pub struct UserRejectObservation ["kind" = "UserRejectObservation"] event [header: Some(Source::Environment)] {
        tool_name: String,
        tool_call_id: ToolCallId,
        rejection_reason: String = "User rejected the action".to_owned(),
        rejection_source: RejectionSource = RejectionSource::User,
        /// The action that was rejected.
        action_id: EventId,
    }
}

impl ObservationEvent {
    /// The answer to an action.
    pub fn answering(action: &ActionEvent, observation: Observation) -> Self {
        Self {
            header: EventHeader::now(Source::Environment),
            tool_name: action.tool_name.clone(),
            tool_call_id: action.tool_call_id.clone(),
            observation,
            action_id: action.header.id.clone(),
            extended_content: Vec::new(),
            extra: Extra::default(),
        }
    }
}

impl UserRejectObservation {
    /// The rejection of an action.
    pub fn answering(
        action: &ActionEvent,
        reason: impl Into<String>,
        source: RejectionSource,
    ) -> Self {
        Self {
            header: EventHeader::now(Source::Environment),
            tool_name: action.tool_name.clone(),
            tool_call_id: action.tool_call_id.clone(),
            rejection_reason: reason.into(),
            rejection_source: source,
            action_id: action.header.id.clone(),
            extra: Extra::default(),
        }
    }
}
