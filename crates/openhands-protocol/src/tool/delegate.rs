//! The delegate tool: several sub-agents side by side.

use indexmap::IndexMap;

use super::observation::observation;
use crate::text::words;
use crate::wire::wire;

words! {
    /// What to do.
    pub enum DelegateCommand {
        Spawn = "spawn",
        Delegate = "delegate",
    }
}

wire! {
    /// Sub-agents to start, or tasks for them.
    pub struct DelegateAction ["kind" = "DelegateAction"] (default) {
        command: DelegateCommand,
        ids: Option<Vec<String>> = None,
        agent_types: Option<Vec<String>> = None,
        tasks: Option<IndexMap<String, String>> = None,
    }
}

observation! {
    /// What the sub-agents answered.
    pub struct DelegateObservation ["kind" = "DelegateObservation"] {
        command: DelegateCommand,
    }
}
