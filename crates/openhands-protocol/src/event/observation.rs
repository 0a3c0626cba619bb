//! What came of a tool call.

use crate::event::Source;
use crate::ids::{EventId, ToolCallId};
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
