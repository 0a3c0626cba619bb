//! Tools that change the model.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A saved model to go on with.
    pub struct SwitchLlmAction ["kind" = "SwitchLLMAction"] (default) {
        profile_name: String,
        reason: String,
    }
}

observation! {
    /// Which model goes on.
    pub struct SwitchLlmObservation ["kind" = "SwitchLLMObservation"] {
        profile_name: String,
        reason: Option<String> = None,
        active_model: Option<String> = None,
    }
}

wire! {
    /// Lets the active rules choose the model.
    pub struct ClassifyAndSwitchLlmAction ["kind" = "ClassifyAndSwitchLLMAction"] (default) {
    }
}

observation! {
    /// Which model was chosen.
    pub struct ClassifyAndSwitchLlmObservation ["kind" = "ClassifyAndSwitchLLMObservation"] {
        chosen_class: Option<String> = None,
        model: Option<String> = None,
        active_model: Option<String> = None,
    }
}
