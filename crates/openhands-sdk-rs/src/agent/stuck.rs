//! Noticing that an agent goes in circles, from the events alone.

use openhands_protocol::Event;
use openhands_protocol::event::{ActionEvent, AgentErrorEvent, MessageEvent, Source};
use openhands_protocol::tool::Observation;

/// How many of the latest events are looked at.
const WINDOW: usize = 20;

/// How often something may repeat. Each is at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// Equal actions with equal answers.
    pub action_observation: usize,
    /// Equal actions that fail: so many bring a nudge, one more is stuck.
    pub action_error: usize,
    /// Messages of the agent in a row.
    pub monologue: usize,
    /// Two actions in turn.
    pub alternating_pattern: usize,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            action_observation: 4,
            action_error: 3,
            monologue: 3,
            alternating_pattern: 6,
        }
    }
}

/// What the events show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Nothing repeats.
    Fine,
    /// The same call keeps failing; the model should be told this, once.
    Nudge(String),
    /// The run should end.
    Stuck,
}

/// Looks at the latest events of the active branch, oldest first.
pub fn progress(events: &[&Event], thresholds: Thresholds) -> Progress {
    let latest = events
        .get(events.len().saturating_sub(WINDOW)..)
        .unwrap_or_default();
    let start = latest
        .iter()
        .rposition(|event| is_user_message(event))
        .map_or(0, |at| at + 1);
    let events = latest.get(start..).unwrap_or_default();
    let least = [
        thresholds.action_observation,
        thresholds.action_error,
        thresholds.monologue,
        thresholds.alternating_pattern,
    ];
    if least
        .into_iter()
        .min()
        .is_some_and(|least| events.len() < least)
    {
        return Progress::Fine;
    }
    let calls = calls(events);
    if repeats_answers(&calls, thresholds.action_observation)
        || talks_to_itself(events, thresholds.monologue)
        || alternates(&calls, thresholds.alternating_pattern)
    {
        return Progress::Stuck;
    }
    failing(events, &calls, thresholds.action_error)
}

fn is_user_message(event: &Event) -> bool {
    matches!(event, Event::Message(MessageEvent { header, .. }) if header.source == Source::User)
}

/// A call and what came of it.
#[derive(Clone, Copy)]
struct Call<'a> {
    action: &'a ActionEvent,
    answer: Answer<'a>,
}

#[derive(Clone, Copy, PartialEq)]
enum Answer<'a> {
    Observation(&'a Observation),
    Error(&'a str),
}

/// Answered calls in the order of their answers. A rejection is the user's doing, and no sign of a loop.
fn calls<'a>(events: &[&'a Event]) -> Vec<Call<'a>> {
    let action_of = |tool_call_id: &openhands_protocol::ToolCallId| {
        events.iter().find_map(|event| match event {
            Event::Action(action) if action.tool_call_id == *tool_call_id => Some(action),
            _ => None,
        })
    };
    events
        .iter()
        .filter_map(|event| match event {
            Event::Observation(observed) => Some(Call {
                action: action_of(&observed.tool_call_id)?,
                answer: Answer::Observation(&observed.observation),
            }),
            Event::AgentError(AgentErrorEvent {
                tool_call_id,
                error,
                ..
            }) => Some(Call {
                action: action_of(tool_call_id)?,
                answer: Answer::Error(error),
            }),
            _ => None,
        })
        .collect()
}

/// Equality of what the model meant: ids and times do not count.
fn same_action(one: &ActionEvent, other: &ActionEvent) -> bool {
    one.tool_name == other.tool_name
        && one.thought == other.thought
        && one.action == other.action
        // A call that could not be read is told apart by its text.
        && (one.action.is_some() || one.tool_call.arguments == other.tool_call.arguments)
}

fn same_call(one: &Call<'_>, other: &Call<'_>) -> bool {
    same_action(one.action, other.action) && one.answer == other.answer
}

/// The last `count` items, if there are so many.
fn last<T>(items: &[T], count: usize) -> Option<&[T]> {
    items.get(items.len().checked_sub(count)?..)
}

fn repeats_answers(calls: &[Call<'_>], threshold: usize) -> bool {
    let Some([first, rest @ ..]) = last(calls, threshold) else {
        return false;
    };
    matches!(first.answer, Answer::Observation(_)) && rest.iter().all(|call| same_call(first, call))
}

/// Agent messages with nothing between them but what the surroundings say and summaries.
fn talks_to_itself(events: &[&Event], threshold: usize) -> bool {
    let mut count = 0;
    for event in events.iter().rev() {
        match event {
            Event::Message(message) if message.header.source == Source::Agent => count += 1,
            Event::Message(message) if message.header.source == Source::Environment => {}
            Event::CondensationSummary(_) => {}
            _ => break,
        }
    }
    count >= threshold
}

/// Two calls in turn: each is the same as the one before the last.
fn alternates(calls: &[Call<'_>], threshold: usize) -> bool {
    let Some(latest) = last(calls, threshold) else {
        return false;
    };
    latest.len() > 2
        && latest
            .iter()
            .zip(latest.iter().skip(2))
            .all(|(one, other)| same_call(one, other))
}

/// The same action failing again and again, whatever the errors say.
fn failing(events: &[&Event], calls: &[Call<'_>], threshold: usize) -> Progress {
    let Some(newest) = calls.last() else {
        return Progress::Fine;
    };
    let Answer::Error(error) = newest.answer else {
        return Progress::Fine;
    };
    let streak = calls
        .iter()
        .rev()
        .take_while(|call| {
            matches!(call.answer, Answer::Error(_)) && same_action(call.action, newest.action)
        })
        .count();
    if streak > threshold {
        return Progress::Stuck;
    }
    if streak < threshold || was_nudged(events) {
        return Progress::Fine;
    }
    Progress::Nudge(format!(
        "The tool `{}` was called {streak} times in a row with the same arguments, and each call failed. The last error \
         was: {error}\nThe same call will fail again. Change the arguments to meet what the error says, or go about it \
         in another way.",
        newest.action.tool_name
    ))
}

/// Whether the surroundings have spoken since the last error.
fn was_nudged(events: &[&Event]) -> bool {
    events
        .iter()
        .rev()
        .take_while(|event| !matches!(event, Event::AgentError(_)))
        .any(|event| matches!(event, Event::Message(message) if message.header.source == Source::Environment))
}

#[cfg(test)]
#[path = "stuck_tests.rs"]
mod tests;
