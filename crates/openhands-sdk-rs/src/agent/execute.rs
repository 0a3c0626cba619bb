//! Executing a batch of calls: under their locks, side by side if that is allowed, each with exactly one result.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use openhands_protocol::event::{
    ActionEvent, AgentErrorEvent, ErrorClassification, FailureKind, ObservationEvent,
    RejectionSource, UserAction, UserRejectObservation,
};
use openhands_protocol::tool::{Action, Observation};
use openhands_protocol::{Event, EventId};
use openhands_tools::{CallContext, OutputSink, ToolError};
use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;

use crate::agent::step::{Step, StepError};
use crate::conversation::{Cause, ConversationError, INTERRUPTED, Live};
use crate::event_log::StoredEvent;

/// How long a tool that was told to stop is waited for. One that takes longer is left to itself.
const STOP_GRACE: Duration = Duration::from_secs(4);

/// Chunks of live output that may wait to be passed on.
const OUTPUT_BACKLOG: usize = 64;

/// What an action is answered that comes after the one that ended the turn.
const AFTER_FINISH: &str =
    "Tool call skipped: the turn was already ended by an earlier call of the same response.";

/// What an action is answered that had not begun when the run was cut off.
const NOT_BEGUN: &str = "Tool call cancelled by interrupt.";

/// What came of a call.
enum Outcome {
    Observed(Box<Observation>),
    Rejected(String),
    Failed {
        error: String,
        classification: ErrorClassification,
    },
    Interrupted,
    Broken(ConversationError),
}

