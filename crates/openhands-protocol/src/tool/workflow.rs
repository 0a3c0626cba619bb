//! The workflow tool: a script that calls sub-agents.

use super::observation::observation;
use crate::text::words;
use crate::wire::wire;

words! {
    /// How a script ended.
    pub enum WorkflowStatus {
        Completed = "completed",
        Error = "error",
    }
}

wire! {
    /// A script to run.
    pub struct WorkflowAction ["kind" = "WorkflowAction"] (default) {
        name: String,
        script: String,
        max_concurrency: i64 = 8,
    }
}

observation! {
    /// What a script came to.
    pub struct WorkflowObservation ["kind" = "WorkflowObservation"] {
        name: String,
        status: WorkflowStatus,
    }
}
