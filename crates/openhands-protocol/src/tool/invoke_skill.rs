//! The invoke_skill tool: the text of a skill.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A skill to read.
    pub struct InvokeSkillAction ["kind" = "InvokeSkillAction"] (default) {
        name: String,
    }
}

observation! {
    /// The text of a skill.
    pub struct InvokeSkillObservation ["kind" = "InvokeSkillObservation"] {
        skill_name: String,
    }
}
