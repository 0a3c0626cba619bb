//! `browse` and `browse_interactive`.

use openhands_protocol::v0::V0Observation;

use crate::v0::execute_action::error;

/// The answer where no browser is offered.
pub(in crate::v0) fn disabled() -> V0Observation {
    error("Browser functionality is not supported or disabled.")
}
