//! The user stopped a run.

use crate::event::Source;
use crate::wire::wire;

wire! {
    /// The run is to stop after the present step.
    pub struct PauseEvent ["kind" = "PauseEvent"] event [header: Some(Source::User)] {
    }

    /// The run was cut off at once.
    pub struct InterruptEvent ["kind" = "InterruptEvent"] event [header: Some(Source::User)] {
    }
}
