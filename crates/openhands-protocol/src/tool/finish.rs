//! The finish tool: the agent's last word in a run.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// The task is done. Fields of a response schema are kept in `extra`.
    pub struct FinishAction ["kind" = "FinishAction"] (default) {
        message: String,
    }
}

observation! {
    /// The final message.
    pub struct FinishObservation ["kind" = "FinishObservation"] {}
}
