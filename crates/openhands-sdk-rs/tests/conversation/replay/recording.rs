//! A recording of the reference server, in the order in which things were done.
//!
//! An answer was noted when it came, so what a call caused may stand before it. Here a call stands before its effects.

use std::collections::{HashSet, VecDeque};
use std::path::PathBuf;

use serde_json::{Value, json};

/// A line of a recording.
#[derive(Debug, Clone)]
pub(crate) enum Entry {
    /// Somebody asked the server for something.
    Call(Call),
    /// Somebody who watched got this.
    Frame(Value),
}

/// A request and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) request: Value,
    pub(crate) status: u64,
    pub(crate) response: Value,
}

impl Call {
    /// A message with `run` that came in another way than by a request.
    pub(crate) fn spoken(conversation: &str, text: &str) -> Self {
        Self {
            method: "POST".to_owned(),
            path: format!("/api/conversations/{conversation}/events"),
            request: json!({"role": "user", "content": [{"type": "text", "text": text}], "run": true}),
            status: 200,
            response: json!({"success": true}),
        }
    }

    /// The conversation it is about, as the recording names it.
    pub(crate) fn conversation(&self) -> Option<&str> {
        self.path
            .strip_prefix("/api/conversations/")?
            .split(['/', '?'])
            .next()
    }

    /// What is asked of the conversation: `POST events`, `GET`.
    pub(crate) fn verb(&self) -> String {
        let path = self.path.split('?').next().unwrap();
        let what = path.split('/').skip(4).collect::<Vec<_>>().join("/");
        format!("{} {what}", self.method).trim_end().to_owned()
    }

    /// A parameter of the query.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let (_, query) = self.path.split_once('?')?;
        query
            .split('&')
            .find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    /// Whether a frame right before the answer is an effect of the call. `seen` are those already counted as such.
    fn caused(&self, frame: &Value, seen: &[Value]) -> bool {
        let name = name_of(frame);
        let states = seen.iter().filter(|frame| is_full_state(frame)).count();
        let is_paused_state = is_full_state(frame) && states == 0;
        match self.verb().as_str() {
            "POST events" => matches!(
                name.as_str(),
                "S(last_user_message_id)"
                    | "Message(user)"
                    | "SystemPromptEvent"
                    | "S(idle)"
                    | "S(hook_config)"
            ),
            "POST pause" => is_paused_state || matches!(name.as_str(), "PauseEvent" | "S(paused)"),
            "POST interrupt" => {
                is_full_state(frame) && states < 2
                    || matches!(
                        name.as_str(),
                        "InterruptEvent" | "S(paused)" | "AgentErrorEvent"
                    )
            }
            "DELETE" => {
                is_paused_state
                    || matches!(name.as_str(), "InterruptEvent" | "PauseEvent" | "S(paused)")
            }
            "POST events/respond_to_confirmation" => {
                self.request["accept"] == json!(false)
                    && matches!(name.as_str(), "UserRejectObservation" | "S(idle)")
            }
            "POST condense" => matches!(name.as_str(), "Condensation" | "CondensationRequest"),
            "POST confirmation_policy" => name == "S(confirmation_policy)",
            "POST security_analyzer" => name == "S(security_analyzer)",
            "PATCH" => name == "S(tags)",
            _ => false,
        }
    }
}

/// The recording of this name, without what belongs to sockets alone.
pub(crate) fn read(name: &str) -> VecDeque<Entry> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../openhands-protocol/tests/fixtures/transcripts/core")
        .join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let recording: Value = serde_json::from_str(&text).unwrap();
    let log = recording["log"].as_array().unwrap();
    let mut entries: Vec<Entry> = Vec::new();
    for line in log {
        match line["dir"].as_str().unwrap() {
            "ws<" if line["event"]["kind"] == "ServerErrorEvent" => {}
            "ws<" => push_frame(&mut entries, line["event"].clone()),
            "http" => push_call(
                &mut entries,
                Call {
                    method: line["method"].as_str().unwrap().to_owned(),
                    path: line["path"].as_str().unwrap().to_owned(),
                    request: line["request"].clone(),
                    status: line["status"].as_u64().unwrap(),
                    response: line["response"].clone(),
                },
            ),
            _ => {}
        }
    }
    entries.into()
}

/// Pieces of one text are one frame: where it is cut is up to the model.
fn push_frame(entries: &mut Vec<Entry>, frame: Value) {
    if let Some(Entry::Frame(last)) = entries.last_mut()
        && let Some(joined) = join_deltas(last, &frame)
    {
        *last = joined;
        return;
    }
    entries.push(Entry::Frame(frame));
}

/// Two pieces of one text as one, if they are.
pub(crate) fn join_deltas(first: &Value, second: &Value) -> Option<Value> {
    let is_delta = |frame: &Value| frame["kind"] == "StreamingDeltaEvent";
    if !is_delta(first) || !is_delta(second) {
        return None;
    }
    ["content", "reasoning_content"]
        .into_iter()
        .find_map(|member| {
            let (before, after) = (first[member].as_str()?, second[member].as_str()?);
            // The empty piece says that an answer begins.
            if before.is_empty() || after.is_empty() {
                return None;
            }
            let mut joined = first.clone();
            joined[member] = json!(format!("{before}{after}"));
            Some(joined)
        })
}

fn push_call(entries: &mut Vec<Entry>, call: Call) {
    let mut at = entries.len();
    let mut own = Vec::new();
    while at > 0 {
        let Entry::Frame(frame) = &entries[at - 1] else {
            break;
        };
        if is_stats(frame) || call.caused(frame, &own) {
            own.push(frame.clone());
            at -= 1;
        } else {
            break;
        }
    }
    entries.insert(at, Entry::Call(call));
}

/// The ids of what was used, whose place in the log is free.
pub(crate) fn stats_ids(entries: &VecDeque<Entry>) -> HashSet<String> {
    entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Frame(frame) if is_stats(frame) => frame["id"].as_str().map(str::to_owned),
            Entry::Frame(_) | Entry::Call(_) => None,
        })
        .collect()
}

/// Whether a frame is about what was used, whose place is free.
pub(crate) fn is_stats(frame: &Value) -> bool {
    frame["key"] == "stats"
}

/// Whether a frame is the whole state.
pub(crate) fn is_full_state(frame: &Value) -> bool {
    frame["key"] == "full_state"
}

/// What a frame is, in a word.
pub(crate) fn name_of(frame: &Value) -> String {
    let kind = frame["kind"].as_str().unwrap_or_default();
    match kind {
        "ConversationStateUpdateEvent" => match frame["key"].as_str().unwrap_or_default() {
            "execution_status" => format!("S({})", frame["value"].as_str().unwrap_or_default()),
            "full_state" => format!(
                "F({})",
                frame["value"]["execution_status"]
                    .as_str()
                    .unwrap_or_default()
            ),
            key => format!("S({key})"),
        },
        "MessageEvent" => format!("Message({})", frame["source"].as_str().unwrap_or_default()),
        other => other.to_owned(),
    }
}
