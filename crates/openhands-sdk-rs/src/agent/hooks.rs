//! Hooks around what the agent does.

use openhands_protocol::event::{ActionEvent, ObservationEvent};
use tokio_util::sync::CancellationToken;

use crate::agent::step::{Step, StepError};
use crate::conversation::{ConversationError, Equipment, Inner};

impl Step<'_> {
    pub(crate) async fn ask_pre_tool_hooks(self, _: &mut ActionEvent) -> Result<(), StepError> {
        Ok(())
    }

    pub(crate) async fn ask_post_tool_hooks(
        self,
        _: &ActionEvent,
        _: &mut ObservationEvent,
    ) -> Result<(), StepError> {
        Ok(())
    }
}

impl Inner {
    pub(crate) async fn ask_stop_hooks(
        &self,
        _: &Equipment,
        _: &CancellationToken,
    ) -> Result<Option<String>, ConversationError> {
        Ok(None)
    }
}
