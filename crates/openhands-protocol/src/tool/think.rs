//! The think tool: a thought that is logged and changes nothing.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A thought.
    pub struct ThinkAction ["kind" = "ThinkAction"] (default) {
        thought: String,
    }
}

observation! {
    /// A thought was logged.
    pub struct ThinkObservation ["kind" = "ThinkObservation"] {}
}
