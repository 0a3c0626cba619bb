//! Actions that wait for the user.

use std::sync::Arc;

use openhands_protocol::Event;
use openhands_protocol::conversation::ExecutionStatus;
use openhands_protocol::event::{
    AgentErrorEvent, ErrorClassification, RejectionSource, UserRejectObservation,
};

use crate::conversation::transition::{Cause, Refused};
use crate::conversation::{Conversation, ConversationError, Writer};
use crate::event_log::StoredEvent;

/// What the user says about actions that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Accept,
    /// Do not, for this reason.
    Reject(String),
}

impl Conversation {
    /// The actions that have no result yet, oldest first: those that wait for the user, when some do.
    pub async fn pending_actions(&self) -> Result<Vec<Arc<StoredEvent>>, ConversationError> {
        Ok(self.inner.writer().await.branch().await?.open())
    }

    /// Decides on the actions that wait. Accepting runs the conversation; rejecting leaves it idle.
    pub async fn respond(&self, decision: Decision) -> Result<(), ConversationError> {
        match decision {
            Decision::Accept => match self.run().await {
                Err(ConversationError::Refused(Refused::AlreadyRunning)) => Ok(()),
                other => other,
            },
            Decision::Reject(reason) => self.reject_pending_actions(reason).await,
        }
    }

    /// Rejects the actions that wait, if any do.
    pub async fn reject_pending_actions(
        &self,
        reason: impl Into<String>,
    ) -> Result<(), ConversationError> {
        let reason = reason.into();
        self.command(|this| async move {
            let mut writer = this.inner.writer().await;
            if writer.status() == ExecutionStatus::WaitingForConfirmation {
                writer.turn(Cause::Reject).await?;
                writer.reject_open(&reason, RejectionSource::User).await?;
                writer.save().await?;
            }
            Ok(())
        })
        .await
    }
}

impl Writer<'_> {
    /// Answers every open action with a rejection.
    pub(crate) async fn reject_open(
        &mut self,
        reason: &str,
        source: RejectionSource,
    ) -> Result<(), ConversationError> {
        for stored in self.branch().await?.open() {
            let Event::Action(action) = stored.event() else {
                continue;
            };
            self.emit(UserRejectObservation::answering(action, reason, source))
                .await?;
        }
        Ok(())
    }

    /// Answers every open action with an error.
    pub(crate) async fn answer_open(
        &mut self,
        error: &str,
        classification: &ErrorClassification,
    ) -> Result<(), ConversationError> {
        for stored in self.branch().await?.open() {
            let Event::Action(action) = stored.event() else {
                continue;
            };
            let event = AgentErrorEvent::answering(action, error, classification.clone());
            self.emit(event).await?;
        }
        Ok(())
    }
}
