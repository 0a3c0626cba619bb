//! A run: steps until there is a reason to stop.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use openhands_protocol::EventId;
use openhands_protocol::conversation::ExecutionStatus;
use openhands_protocol::event::{
    ConversationErrorEvent, ErrorClassification, FailureKind, MessageEvent, RejectionSource,
    Source, UserAction,
};
use openhands_protocol::message::{Message, Role};
use tokio_util::sync::CancellationToken;

use crate::agent::stuck::{self, Progress};
use crate::agent::{StepError, panic_text, step};
use crate::conversation::error::ConversationError;
use crate::conversation::transition::{Cause, Refused, next};
use crate::conversation::{Conversation, Equipment, Inner, Writer};

/// What an action is answered that was not executed because the run failed.
const NOT_EXECUTED: &str = "Tool call not executed: the run failed before it.";

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// The agent gave its answer.
    Finished,
    /// Somebody paused it.
    Paused,
    /// Somebody cut it off.
    Interrupted,
    /// Actions wait for the user.
    AwaitingConfirmation,
    /// The agent went in circles.
    Stuck,
    /// It took as many steps as it may.
    IterationLimit,
    /// It cost as much as it may.
    BudgetLimit,
    /// Something failed; the log says what.
    Failed,
    /// It stopped without an answer, and goes on when it is run again.
    Idle,
}

/// What the look before or after a step says.
enum Verdict {
    Step,
    End(RunEnd),
}

impl Conversation {
    /// Lets the agent work, in the background. [`Conversation::wait`] waits for the end. A run that is being paused, but
    /// still at its last step, goes on.
    pub async fn run(&self) -> Result<(), ConversationError> {
        self.command(|this| async move {
            match this.clone().begin_run().await {
                Err(ConversationError::Refused(Refused::AlreadyRunning)) => {
                    this.take_back_pause().await
                }
                other => other,
            }
        })
        .await
    }

    /// Lets a run go on that is being paused.
    async fn take_back_pause(self) -> Result<(), ConversationError> {
        let mut writer = self.inner.writer().await;
        let run = self.inner.run.lock().clone();
        match run {
            Some(cancel)
                if !cancel.is_cancelled() && writer.status() == ExecutionStatus::Paused =>
            {
                writer.turn(Cause::Run).await.map(drop)
            }
            // Its answer was seen before it was told that it is over: as if this had come a moment later.
            Some(_) if writer.status() == ExecutionStatus::Finished => {
                self.inner.send_full_state();
                Ok(())
            }
            Some(_) => Err(Refused::AlreadyRunning.into()),
            // It ended meanwhile.
            None => {
                drop(writer);
                self.begin_run().await
            }
        }
    }

    /// Lets the agent work. If a run is under way, it takes up what is new, or another one follows it.
    pub async fn ensure_running(&self) -> Result<(), ConversationError> {
        self.command(|this| async move {
            loop {
                match this.clone().begin_run().await {
                    Err(ConversationError::Refused(Refused::AlreadyRunning)) => {}
                    other => return other,
                }
                let mut writer = this.inner.writer().await;
                if this.inner.run.lock().is_some() {
                    // A run that still runs looks for messages before it ends; one that is about to stop does not.
                    writer.own.runs_again |= writer.status() != ExecutionStatus::Running;
                    return Ok(());
                }
            }
        })
        .await
    }

    /// Waits until no run is under way. Says how the last one ended, if there was one.
    pub async fn wait(&self) -> Option<RunEnd> {
        let mut last = self.inner.last_run.subscribe();
        loop {
            if self.inner.run.lock().is_none() {
                return *last.borrow_and_update();
            }
            if last.changed().await.is_err() {
                return None;
            }
        }
    }

    /// Lets the agent work and waits for the end.
    pub async fn run_to_end(&self) -> Result<RunEnd, ConversationError> {
        self.run().await?;
        Ok(self.wait().await.unwrap_or(RunEnd::Finished))
    }

