//! What a critic says about the agent's work, and another round if it is not good enough.

use openhands_protocol::event::{ActionEvent, MessageEvent};

use crate::agent::step::{Step, StepError};

impl Step<'_> {
    pub(crate) async fn judge_message(self, _: &mut MessageEvent) {}
    pub(crate) async fn judge_action(self, _: &mut ActionEvent) {}

    /// Whether the agent is to go on after it said that it was done.
    pub(crate) async fn refine(self) -> Result<bool, StepError> {
        Ok(false)
    }
}
