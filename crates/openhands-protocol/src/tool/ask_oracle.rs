//! The ask_oracle tool: a question to a stronger model.

use super::observation::observation;
use crate::wire::wire;

wire! {
    /// A question.
    pub struct AskOracleAction ["kind" = "AskOracleAction"] (default) {
        question: String,
        context: Option<String> = None,
    }
}

observation! {
    /// The answer.
    pub struct AskOracleObservation ["kind" = "AskOracleObservation"] {
    }
}
