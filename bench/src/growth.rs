//! Makes a stored conversation longer, while its server does not run: the events of its last step are repeated with new ids.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::Value;

/// Adds steps until the log has this many events.
pub(crate) fn grow(conversation: &Path, length: usize) -> anyhow::Result<()> {
    let directory = conversation.join("events");
    let stored = stored_events(&directory)?;
    let step = Step::last_of(&stored)?;
    let state_file = conversation.join("base_state.json");
    let mut state: Value = serde_json::from_slice(&fs::read(&state_file)?)?;
    let mut leaf = state
        .get("leaf_event_id")
        .and_then(Value::as_str)
        .context("the conversation has no events")?
        .to_owned();
    let (mut count, mut steps) = (stored.len(), 0);
    while count + 3 <= length {
        steps += 1;
        let events = step.again(&leaf, steps);
        id_of(events.get(1).context("no observation")?)?.clone_into(&mut leaf);
        for event in events {
            let name = format!("event-{count:05}-{}.json", id_of(&event)?);
            fs::write(directory.join(name), serde_json::to_vec(&event)?)?;
            count += 1;
        }
    }
    let marker = format!(".eventlog-len-{}.marker", stored.len());
    if directory.join(&marker).exists() {
        fs::remove_file(directory.join(&marker))?;
        fs::write(directory.join(format!(".eventlog-len-{count}.marker")), "")?;
    }
    set(&mut state, "leaf_event_id", leaf);
    repeat_statistics(&mut state, steps);
    fs::write(&state_file, serde_json::to_vec(&state)?)?;
    Ok(())
}

fn id_of(event: &Value) -> anyhow::Result<&str> {
    event
        .get("id")
        .and_then(Value::as_str)
        .context("an event has no id")
}

/// All events, in order.
fn stored_events(directory: &Path) -> anyhow::Result<Vec<Value>> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| Ok(entry?.path()))
        .collect::<anyhow::Result<_>>()?;
    files.retain(|file| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("event-"))
    });
    files.sort();
    files
        .iter()
        .map(|file| Ok(serde_json::from_slice(&fs::read(file)?)?))
        .collect()
}

/// What a step leaves in the log.
#[derive(Debug)]
struct Step {
    action: Value,
    observation: Value,
    statistics: Value,
}

impl Step {
    fn last_of(events: &[Value]) -> anyhow::Result<Self> {
        let last = |is: &dyn Fn(&Value) -> bool| events.iter().rev().find(|event| is(event));
        let has = |event: &Value, name: &str, value: &str| {
            event.get(name).and_then(Value::as_str) == Some(value)
        };
        let observation =
            last(&|event| has(event, "kind", "ObservationEvent")).context("no observation")?;
        let action = last(&|event| {
            has(event, "kind", "ActionEvent") && event.get("id") == observation.get("action_id")
        })
        .context("no action")?;
        let statistics =
            last(&|event| has(event, "key", "stats")).context("no update of the statistics")?;
        let (action, observation, statistics) =
            (action.clone(), observation.clone(), statistics.clone());
        Ok(Self {
            action,
            observation,
            statistics,
        })
    }

    /// The same events after this one, as those of another step.
    fn again(&self, leaf: &str, number: usize) -> [Value; 3] {
        let new_id = || uuid::Uuid::new_v4().to_string();
        let (action_id, observation_id) = (new_id(), new_id());
        let call = format!("call_again_{number}");
        let mut action = self.action.clone();
        set(&mut action, "id", action_id.as_str());
        set(&mut action, "parent_id", leaf);
        set(&mut action, "tool_call_id", call.as_str());
        if let Some(tool_call) = action.get_mut("tool_call") {
            set(tool_call, "id", call.as_str());
        }
        let response = format!("chatcmpl-again-{number}");
        set(&mut action, "llm_response_id", response);
        let mut observation = self.observation.clone();
        set(&mut observation, "id", observation_id.as_str());
        set(&mut observation, "parent_id", action_id.as_str());
        set(&mut observation, "action_id", action_id);
        set(&mut observation, "tool_call_id", call);
        let mut statistics = self.statistics.clone();
        set(&mut statistics, "id", new_id());
        set(&mut statistics, "parent_id", observation_id);
        [action, observation, statistics]
    }
}

fn set(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value.into());
    }
}

/// The state has an entry for each call to the model.
fn repeat_statistics(state: &mut Value, times: usize) {
    let Some(metrics) = state
        .pointer_mut("/stats/usage_to_metrics")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    for metrics in metrics.values_mut() {
        for name in ["costs", "response_latencies", "token_usages"] {
            if let Some(list) = metrics.get_mut(name).and_then(Value::as_array_mut)
                && let Some(last) = list.last().cloned()
            {
                list.extend(std::iter::repeat_n(last, times));
            }
        }
    }
}

#[cfg(test)]
#[path = "growth_tests.rs"]
mod tests;
