//! Taking a conversation up after its process ended in the middle: the state is mended from the log, and what was under way is answered.

use std::path::Path;

use openhands_protocol::conversation::{
    ConversationState, ConversationStatsSnapshot, ExecutionStatus,
};
use openhands_protocol::event::{
    ConversationStateUpdateEvent, ErrorClassification, FailureKind, Source, UserAction,
};
use openhands_protocol::llm::TokenUsage;
use openhands_protocol::{Event, Json};
use serde::de::DeserializeOwned;

use crate::conversation::transition::Cause;
use crate::conversation::{Conversation, ConversationError, Inner};
use crate::event_log::{EventStore as _, FileStore, Lease};

/// How many of the last events are looked at for what the state lacks. More than a step writes.
const LOOK_BACK: usize = 32;

/// What an action is answered whose tool was at work when the process ended.
const RESTARTED: &str = "A restart occurred while this tool was in progress. This may indicate a fatal memory error or system crash. The tool execution was interrupted and did not complete.";

/// What a conversation was doing when its process was killed, as the end of its log tells. None for one that was closed in good order,
/// whose saved state is all that there is to know, and where the log does not tell.
pub fn status_when_killed(directory: &Path) -> Option<ExecutionStatus> {
    if !Lease::is_left_in(directory) {
        return None;
    }
    let store = FileStore::reader(directory);
    let ids = store.list().ok()?.ids;
    let last = ids.iter().enumerate().rev().take(LOOK_BACK);
    let mut events = last.map(|(index, id)| {
        let json = store.read(index as u64, id).ok()?;
        serde_json::from_slice::<Event>(&json).ok()
    });
    let newest = events.next()?;
    if newest.as_ref().is_some_and(is_begun_by) {
        return Some(ExecutionStatus::Running);
    }
    std::iter::once(newest)
        .chain(events)
        .find_map(|event| match event? {
            Event::StateUpdate(update) if update.key == "execution_status" => read(&update.value),
            _ => None,
        })
}

impl Conversation {
    /// Takes from the log what it is ahead of the state: a state is saved somewhat later than its changes are told.
    pub(crate) async fn mend_state(&self) -> Result<(), ConversationError> {
        let log = &self.inner.log;
        let len = log.len();
        let saved_as_of = log.saved_as_of().unwrap_or(len);
        let from = saved_as_of.min(len.saturating_sub(LOOK_BACK as u64));
        let tail = log.range(from..len).await?;
        let mut state = self.inner.state.write();
        let mut stats = None;
        for stored in &tail {
            let Event::StateUpdate(update) = stored.event() else {
                continue;
            };
            if update.key == "stats" {
                stats = Some(&update.value);
            } else if stored.index() >= saved_as_of {
                take_up(&mut state, update);
            }
        }
        if let Some(sums) = stats.and_then(read::<ConversationStatsSnapshot>) {
            raise_sums(&mut state, sums);
        }
        if let Some(stored) = tail.last()
            && stored.index() >= saved_as_of
            && is_begun_by(stored.event())
        {
            state.last_user_message_id = Some(stored.id().clone());
            state.execution_status = ExecutionStatus::Running;
        }
        Ok(())
    }

    /// Answers what was under way when the process that ran the conversation ended.
    pub(crate) async fn recover(&self) -> Result<(), ConversationError> {
        let status = self.status();
        if status == ExecutionStatus::WaitingForConfirmation {
            return Ok(());
        }
        if !self.inner.may_have_open_actions() && status != ExecutionStatus::Running {
            return Ok(());
        }
        let mut writer = self.inner.writer().await;
        let internal = ErrorClassification::lasting(FailureKind::Internal, UserAction::None);
        writer.turn(Cause::Recover).await?;
        writer.answer_open(RESTARTED, &internal).await?;
        writer.save().await?;
        writer.forget_branch();
        Ok(())
    }
}

impl Inner {
    /// Whether there may be an action without a result. Looks at kinds only, which needs no bodies.
    fn may_have_open_actions(&self) -> bool {
        let actions = self.log.count_kinds(|kind| kind == "ActionEvent");
        let results = self.log.count_kinds(|kind| {
            matches!(
                kind,
                "ObservationEvent" | "UserRejectObservation" | "AgentErrorEvent"
            )
        });
        actions != results
    }
}

/// Whether a run has begun with an event that is the very last one of a log: a user's message is alone only when it begins one, and for no more
/// than a moment. What goes with it is stored a little later.
fn is_begun_by(last: &Event) -> bool {
    matches!(last, Event::Message(message) if message.header.source == Source::User)
}

/// Takes up a change that the log tells of. Settings are not among them: they are saved at once.
fn take_up(state: &mut ConversationState, update: &ConversationStateUpdateEvent) {
    let value = &update.value;
    match update.key.as_str() {
        "execution_status" => put(&mut state.execution_status, value),
        "last_user_message_id" => put(&mut state.last_user_message_id, value),
        "activated_knowledge_skills" => put(&mut state.activated_knowledge_skills, value),
        "activated_path_rules" => put(&mut state.activated_path_rules, value),
        "invoked_skills" => put(&mut state.invoked_skills, value),
        "blocked_actions" => put(&mut state.blocked_actions, value),
        "blocked_messages" => put(&mut state.blocked_messages, value),
        "agent_state" => put(&mut state.agent_state, value),
        _ => {}
    }
}

/// A value that makes no sense changes nothing.
fn put<T: DeserializeOwned>(field: &mut T, value: &Json) {
    if let Some(value) = read(value) {
        *field = value;
    }
}

fn read<T: DeserializeOwned>(value: &Json) -> Option<T> {
    serde_json::from_value(value.0.clone()).ok()
}

/// Raises the sums of what models used to those that were told last.
fn raise_sums(state: &mut ConversationState, sums: ConversationStatsSnapshot) {
    for (id, sum) in sums.usage_to_metrics {
        let known = state.stats.usage_to_metrics.entry(id).or_default();
        let tokens = |usage: &Option<TokenUsage>| {
            let usage = usage.as_ref();
            usage.map_or(0, |usage| {
                usage.prompt_tokens.saturating_add(usage.completion_tokens)
            })
        };
        if tokens(&sum.accumulated_token_usage) > tokens(&known.accumulated_token_usage) {
            known.model_name = sum.model_name;
            known.accumulated_cost = known.accumulated_cost.max(sum.accumulated_cost);
            known.accumulated_token_usage = sum.accumulated_token_usage;
        }
    }
}
