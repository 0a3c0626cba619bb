//! One step of an agent: what is left to execute, or one question to the model and what follows from its answer.

use std::sync::Arc;

use openhands_llm::{ChatRequest, LlmError, LlmErrorKind};
use openhands_protocol::event::{MessageEvent, Source};
use openhands_protocol::message::{Message, Role};
use openhands_protocol::{Event, EventId};
use tokio_util::sync::CancellationToken;

use crate::agent::condense::Condensing;
use crate::agent::{Interpreter, Reply};
use crate::builtin;
use crate::conversation::{Cause, ConversationError, Equipment, Inner};

/// What the model is told when its answer held nothing to act on.
const NOTHING_TO_ACT_ON: &str = "Your last response did not include a function call or a message. Please use a tool to proceed with the task.";

/// What the agent says when it is shown an image that its model cannot see.
const NO_VISION: &str = "The selected model cannot read images. Please describe what the image shows, or choose a model with vision and send it again.";

/// What the model is told when the provider's filter stopped its answer.
const REPHRASE: &str = "The provider's content filter stopped the last answer. Please go on with the task in other words.";

/// How a step failed.
#[derive(Debug)]
pub(crate) enum StepError {
    /// Somebody cut it off.
    Cancelled,
    /// Something is wrong.
    Failed(ConversationError),
}

impl<E: Into<ConversationError>> From<E> for StepError {
    fn from(error: E) -> Self {
        match error.into() {
            ConversationError::Llm(error) if error.kind == LlmErrorKind::Cancelled => {
                Self::Cancelled
            }
            other => Self::Failed(other),
        }
    }
}

/// Takes one step.
#[tracing::instrument(name = "step", skip_all)]
pub(crate) async fn step(
    conversation: &Inner,
    equipment: &Arc<Equipment>,
    cancel: &CancellationToken,
) -> Result<(), StepError> {
    Step {
        conversation,
        equipment,
        cancel,
    }
    .take()
    .await
}

/// What a step works with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) conversation: &'a Inner,
    pub(crate) equipment: &'a Arc<Equipment>,
    pub(crate) cancel: &'a CancellationToken,
}

impl Step<'_> {
    async fn take(self) -> Result<(), StepError> {
        let open = self.conversation.writer().await.branch().await?.open();
        if !open.is_empty() {
            self.save_status().await?;
            return self.execute(open).await;
        }
        if self.is_blocked() {
            self.conversation.writer().await.turn(Cause::Finish).await?;
            return Ok(());
        }
        if self.condense_if_needed().await? == Condensing::Done {
            return Ok(());
        }
        if self.refuse_images().await? {
            return Ok(());
        }
        let request = self.request().await?;
        let id = EventId::random();
        match self.sample(request, &id).await {
            Ok(answer) => {
                let reply = Interpreter {
                    definitions: &self.equipment.tools.definitions,
                    grep: self.equipment.grep,
                    has_analyzer: self.equipment.analyzer.is_some(),
                }
                .read(answer, id);
                self.act(reply).await
            }
            Err(error) => self.mend(error).await,
        }
    }

    /// Sees to it that the saved state says that the conversation runs, before a tool does.
    async fn save_status(self) -> Result<(), StepError> {
        Ok(self.conversation.writer().await.save_status().await?)
    }

    /// Whether a hook has stopped the user's last message.
    fn is_blocked(self) -> bool {
        let state = self.conversation.state.read();
        state
            .last_user_message_id
            .as_ref()
            .is_some_and(|id| state.blocked_messages.contains_key(id))
    }

    /// The question to the model: the view and the tools.
    async fn request(self) -> Result<ChatRequest, StepError> {
        let mut messages = self
            .conversation
            .writer()
            .await
            .branch()
            .await?
            .view
            .messages();
        if self.equipment.sees_by_tool && !self.equipment.model.features().vision {
            builtin::refer_to_images(&mut messages);
        }
        let mut request = ChatRequest {
            messages,
            tools: self.equipment.tools.specs(),
            ..ChatRequest::default()
        };
        let cache_key = self.conversation.extras.cache_key;
        request.options.session = Some(cache_key.unwrap_or(self.conversation.id).to_string());
        Ok(request)
    }

    /// Answers images that the model cannot see, without asking it. Says whether it did.
    async fn refuse_images(self) -> Result<bool, StepError> {
        if self.equipment.model.features().vision || self.equipment.sees_by_tool {
            return Ok(false);
        }
        let mut writer = self.conversation.writer().await;
        if !writer.branch().await?.has_open_image() {
            return Ok(false);
        }
        let refusal = Message::text(Role::Assistant, NO_VISION);
        writer
            .emit(MessageEvent::new(Source::Agent, refusal))
            .await?;
        writer.turn(Cause::Finish).await?;
        Ok(true)
    }

    /// What follows from an answer.
    async fn act(self, reply: Reply) -> Result<(), StepError> {
        match reply {
            Reply::Message(mut event) => {
                self.mask_message(&mut event).await;
                self.judge_message(&mut event).await;
                let mut writer = self.conversation.writer().await;
                let mut events = vec![Event::from(*event)];
                events.extend(writer.turned(Cause::Finish)?);
                writer.emit_all(events).await?;
                Ok(())
            }
            Reply::Empty(mut event) => {
                self.mask_message(&mut event).await;
                let mut writer = self.conversation.writer().await;
                writer.emit(*event).await?;
                writer.say_as_environment(NOTHING_TO_ACT_ON).await?;
                Ok(())
            }
            Reply::Calls(calls) => {
                // Before anyone hears of the action: whoever does takes its tool to be at work.
                self.save_status().await?;
                let batch = self.announce(calls).await?;
                if batch.is_empty() {
                    return Ok(());
                }
                if self.waits_for_confirmation(&batch).await? {
                    let mut writer = self.conversation.writer().await;
                    writer.turn(Cause::Confirm).await?;
                    return Ok(());
                }
                self.execute(batch).await
            }
        }
    }

    /// What can be done about a call to the model that failed.
    async fn mend(self, error: StepError) -> Result<(), StepError> {
        let StepError::Failed(ConversationError::Llm(failure)) = error else {
            return Err(error);
        };
        match failure.kind {
            LlmErrorKind::FunctionCallValidation => {
                let text = failure.message;
                let mut writer = self.conversation.writer().await;
                writer.say(Source::User, text).await?;
                Ok(())
            }
            LlmErrorKind::ContentPolicyViolation => {
                let mut writer = self.conversation.writer().await;
                writer.say(Source::User, REPHRASE).await?;
                Ok(())
            }
            LlmErrorKind::ContextWindowExceeded | LlmErrorKind::MalformedHistory => {
                if failure.kind == LlmErrorKind::MalformedHistory {
                    // The view is made anew with all rules applied; that may be all it takes.
                    self.conversation.writer().await.forget_branch();
                }
                self.ask_for_condensation(failure).await
            }
            LlmErrorKind::Authentication
            | LlmErrorKind::RateLimit
            | LlmErrorKind::Timeout
            | LlmErrorKind::ServiceUnavailable
            | LlmErrorKind::BadRequest
            | LlmErrorKind::NoResponse
            | LlmErrorKind::Cancelled
            | LlmErrorKind::Configuration
            | LlmErrorKind::ContextWindowTooSmall => Err(failed(failure)),
        }
    }
}

/// A failed call to the model, as the end of a step.
pub(crate) fn failed(error: LlmError) -> StepError {
    ConversationError::Llm(error).into()
}