impl Step<'_> {
    /// Executes actions and writes down what came of them, in their order.
    pub(crate) async fn execute(self, batch: Vec<Arc<StoredEvent>>) -> Result<(), StepError> {
        let limit = usize::try_from(self.equipment.concurrency)
            .unwrap_or(1)
            .max(1);
        let end = batch
            .iter()
            .position(|stored| finishes(stored))
            .map_or(batch.len(), |at| at + 1);
        let (run, skipped) = batch.split_at(end.min(batch.len()));
        let calls: Vec<_> = run
            .iter()
            .map(|stored| self.call(Arc::clone(stored)))
            .collect();
        let mut outcomes = stream::iter(calls).buffered(limit);
        let (mut finished, mut is_cut_off) = (None, false);
        while let Some((stored, outcome)) = outcomes.next().await {
            is_cut_off |= matches!(outcome, Outcome::Interrupted);
            let is_end = finishes(&stored) && matches!(outcome, Outcome::Observed(_));
            self.write_down(&stored, outcome).await?;
            finished = is_end.then_some(stored);
        }
        drop(outcomes);
        if is_cut_off {
            return Err(StepError::Cancelled);
        }
        for stored in skipped {
            let outcome = Outcome::Failed {
                error: AFTER_FINISH.to_owned(),
                classification: ErrorClassification::agent_action(),
            };
            self.write_down(stored, outcome).await?;
        }
        if let Some(Event::Action(finish)) = finished.as_deref().map(StoredEvent::event)
            && !self.refine(finish).await?
        {
            self.conversation.writer().await.turn(Cause::Finish).await?;
        }
        Ok(())
    }

    /// Executes one action.
    async fn call(self, stored: Arc<StoredEvent>) -> (Arc<StoredEvent>, Outcome) {
        let outcome = match stored.event() {
            Event::Action(event) => self.call_action(stored.id(), event).await,
            _ => Outcome::Interrupted,
        };
        (stored, outcome)
    }

    async fn call_action(self, id: &EventId, event: &ActionEvent) -> Outcome {
        if self.cancel.is_cancelled() {
            return Outcome::Failed {
                error: NOT_BEGUN.to_owned(),
                classification: ErrorClassification::agent_action(),
            };
        }
        let blocked = self
            .conversation
            .state
            .read()
            .blocked_actions
            .get(id)
            .cloned();
        if let Some(reason) = blocked {
            return Outcome::Rejected(reason);
        }
        let Some(action) = event.action.clone() else {
            return Outcome::Interrupted;
        };
        let Some(tool) = self.equipment.tools.definitions.get(&event.tool_name) else {
            return Outcome::Failed {
                error: format!("Tool '{}' not found.", event.tool_name),
                classification: ErrorClassification::agent_action(),
            };
        };
        let locks = tool.locks(&action);
        let _held = tokio::select! {
            held = self.equipment.locks.acquire(&locks) => held,
            () = self.cancel.cancelled() => return Outcome::Interrupted,
        };
        self.run_tool(event, action).await
    }

    /// Runs the tool in a task of its own, so that a panic in it is an answer like any other.
    #[tracing::instrument(name = "tool call", skip_all, fields(tool = %event.tool_name, call = %event.tool_call_id))]
    async fn run_tool(self, event: &ActionEvent, action: Action) -> Outcome {
        let (output, mut chunks) = if self.conversation.is_watched() {
            let (sink, chunks) = OutputSink::channel(OUTPUT_BACKLOG);
            (sink, Some(chunks))
        } else {
            (OutputSink::none(), None)
        };
        let cx = CallContext {
            call: event.tool_call_id.clone(),
            conversation: self.conversation.id,
            env: self.conversation.secrets.env_for_action(&action).await,
            output,
            cancel: self.cancel.child_token(),
        };
        let equipment = Arc::clone(self.equipment);
        let name = event.tool_name.clone();
        let mut task = AbortOnDropHandle::new(tokio::spawn(async move {
            equipment.execute(&name, action, cx).await
        }));
        let mut masker = self.known_masker().stream();
        let done = loop {
            let chunk = async {
                match &mut chunks {
                    Some(chunks) => chunks.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                done = &mut task => break done,
                chunk = chunk => match chunk {
                    Some(chunk) => {
                        let text = masker.feed(&String::from_utf8_lossy(&chunk));
                        if !text.is_empty() {
                            self.conversation.send(Live::Output {
                                call: event.tool_call_id.clone(),
                                chunk: text.into(),
                            });
                        }
                    }
                    None => chunks = None,
                },
                () = self.cancel.cancelled() => {
                    // The tool was told by its own token. What it still says does not count.
                    let _ = tokio::time::timeout(STOP_GRACE, &mut task).await;
                    return Outcome::Interrupted;
                }
            }
        };
        match done {
            Ok(_) if self.cancel.is_cancelled() => Outcome::Interrupted,
            Ok(Ok(observation)) => Outcome::Observed(Box::new(observation)),
            Ok(Err(ToolError::Cancelled)) => Outcome::Interrupted,
            Ok(Err(ToolError::Fatal(error))) => {
                Outcome::Broken(ConversationError::BrokenTool(error.to_string()))
            }
            Ok(Err(error @ (ToolError::Invalid(_) | ToolError::Failed(_)))) => {
                tool_failed(&event.tool_name, &error.to_string())
            }
            Err(ended) => tool_failed(&event.tool_name, &why_it_ended(ended)),
        }
    }

    /// Writes down what came of an action.
    async fn write_down(
        self,
        stored: &Arc<StoredEvent>,
        outcome: Outcome,
    ) -> Result<(), StepError> {
        let Event::Action(action) = stored.event() else {
            return Ok(());
        };
        match outcome {
            Outcome::Observed(observation) => self.write_observation(action, *observation).await,
            Outcome::Rejected(reason) => self.write_rejection(stored.id(), action, reason).await,
            Outcome::Failed {
                error,
                classification,
            } => self.write_error(action, &error, classification).await,
            Outcome::Interrupted => {
                self.write_error(action, INTERRUPTED, ErrorClassification::agent_action())
                    .await
            }
            Outcome::Broken(error) => {
                let text = tool_error(&action.tool_name, &error.to_string());
                self.write_error(action, &text, internal()).await?;
                Err(StepError::Failed(error))
            }
        }
    }

    async fn write_error(
        self,
        action: &ActionEvent,
        error: &str,
        classification: ErrorClassification,
    ) -> Result<(), StepError> {
        let error = self.masker().await.mask(error).into_owned();
        let event = AgentErrorEvent::answering(action, error, classification);
        self.conversation.writer().await.emit(event).await?;
        Ok(())
    }

    async fn write_observation(
        self,
        action: &ActionEvent,
        mut observation: Observation,
    ) -> Result<(), StepError> {
        self.masker().await.mask_observation(&mut observation);
        let mut event = ObservationEvent::answering(action, observation);
        self.apply_path_rules(action, &mut event).await?;
        self.announce_observation(action, event).await
    }

    async fn write_rejection(
        self,
        id: &EventId,
        action: &ActionEvent,
        reason: String,
    ) -> Result<(), StepError> {
        let mut writer = self.conversation.writer().await;
        let blocked = {
            let mut state = self.conversation.state.write();
            state.blocked_actions.shift_remove(id);
            state.blocked_actions.clone()
        };
        writer.tell("blocked_actions", &blocked).await?;
        writer
            .emit(UserRejectObservation::answering(
                action,
                reason,
                RejectionSource::Hook,
            ))
            .await?;
        Ok(())
    }
}

/// Whether the action ends the agent's turn.
fn finishes(stored: &StoredEvent) -> bool {
    matches!(stored.event(), Event::Action(action) if matches!(action.action, Some(Action::Finish(_))))
}

fn tool_failed(tool: &str, text: &str) -> Outcome {
    Outcome::Failed {
        error: tool_error(tool, text),
        classification: internal(),
    }
}

fn tool_error(tool: &str, text: &str) -> String {
    format!("Error executing tool '{tool}': {text}")
}

fn internal() -> ErrorClassification {
    ErrorClassification::lasting(FailureKind::Internal, UserAction::None)
}

/// Why a task has no result: what it said when it panicked.
fn why_it_ended(ended: JoinError) -> String {
    match ended.try_into_panic() {
        Ok(panic) => panic_text(&*panic).to_owned(),
        Err(cancelled) => cancelled.to_string(),
    }
}

/// What was said in a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it panicked")
}
