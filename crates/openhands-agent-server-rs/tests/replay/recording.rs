//! A recording of the reference server, in the order in which things were done.
//!
//! An answer was noted when it came, so what a call caused may stand before it. Here a call stands before its effects.

use std::path::PathBuf;

use serde_json::{Value, json};

/// A line of a recording of the core, with its number.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) number: usize,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// Somebody asked the server for something.
    Call(Call),
    /// Somebody who watched got this.
    Frame(Value),
    /// Somebody on the session socket got this.
    Envelope(Value),
    /// Another thing that was tried, or seen.
    Other(Value),
}

/// A request and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) request: Value,
    pub(crate) status: u64,
    pub(crate) response: Value,
    pub(crate) set_cookie: Option<String>,
}

impl Call {
    fn read(line: &Value) -> Self {
        let text = |key: &str| line[key].as_str().unwrap().to_owned();
        Self {
            method: text("method"),
            path: text("path"),
            request: line["request"].clone(),
            status: line["status"].as_u64().unwrap(),
            response: line["response"].clone(),
            set_cookie: line["set_cookie"].as_str().map(str::to_owned),
        }
    }

    /// What is asked of a conversation: `POST events`, `GET`.
    pub(crate) fn verb(&self) -> String {
        let path = self.path.split('?').next().unwrap();
        let what = path.split('/').skip(4).collect::<Vec<_>>().join("/");
        format!("{} {what}", self.method).trim_end().to_owned()
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
                        "InterruptEvent" | "S(paused)" | "AgentErrorEvent" | "item_aborted"
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

/// A recording as it is.
pub(crate) fn raw(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../openhands-protocol/tests/fixtures/transcripts")
        .join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// The lines of a recording of the core.
pub(crate) fn read(name: &str) -> Vec<Entry> {
    let recording = raw(name);
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in recording["log"].as_array().unwrap().iter().enumerate() {
        let what = match line["dir"].as_str().unwrap() {
            "ws<" => What::Frame(line["event"].clone()),
            "session<" => What::Envelope(line["frame"].clone()),
            "http" => What::Call(Call::read(line)),
            _ => What::Other(line.clone()),
        };
        push(&mut entries, Entry { number, what });
    }
    entries
}

fn push(entries: &mut Vec<Entry>, entry: Entry) {
    let mut at = entries.len();
    match &entry.what {
        // Pieces of one text are one frame: where it is cut is up to the model.
        What::Frame(frame) => {
            if let Some(Entry {
                what: What::Frame(last),
                ..
            }) = entries.last_mut()
                && let Some(joined) = join_deltas(last, frame)
            {
                *last = joined;
                return;
            }
        }
        What::Call(call) => {
            let mut own = Vec::new();
            while let Some(What::Frame(frame) | What::Envelope(frame)) =
                at.checked_sub(1).map(|before| &entries[before].what)
            {
                let event = event_of(frame);
                if !is_stats(event) && !call.caused(event, &own) {
                    break;
                }
                own.push(event.clone());
                at -= 1;
            }
        }
        What::Envelope(_) | What::Other(_) => {}
    }
    entries.insert(at, entry);
}

/// The event of an envelope, or the frame itself.
pub(crate) fn event_of(frame: &Value) -> &Value {
    frame.get("event").unwrap_or(frame)
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
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if frame.get("key").is_none() && frame.get("type").is_some() {
        return text(&frame["type"]);
    }
    match frame["kind"].as_str().unwrap_or_default() {
        "ConversationStateUpdateEvent" => match frame["key"].as_str().unwrap_or_default() {
            "execution_status" => format!("S({})", text(&frame["value"])),
            "full_state" => format!("F({})", text(&frame["value"]["execution_status"])),
            key => format!("S({key})"),
        },
        "MessageEvent" => format!("Message({})", text(&frame["source"])),
        other => other.to_owned(),
    }
}