    /// Boxed, because a run may start the next one.
    fn begin_run(self) -> BoxFuture<'static, Result<(), ConversationError>> {
        Box::pin(self.begin())
    }

    async fn begin(self) -> Result<(), ConversationError> {
        let status = self.status();
        if next(status, Cause::Run)? == status {
            // compat: a finished conversation is not run, but whoever watches hears that it is finished.
            self.inner.send_full_state();
            return Ok(());
        }
        let begun = self.claim_run().ok_or(Refused::AlreadyRunning)?;
        match self.open_run().await {
            Ok(equipment) => self.drive_on(equipment, begun),
            Err(error) => {
                self.inner.note_failure(&error, true).await;
                self.inner.end_run(RunEnd::Failed).await;
            }
        }
        Ok(())
    }

    /// Takes the place of the one run that there may be. Whoever has it drives the run, or gives the place back.
    pub(crate) fn claim_run(&self) -> Option<CancellationToken> {
        let cancel = self.inner.stop.child_token();
        {
            let mut run = self.inner.run.lock();
            if run.is_some() {
                return None;
            }
            *run = Some(cancel.clone());
        }
        self.inner.last_run.send_replace(None);
        Some(cancel)
    }

    /// Gives the place of a run back that was not begun. Under the writer: nobody has counted on it meanwhile.
    pub(crate) fn unclaim_run(&self) {
        *self.inner.run.lock() = None;
        self.inner.last_run.send_replace(Some(RunEnd::Idle));
    }

    /// Drives a run to its end, in the background. It is told already that it has begun.
    pub(crate) fn drive_on(&self, equipment: Arc<Equipment>, cancel: CancellationToken) {
        let inner = Arc::clone(&self.inner);
        self.inner.spawn_work(async move {
            loop {
                let driven = AssertUnwindSafe(inner.drive(&equipment, &cancel));
                let end = match driven.catch_unwind().await {
                    Ok(end) => end,
                    // A tool of the user's may do so when its arguments are read: the run ends, and no more.
                    Err(panic) => {
                        let text = panic_text(&*panic).to_owned();
                        inner.fail(&ConversationError::Panicked(text)).await
                    }
                };
                if inner.end_run(end).await {
                    return;
                }
            }
        });
    }

    async fn open_run(&self) -> Result<Arc<Equipment>, ConversationError> {
        let equipment = self.inner.equipment().await?;
        self.inner.introduce(&equipment).await?;
        self.inner.writer().await.turn(Cause::Run).await?;
        Ok(equipment)
    }
}

impl Inner {
    /// Steps until there is a reason to stop.
    async fn drive(&self, equipment: &Arc<Equipment>, cancel: &CancellationToken) -> RunEnd {
        let mut iteration = 0;
        let mut equipment = Arc::clone(equipment);
        loop {
            let done = self.turn_once(&mut equipment, cancel, &mut iteration).await;
            if cancel.is_cancelled() {
                return match self.note_interrupt().await {
                    Ok(()) => RunEnd::Interrupted,
                    Err(error) => self.fail(&error).await,
                };
            }
            match done {
                Ok(Verdict::Step) => {}
                Ok(Verdict::End(end)) => return end,
                Err(error) => return self.fail(&error).await,
            }
        }
    }

    async fn fail(&self, error: &ConversationError) -> RunEnd {
        let internal = ErrorClassification::lasting(FailureKind::Internal, UserAction::None);
        let answered = self
            .writer()
            .await
            .answer_open(NOT_EXECUTED, &internal)
            .await;
        if let Err(error) = answered {
            tracing::error!(conversation = %self.id, %error, "actions of a failed run cannot be answered");
        }
        self.note_failure(error, false).await;
        RunEnd::Failed
    }

    /// One look, one step, one look.
    async fn turn_once(
        &self,
        equipment: &mut Arc<Equipment>,
        cancel: &CancellationToken,
        iteration: &mut i64,
    ) -> Result<Verdict, ConversationError> {
        if let Verdict::End(end) = self.before_step(equipment, cancel).await? {
            return Ok(Verdict::End(end));
        }
        // Settings may have changed since the last step.
        *equipment = self.equipment().await?;
        let messages = self.writer().await.own.user_messages;
        match step(self, equipment, cancel).await {
            Ok(()) => {}
            Err(StepError::Cancelled) => return Ok(Verdict::Step),
            Err(StepError::Failed(error)) => return Err(error),
        }
        *iteration += 1;
        self.after_step(messages, *iteration).await
    }

