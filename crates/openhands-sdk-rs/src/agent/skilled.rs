//! Skills at work: text for messages that mention them, and for results that touch their files.

use openhands_protocol::event::{
    ActionEvent, EventHeader, MessageEvent, ObservationEvent, Source, SystemPromptEvent,
};
use openhands_protocol::message::TextContent;

use crate::agent::step::{Step, StepError};
use crate::conversation::{ConversationError, Equipment, Writer};

impl Writer<'_> {
    /// Tells the model what it is, if it was not told yet.
    pub(crate) async fn introduce(
        &mut self,
        equipment: &Equipment,
    ) -> Result<(), ConversationError> {
        if self.branch().await?.has_system_prompt() {
            return Ok(());
        }
        let event = SystemPromptEvent {
            header: EventHeader::now(Source::Agent),
            system_prompt: TextContent::new("You are an agent."),
            tools: equipment
                .definitions
                .iter()
                .map(|tool| tool.spec().definition())
                .collect(),
            dynamic_context: None,
            extra: openhands_protocol::Extra::default(),
        };
        self.emit(event).await?;
        Ok(())
    }

    pub(crate) async fn activate_skills(
        &mut self,
        _: &Equipment,
        _: &mut MessageEvent,
    ) -> Result<(), ConversationError> {
        Ok(())
    }
}

impl Step<'_> {
    pub(crate) async fn apply_path_rules(
        self,
        _: &ActionEvent,
        _: &mut ObservationEvent,
    ) -> Result<(), StepError> {
        Ok(())
    }
}
