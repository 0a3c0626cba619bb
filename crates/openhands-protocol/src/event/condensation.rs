//! Old events leave the model's view.

use crate::event::{EventHeader, Source};
use crate::ids::{EventId, ResponseId};
use crate::json::Extra;
use crate::wire::wire;

wire! {
    /// Events are forgotten, and a summary may take their place.
    pub struct Condensation ["kind" = "Condensation"] event [header: Some(Source::Environment)] {
        /// A set: the order means nothing.
        forgotten_event_ids: Vec<EventId> = Vec::new(),
        summary: Option<String> = None,
        /// Where in the view the summary goes.
        summary_offset: Option<i64> = None,
        llm_response_id: ResponseId,
    }

    /// A condensation is wanted.
    pub struct CondensationRequest ["kind" = "CondensationRequest"] event [header: Some(Source::Environment)] {
    }

    /// A summary inside the model's view; never stored.
    pub struct CondensationSummaryEvent ["kind" = "CondensationSummaryEvent"] event [header: Some(Source::Environment)] {
        summary: String,
    }
}

impl CondensationRequest {
    /// A wish for a condensation, now.
    pub fn now() -> Self {
        Self {
            header: EventHeader::now(Source::Environment),
            extra: Extra::default(),
        }
    }
}
