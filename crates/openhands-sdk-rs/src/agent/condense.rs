//! Shortening the view when it has become too long, or when somebody asks for it.

use openhands_llm::LlmError;
use openhands_protocol::event::CondensationRequest;
use tokio_util::sync::CancellationToken;

use crate::agent::step::{Step, StepError, failed};
use crate::condenser::{self, CondenseError, Condensed};
use crate::conversation::{Conversation, ConversationError, Equipment, Inner};

/// Whether the step went into shortening the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condensing {
    /// It did; the model is asked in the next one.
    Done,
    /// There was no need.
    NotNeeded,
}

impl Step<'_> {
    /// Shortens the view if it is too long.
    pub(crate) async fn condense_if_needed(self) -> Result<Condensing, StepError> {
        self.conversation
            .condense_if_needed(self.equipment, self.cancel)
            .await
    }

    /// Asks for a shorter view, if there is somebody to make it; else the failure stands.
    pub(crate) async fn ask_for_condensation(self, failure: LlmError) -> Result<(), StepError> {
        let condenser = self.equipment.condenser.as_ref();
        if !condenser.is_some_and(condenser::accepts_requests) {
            return Err(failed(failure));
        }
        let mut writer = self.conversation.writer().await;
        writer.emit(CondensationRequest::now()).await?;
        Ok(())
    }
}

impl Inner {
    async fn condense_if_needed(
        &self,
        equipment: &Equipment,
        cancel: &CancellationToken,
    ) -> Result<Condensing, StepError> {
        let Some(condenser) = &equipment.condenser else {
            return Ok(Condensing::NotNeeded);
        };
        let size = equipment.request_size;
        // A copy, because the model that sums it up may take long.
        let view = {
            let mut writer = self.writer().await;
            let view = &writer.branch().await?.view;
            if !condenser::is_due(condenser, view, size) {
                return Ok(Condensing::NotNeeded);
            }
            view.clone()
        };
        let connect = |llm: &_| self.model(llm);
        let answer = condenser::condense(condenser, &view, size, &connect, cancel.clone()).await;
        match answer {
            Ok(Condensed::Nothing) => Ok(Condensing::NotNeeded),
            Ok(Condensed::Forgotten(forgotten)) => {
                self.book(&forgotten.llm, &forgotten.completion).await?;
                let mut writer = self.writer().await;
                writer.emit(forgotten.condensation).await?;
                Ok(Condensing::Done)
            }
            Err(CondenseError::Cancelled) => Err(StepError::Cancelled),
            Err(error) => Err(ConversationError::Condense(error.to_string()).into()),
        }
    }
}

impl Conversation {
    /// Shortens the view now.
    pub async fn condense(&self) -> Result<(), ConversationError> {
        self.command(|this| async move {
            let equipment = this.inner.equipment().await?;
            let condenser = equipment.condenser.as_ref();
            if !condenser.is_some_and(condenser::accepts_requests) {
                return Err(ConversationError::Condense(
                    "No condenser configured".to_owned(),
                ));
            }
            this.inner.introduce(&equipment).await?;
            {
                let mut writer = this.inner.writer().await;
                writer.emit(CondensationRequest::now()).await?;
            }
            let cancel = CancellationToken::new();
            let done = this.inner.condense_if_needed(&equipment, &cancel).await;
            let mut writer = this.inner.writer().await;
            writer.save().await?;
            match done {
                Ok(_) | Err(StepError::Cancelled) => Ok(()),
                Err(StepError::Failed(error)) => Err(error),
            }
        })
        .await
    }
}
