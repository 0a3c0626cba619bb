//! The recorded conversations.

use openhands_protocol::Form;
use openhands_protocol::agent::AgentSpec;
use openhands_protocol::bash::BashEvent;
use openhands_protocol::conversation::{
    ConversationInfo, ConversationState, ConversationStatsSnapshot, GoalStatus, SessionFrame,
};
use openhands_protocol::event::Event;
use openhands_protocol::hooks::HookConfig;
use openhands_protocol::security::{ConfirmationPolicy, SecurityAnalyzer};
use serde_json::Value;

use crate::compare::{Check, exact};
use crate::exchange::Exchange;
use crate::recording::{items, transcripts};
use crate::{Tally, routes};

/// Whole examples, by which shortened bodies are completed.
struct Wholes {
    info: Value,
    state: Value,
}

impl Wholes {
    /// The first transcript has them.
    fn find(files: &[(String, Value)]) -> Self {
        let (_, plain) = files
            .iter()
            .find(|(name, _)| name == "01_plain_message.json")
            .unwrap();
        let info = items(plain, "log")
            .find(|entry| entry["path"] == "/api/conversations")
            .unwrap();
        let state = items(plain, "log")
            .find(|entry| entry["event"]["key"] == "full_state")
            .unwrap();
        Self {
            info: info["response"].clone(),
            state: state["event"]["value"].clone(),
        }
    }
}

#[test]
fn conversations_round_trip() {
    let files = transcripts("core");
    let wholes = Wholes::find(&files);
    let routes = routes::all();
    let mut tally = Tally::default();
    for (file, transcript) in &files {
        for (i, entry) in items(transcript, "log").enumerate() {
            let place = format!("{file} log[{i}]");
            match entry["dir"].as_str() {
                Some("http") => exchange(place, entry).check(&routes, &wholes.info, &mut tally),
                Some("ws<") => {
                    check_event(&place, &entry["event"], &Form::SOCKET, &wholes, &mut tally);
                }
                Some("session<") => check_frame(&place, &entry["frame"], &wholes, &mut tally),
                _ => tally.leave_out("a note of the recorder"),
            }
        }
        for (i, post) in items(transcript, "posts").enumerate() {
            check_webhook(&format!("{file} posts[{i}]"), post, &wholes, &mut tally);
        }
        for _ in items(transcript, "calls") {
            tally.leave_out("a call without its body");
        }
    }
    tally.finish(
        1322,
        &[
            ("a bare number", 6),
            ("a call without its body", 22),
            ("a description of the API, not part of it", 1),
            ("a digest that the recorder made of an answer", 16),
            ("a malformed request that the server refuses", 10),
            ("a note of the recorder", 29),
            ("an empty object where no body is needed", 1),
            ("not JSON", 2),
        ],
    );
}

fn exchange(place: String, entry: &Value) -> Exchange<'_> {
    Exchange {
        place,
        method: entry["method"].as_str().unwrap(),
        path: entry["path"].as_str().unwrap(),
        request: &entry["request"],
        status: entry["status"].as_u64().unwrap(),
        response: &entry["response"],
        shortened: items(&entry["response"], "items")
            .any(|item| item.get("kind").is_some() && item.get("timestamp").is_none()),
    }
}

fn check_event(place: &str, event: &Value, form: &Form, wholes: &Wholes, tally: &mut Tally) {
    if event["kind"].as_str().unwrap().starts_with("Bash") {
        return tally.check(place, &exact::<BashEvent>(Form::REST), event);
    }
    tally.check(place, &exact::<Event>(form.clone()), event);
    if event["kind"] == "ConversationStateUpdateEvent" {
        check_state_value(place, event, wholes, tally);
    }
}

/// The value of a state update is free-form, but for these keys it is one of our types.
fn check_state_value(place: &str, event: &Value, wholes: &Wholes, tally: &mut Tally) {
    let (value, key) = (&event["value"], event["key"].as_str().unwrap());
    let (check, whole): (Check, &Value) = match key {
        "full_state" => (exact::<ConversationState>(Form::SOCKET), &wholes.state),
        "agent" => (
            exact::<AgentSpec>(Form::SOCKET).part(),
            &wholes.state["agent"],
        ),
        "stats" => (exact::<ConversationStatsSnapshot>(Form::REST), &Value::Null),
        "goal" => (exact::<GoalStatus>(Form::REST), &Value::Null),
        "hook_config" => (exact::<Option<HookConfig>>(Form::SOCKET), &Value::Null),
        "confirmation_policy" => (exact::<ConfirmationPolicy>(Form::SOCKET), &Value::Null),
        "security_analyzer" => (
            exact::<Option<SecurityAnalyzer>>(Form::SOCKET),
            &Value::Null,
        ),
        "execution_status" | "last_user_message_id" | "tags" | "blocked_actions" => return,
        other => panic!("{place}: no type for the state key {other}"),
    };
    tally.check_part(&format!("{place} {key}"), &check, value, whole);
}

fn check_frame(place: &str, frame: &Value, wholes: &Wholes, tally: &mut Tally) {
    tally.check(place, &exact::<SessionFrame>(Form::SOCKET), frame);
    if let Some(event) = frame.get("event") {
        check_event(place, event, &Form::SOCKET, wholes, tally);
    }
}

fn check_webhook(place: &str, post: &Value, wholes: &Wholes, tally: &mut Tally) {
    let body = &post["body"];
    if post["path"].as_str().unwrap().ends_with("/conversations") {
        tally.check_part(
            place,
            &exact::<ConversationInfo>(Form::WEBHOOK),
            body,
            &wholes.info,
        );
    } else {
        for event in body.as_array().unwrap() {
            check_event(place, event, &Form::WEBHOOK, wholes, tally);
        }
    }
}