    async fn before_step(
        &self,
        equipment: &Equipment,
        cancel: &CancellationToken,
    ) -> Result<Verdict, ConversationError> {
        let mut writer = self.writer().await;
        match writer.status() {
            ExecutionStatus::Paused => return Ok(Verdict::End(RunEnd::Paused)),
            ExecutionStatus::Stuck => return Ok(Verdict::End(RunEnd::Stuck)),
            ExecutionStatus::Error => return Ok(Verdict::End(RunEnd::Failed)),
            ExecutionStatus::Deleting => return Ok(Verdict::End(RunEnd::Interrupted)),
            ExecutionStatus::Finished => {
                drop(writer);
                return self.try_to_stop(equipment, cancel).await;
            }
            // A message came when the run was about to end.
            ExecutionStatus::Idle | ExecutionStatus::WaitingForConfirmation => {
                writer.turn(Cause::Run).await?;
            }
            ExecutionStatus::Running => {}
        }
        if self.state.read().stuck_detection {
            let thresholds = self.extras.stuck_thresholds;
            match stuck::progress(&writer.branch().await?.recent(), thresholds) {
                Progress::Fine => {}
                Progress::Nudge(text) => writer.say_as_environment(text).await?,
                Progress::Stuck => {
                    writer.turn(Cause::Stuck).await?;
                    return Ok(Verdict::End(RunEnd::Stuck));
                }
            }
        }
        Ok(Verdict::Step)
    }

    async fn after_step(
        &self,
        messages: u64,
        iteration: i64,
    ) -> Result<Verdict, ConversationError> {
        let mut writer = self.writer().await;
        writer.emit_held().await?;
        let limit = self.state.read().max_iterations;
        let is_last = iteration >= limit;
        let status = writer.status();
        let is_over = matches!(
            status,
            ExecutionStatus::Finished | ExecutionStatus::WaitingForConfirmation
        );
        if is_over && writer.own.user_messages != messages {
            // A message that came during the step is not lost.
            if status == ExecutionStatus::WaitingForConfirmation {
                writer
                    .reject_open("Superseded by a new user message", RejectionSource::User)
                    .await?;
            }
            let cause = if is_last { Cause::Leave } else { Cause::GoOn };
            writer.turn(cause).await?;
            writer.save().await?;
            return Ok(if is_last {
                Verdict::End(RunEnd::Idle)
            } else {
                Verdict::Step
            });
        }
        writer.save_later();
        if status == ExecutionStatus::WaitingForConfirmation {
            return Ok(Verdict::End(RunEnd::AwaitingConfirmation));
        }
        if status == ExecutionStatus::Running
            && let Some((end, code, detail, kind)) = self.limit_reached(iteration, limit)
        {
            writer.turn(Cause::Fail).await?;
            writer.emit(limit_event(code, detail, kind)).await?;
            writer.save().await?;
            return Ok(Verdict::End(end));
        }
        Ok(Verdict::Step)
    }

    /// Which limit the run has reached.
    fn limit_reached(
        &self,
        iteration: i64,
        limit: i64,
    ) -> Option<(RunEnd, &'static str, String, FailureKind)> {
        let cost: f64 = {
            let state = self.state.read();
            let metrics = state.stats.usage_to_metrics.values();
            metrics.map(|metrics| metrics.accumulated_cost).sum()
        };
        if let Some(budget) = self
            .extras
            .max_budget_per_run
            .filter(|budget| cost >= *budget)
        {
            return Some((
                RunEnd::BudgetLimit,
                "MaxBudgetReached",
                format!("Agent reached maximum budget limit (${budget:.4}): ${cost:.4} was spent."),
                FailureKind::Quota,
            ));
        }
        (iteration >= limit).then(|| {
            (
                RunEnd::IterationLimit,
                "MaxIterationsReached",
                format!("Agent reached maximum iterations limit ({limit})."),
                FailureKind::AgentAction,
            )
        })
    }

    /// Ends a run that is finished, unless a hook does not let it.
    async fn try_to_stop(
        &self,
        equipment: &Equipment,
        cancel: &CancellationToken,
    ) -> Result<Verdict, ConversationError> {
        match self.ask_stop_hooks(equipment, cancel).await? {
            None => Ok(Verdict::End(RunEnd::Finished)),
            Some(feedback) => {
                let mut writer = self.writer().await;
                writer
                    .say_as_environment(format!("[Stop hook feedback] {feedback}"))
                    .await?;
                writer.turn(Cause::GoOn).await?;
                Ok(Verdict::Step)
            }
        }
    }

