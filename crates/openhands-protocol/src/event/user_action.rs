//! The user stopped a run.

use crate::event::{EventHeader, Source};
use crate::json::Extra;
use crate::wire::wire;

wire! {
    /// The run is to stop after the present step.
    pub struct PauseEvent ["kind" = "PauseEvent"] event [header: Some(Source::User)] {
    }

    /// The run was cut off at once.
    pub struct InterruptEvent ["kind" = "InterruptEvent"] event [header: Some(Source::User)] {
    }
}

impl PauseEvent {
    /// A pause that is asked for now.
    pub fn now() -> Self {
        Self {
            header: EventHeader::now(Source::User),
            extra: Extra::default(),
        }
    }
}

impl InterruptEvent {
    /// An interrupt that happens now.
    pub fn now() -> Self {
        Self {
            header: EventHeader::now(Source::User),
            extra: Extra::default(),
        }
    }
}
