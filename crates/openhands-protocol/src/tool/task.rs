//! The task tool: work for a sub-agent.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A task for a sub-agent.
    pub struct TaskAction ["kind" = "TaskAction"] (default) {
        description: Option<String> = None,
        prompt: String,
        subagent_type: String = "general-purpose".to_owned(),
        resume: Option<String> = None,
    }
}

observation! {
    /// What a sub-agent answered.
    pub struct TaskObservation ["kind" = "TaskObservation"] {
        task_id: String,
        subagent: String,
        status: String,
    }
}