    /// Writes down why a run failed. What cannot be written is at least in the program's log.
    async fn note_failure(&self, error: &ConversationError, is_error_first: bool) {
        let event = failure_event(error);
        tracing::warn!(conversation = %self.id, code = %event.code, %error, "the run failed");
        let mut writer = self.writer().await;
        let written = async {
            if is_error_first {
                // compat: the order differs when the agent could not even be made.
                writer.emit(event).await?;
                writer.turn(Cause::Fail).await?;
            } else {
                writer.turn(Cause::Fail).await?;
                writer.emit(event).await?;
            }
            writer.save().await
        };
        if let Err(error) = written.await {
            tracing::error!(conversation = %self.id, %error, "the failure of a run cannot be stored");
            self.state.write().execution_status = ExecutionStatus::Error;
        }
    }

    /// Lets go of the run, tells watchers, and starts the next one if somebody asked for it meanwhile. Says whether the
    /// run has ended; it has not if its pause was taken back at the last moment.
    async fn end_run(self: &Arc<Self>, end: RunEnd) -> bool {
        let runs_again = {
            let mut writer = self.writer().await;
            if end == RunEnd::Paused && writer.status() == ExecutionStatus::Running {
                return false;
            }
            let saved = async {
                writer.emit_held().await?;
                if writer.own.is_behind {
                    writer.save().await?;
                }
                Ok::<_, ConversationError>(())
            };
            if let Err(error) = saved.await {
                tracing::error!(conversation = %self.id, %error, "the state cannot be saved");
            }
            writer.rest();
            // Who watches may still want them.
            if !self.is_watched() {
                self.log.rest();
            }
            // Under one lock: who waits never sees the run gone and its end unknown or untold.
            let mut run = self.run.lock();
            *run = None;
            self.send_full_state();
            self.last_run.send_replace(Some(end));
            std::mem::take(&mut writer.own.runs_again)
        };
        if runs_again {
            let again = Conversation {
                inner: Arc::clone(self),
            };
            if let Err(error) = again.begin_run().await {
                tracing::debug!(%error, "the follow-up run was not needed");
            }
        }
        true
    }
}

impl Writer<'_> {
    /// Appends a message to the model that comes from no person.
    pub(crate) async fn say_as_environment(
        &mut self,
        text: impl Into<String>,
    ) -> Result<(), ConversationError> {
        self.say(Source::Environment, text).await
    }

    /// Appends a user message in somebody's name.
    pub(crate) async fn say(
        &mut self,
        source: Source,
        text: impl Into<String>,
    ) -> Result<(), ConversationError> {
        self.say_beside(None, source, text).await
    }

    /// The same, after another event than the head, if one is given.
    pub(crate) async fn say_beside(
        &mut self,
        parent: Option<EventId>,
        source: Source,
        text: impl Into<String>,
    ) -> Result<(), ConversationError> {
        let event = MessageEvent::new(source, Message::text(Role::User, text));
        self.emit_beside(parent, event).await?;
        Ok(())
    }
}

fn limit_event(code: &str, detail: String, kind: FailureKind) -> ConversationErrorEvent {
    let user_action = if kind == FailureKind::Quota {
        UserAction::Settings
    } else {
        UserAction::None
    };
    ConversationErrorEvent::new(
        code,
        detail,
        ErrorClassification::lasting(kind, user_action),
    )
}

/// What clients are told about a failure.
pub(crate) fn failure_event(error: &ConversationError) -> ConversationErrorEvent {
    let internal = ErrorClassification::lasting(FailureKind::Internal, UserAction::None);
    let (code, detail, classification) = match error {
        ConversationError::Llm(error) => {
            let detail = error.told().to_owned();
            (error.kind.code(), detail, error.classification())
        }
        // compat: the reference looks tools up in a table, and shows what the table says.
        ConversationError::Tool(error) => ("KeyError", format!("\"{error}\""), internal),
        ConversationError::Lease(error) => (
            "ConversationOwnershipLostError",
            error.to_string(),
            ErrorClassification {
                kind: FailureKind::AgentAction,
                ..internal
            },
        ),
        other => ("RuntimeError", other.to_string(), internal),
    };
    ConversationErrorEvent::new(code, detail, classification)
}
