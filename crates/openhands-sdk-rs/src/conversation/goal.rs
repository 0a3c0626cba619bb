//! The goal loop: the agent works, a judge looks, and the agent works on what is missing.

use std::sync::Arc;

use openhands_llm::ChatRequest;
use openhands_protocol::Event;
use openhands_protocol::conversation::{GoalState, GoalStatus, GoalVerdict};
use openhands_protocol::message::{Content, Message, Role};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::conversation::{Conversation, ConversationError, RunEnd};

/// How many events are looked at for a goal that was under way when the process ended.
const LOOK_BACK: u64 = 256;

const JUDGE: &str = "\
You check whether an objective was reached. You get the objective and a transcript of an agent's work. Believe only what the \
transcript shows: output of commands, contents of files, results of tests. What the agent merely says it did counts as not done. \
If a part of the objective was not tried or its result was not shown, the objective is not complete.\n\n\
Answer with one JSON object and nothing else:\n\
{\"score\": <0 to 1, how likely all of the objective is done>, \"complete\": <true or false>, \"missing\": \"<what is left to do, \
empty if nothing>\"}";

/// A goal that is under way.
#[derive(Debug)]
pub(crate) struct GoalLoop {
    cancel: CancellationToken,
    /// Cancelled when the loop has ended.
    over: CancellationToken,
}

impl Conversation {
    /// Lets the agent work until a judge finds the objective reached, for at most `max_iterations` rounds.
    pub async fn start_goal(
        &self,
        objective: &str,
        max_iterations: i64,
    ) -> Result<(), ConversationError> {
        let objective = objective.trim();
        if objective.is_empty() {
            return Err(ConversationError::Goal("Goal objective must not be empty."));
        }
        let status = GoalStatus {
            active: true,
            status: GoalState::Running,
            iteration: 0,
            max_iterations: max_iterations.max(1),
            objective: objective.to_owned(),
            verdict: None,
            ..GoalStatus::default()
        };
        self.begin_goal(status, objective.to_owned()).await
    }

    /// Goes on with a goal that was interrupted.
    pub async fn resume_goal(&self) -> Result<(), ConversationError> {
        let resumable = self
            .last_goal(u64::MAX)
            .await?
            .filter(|goal| matches!(goal.status, GoalState::Interrupted));
        let Some(mut goal) = resumable else {
            return Err(ConversationError::Goal("no_resumable_goal"));
        };
        goal.active = true;
        goal.status = GoalState::Running;
        let text = follow_up(&goal);
        self.begin_goal(goal, text).await
    }

    /// Ends a goal loop, if there is one. The run of the present round is paused.
    pub async fn stop_goal(&self) -> Result<(), ConversationError> {
        let cancel = self
            .inner
            .goal
            .lock()
            .as_ref()
            .map(|goal| goal.cancel.clone());
        if let Some(cancel) = cancel {
            cancel.cancel();
            self.pause().await?;
        }
        Ok(())
    }

    /// Whether a goal loop is under way.
    pub fn has_goal(&self) -> bool {
        self.inner.goal.lock().is_some()
    }

    /// Whether a run or a goal loop is under way.
    pub fn is_active(&self) -> bool {
        self.inner.run.lock().is_some() || self.has_goal()
    }

    /// Waits until neither a run nor a goal loop is under way.
    pub async fn wait_for_rest(&self) {
        while self.is_active() {
            self.wait().await;
            let over = self
                .inner
                .goal
                .lock()
                .as_ref()
                .map(|goal| goal.over.clone());
            if let Some(over) = over {
                over.cancelled().await;
            }
        }
    }

    /// A user spoke: the goal is no longer what counts.
    pub(crate) fn user_spoke(&self) {
        if let Some(goal) = &*self.inner.goal.lock() {
            goal.cancel.cancel();
        }
    }

    async fn begin_goal(&self, status: GoalStatus, text: String) -> Result<(), ConversationError> {
        let (cancel, over) = (CancellationToken::new(), CancellationToken::new());
        {
            let mut goal = self.inner.goal.lock();
            if goal.is_some() || self.inner.run.lock().is_some() {
                return Err(ConversationError::Goal(
                    "Conversation run or goal loop already running.",
                ));
            }
            *goal = Some(GoalLoop {
                cancel: cancel.clone(),
                over: over.clone(),
            });
        }
        // Whatever happens, nobody waits for a loop that is not there.
        let over = over.drop_guard();
        if let Err(error) = self.tell_goal(&status).await {
            *self.inner.goal.lock() = None;
            return Err(error);
        }
        let this = self.clone();
        self.inner.spawn_work(async move {
            let _over = over;
            let ended = this.pursue(status, text, &cancel).await;
            *this.inner.goal.lock() = None;
            if let Err(error) = ended {
                tracing::warn!(conversation = %this.id(), %error, "the goal loop failed");
            }
        });
        Ok(())
    }

    async fn pursue(
        &self,
        mut goal: GoalStatus,
        mut text: String,
        cancel: &CancellationToken,
    ) -> Result<(), ConversationError> {
        loop {
            let done = self.round(&goal.objective, &text, cancel).await;
            let verdict = match done {
                Ok(Some(verdict)) if !cancel.is_cancelled() => verdict,
                Ok(_) | Err(_) => {
                    goal.active = false;
                    goal.status = GoalState::Interrupted;
                    self.tell_goal(&goal).await?;
                    return done.map(drop);
                }
            };
            goal.iteration += 1;
            if verdict.complete {
                goal.active = false;
                goal.status = GoalState::Complete;
            } else if goal.iteration >= goal.max_iterations {
                goal.active = false;
                goal.status = GoalState::Capped;
            }
            goal.verdict = Some(verdict);
            self.tell_goal(&goal).await?;
            if !goal.active {
                return Ok(());
            }
            text = follow_up(&goal);
        }
    }

    /// One round: the agent works, the judge looks. None if the round did not come to its end.
    async fn round(
        &self,
        objective: &str,
        text: &str,
        cancel: &CancellationToken,
    ) -> Result<Option<GoalVerdict>, ConversationError> {
        self.send_for_goal(Message::text(Role::User, text)).await?;
        self.ensure_running().await?;
        let end = tokio::select! {
            end = self.wait() => end,
            () = cancel.cancelled() => return Ok(None),
        };
        if end != Some(RunEnd::Finished) && end != Some(RunEnd::Stuck) {
            return Ok(None);
        }
        self.judge(objective, cancel).await.map(Some)
    }

    async fn judge(
        &self,
        objective: &str,
        cancel: &CancellationToken,
    ) -> Result<GoalVerdict, ConversationError> {
        let equipment = self.inner.equipment().await?;
        let messages = self.inner.writer().await.branch().await?.view.messages();
        let question = format!(
            "<OBJECTIVE>\n{objective}\n</OBJECTIVE>\n\n<TRANSCRIPT>\n{}\n</TRANSCRIPT>",
            transcript(&messages)
        );
        let mut request = ChatRequest::new([
            Message::text(Role::System, JUDGE),
            Message::text(Role::User, question),
        ]);
        request.options.stream = Some(false);
        let answer = equipment.model.complete(request, cancel.clone()).await?;
        // compat: the judge's calls are booked with the agent's own.
        self.inner.book(&equipment.llm, &answer).await?;
        Ok(verdict(&Content::join_text(&answer.message.content)))
    }

    async fn tell_goal(&self, goal: &GoalStatus) -> Result<(), ConversationError> {
        let goal = goal.clone();
        self.command(
            |this| async move { this.inner.writer().await.tell_whole("goal", &goal).await },
        )
        .await
    }

    /// What was last said about a goal, within the last `look_back` events.
    async fn last_goal(&self, look_back: u64) -> Result<Option<GoalStatus>, ConversationError> {
        let log = &self.inner.log;
        let first = log.len().saturating_sub(look_back);
        for index in (first..log.len()).rev() {
            if log.kind_at(index).as_deref() != Some("ConversationStateUpdateEvent") {
                continue;
            }
            for stored in log.range(index..index + 1).await? {
                if let Event::StateUpdate(update) = stored.event()
                    && update.key == "goal"
                {
                    return Ok(serde_json::from_value(update.value.0.clone()).ok());
                }
            }
        }
        Ok(None)
    }

    /// A goal that was under way when the process ended is interrupted.
    pub(crate) async fn recover_goal(&self) -> Result<(), ConversationError> {
        if let Some(mut goal) = self.last_goal(LOOK_BACK).await?
            && goal.active
        {
            goal.active = false;
            goal.status = GoalState::Interrupted;
            self.tell_goal(&goal).await?;
        }
        Ok(())
    }
}

/// What the agent is told when the judge is not satisfied.
fn follow_up(goal: &GoalStatus) -> String {
    let missing = goal
        .verdict
        .as_ref()
        .map(|verdict| verdict.missing.trim())
        .filter(|missing| !missing.is_empty())
        .unwrap_or("The work so far does not show that the objective was reached.");
    format!(
        "The objective is not reached yet (round {} of {}).\n\nObjective: {}\n\nWhat is missing: {missing}\n\nGo on until \
         it is done, and show by commands and their output that it is.",
        goal.iteration, goal.max_iterations, goal.objective
    )
}

/// The conversation as text for the judge, without what the agent was told at the start.
fn transcript(messages: &[Arc<Message>]) -> String {
    let turns = messages
        .iter()
        .filter(|message| message.role != Role::System);
    let texts = turns.filter_map(|message| {
        let text = Content::join_text(&message.content);
        let calls = message.tool_calls.iter().flatten();
        let calls: Vec<String> = calls
            .map(|call| format!("[calls {} with {}]", call.name, call.arguments))
            .collect();
        let whole = [text.trim().to_owned()]
            .into_iter()
            .chain(calls)
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("\n");
        (!whole.is_empty()).then(|| format!("{}: {whole}", message.role))
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// What the judge said. An answer that cannot be read counts as not complete.
fn verdict(answer: &str) -> GoalVerdict {
    let block = answer
        .find('{')
        .zip(answer.rfind('}'))
        .and_then(|(first, last)| answer.get(first..=last));
    let read = [Some(answer.trim()), block]
        .into_iter()
        .flatten()
        .find_map(|text| match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Some(members),
            Ok(_) | Err(_) => None,
        });
    let Some(read) = read else {
        return GoalVerdict {
            missing: "Judge verdict could not be parsed.".to_owned(),
            ..GoalVerdict::default()
        };
    };
    let score = match read.get("score") {
        Some(Value::Number(number)) => number.as_f64().unwrap_or(0.0),
        Some(Value::String(text)) => text.trim().parse().unwrap_or(0.0),
        Some(_) | None => 0.0,
    };
    let score = if score.is_nan() {
        0.0
    } else {
        score.clamp(0.0, 1.0)
    };
    GoalVerdict {
        score,
        complete: match read.get("complete") {
            Some(Value::Bool(complete)) => *complete,
            Some(_) | None => score >= 1.0,
        },
        missing: read
            .get("missing")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        ..GoalVerdict::default()
    }
}

#[cfg(test)]
#[path = "goal_tests.rs"]
mod tests;
