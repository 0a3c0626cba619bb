//! Who is let in: keys and origins, tried as they were recorded.

use std::time::Duration;

use serde_json::{Value, json};

use crate::http::Request;
use crate::socket::{Heard, Socket};
use crate::stage::Stage;

/// A server waits 10 s for the first frame of somebody who showed no key.
const SILENCE: Duration = Duration::from_secs(15);

/// What came of trying a socket.
#[derive(Debug)]
enum Outcome {
    Refused(u16),
    Closed(u16, String),
    Frame(Value),
    Silent,
}

async fn try_open(
    authority: &str,
    path: &str,
    headers: &[(&str, &str)],
    first: Option<&str>,
    patience: Duration,
) -> Outcome {
    let mut socket = match Socket::open(authority, path, headers).await {
        Ok(socket) => socket,
        Err(status) => return Outcome::Refused(status),
    };
    if let Some(first) = first {
        socket.say(first);
    }
    match socket.next_within(patience).await {
        Some(Heard::Frame(frame)) => Outcome::Frame(frame),
        Some(Heard::Closed(code, reason)) => Outcome::Closed(code, reason),
        None => Outcome::Silent,
    }
}

/// Tries a socket of `50_ws_errors` or a way to show a key of `61_auth`.
pub(crate) async fn try_socket(stage: &mut Stage, number: usize, line: &Value) {
    let case = line["case"].as_str().unwrap_or_default();
    let headers: &[(&str, &str)] = match case {
        "header good" => &[("X-Session-API-Key", "key1")],
        "header bad" => &[("X-Session-API-Key", "bad")],
        _ => &[],
    };
    let first = match case {
        "first message good" | "bash first message good" => {
            Some(r#"{"type": "auth", "session_api_key": "key1"}"#)
        }
        "first message bad" => Some(r#"{"type": "auth", "session_api_key": "bad"}"#),
        "first message junk" => Some("junk"),
        _ => None,
    };
    // After a good key the bash socket says nothing, and stays open.
    let is_bash = case.starts_with("bash");
    let patience = if is_bash {
        Duration::from_secs(2)
    } else {
        SILENCE
    };
    let path = stage.to_ours(line["path"].as_str().unwrap());
    let outcome = try_open(&stage.server.authority, &path, headers, first, patience).await;
    let recorded = line["result"].as_str().unwrap();
    let said = match &outcome {
        Outcome::Refused(status) => format!("status_code={status},"),
        Outcome::Closed(code, reason) if recorded.starts_with("closed:") => {
            format!("closed: {code} (private use) {reason}")
        }
        Outcome::Closed(code, reason) => format!("Close(code={code}, reason='{reason}')"),
        Outcome::Frame(frame) => format!(
            "accepted, first frame {}/{}",
            frame["kind"].as_str().unwrap_or_default(),
            frame["key"].as_str().unwrap_or_default()
        ),
        Outcome::Silent => "timed out".to_owned(),
    };
    if !recorded.contains(&said) {
        let what = format!("recorded {recorded:?}, ours {said:?}");
        stage
            .comparison
            .differs(&format!("#{number} {case} {path}"), &what);
    }
}

/// Asks from another origin, before and in earnest.
pub(crate) async fn try_origin(stage: &mut Stage, number: usize, line: &Value) {
    let origin = line["origin"].as_str().unwrap();
    let preflight = Request::new("OPTIONS", "/api/conversations")
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "x-session-api-key");
    let answer = stage.send(&preflight).await;
    let at = format!("#{number} OPTIONS {origin}");
    let mut check = |what: &str, recorded: &Value, ours: Value| {
        stage
            .comparison
            .value(&format!("{at}.{what}"), recorded, &ours);
    };
    check("status", &line["preflight_status"], json!(answer.status));
    check("body", &line["preflight_body"], answer.value());
    for (name, recorded) in line["preflight_headers"].as_object().unwrap() {
        check(name, recorded, json!(answer.header(name)));
    }
    let simple = Request::new("GET", "/server_info").header("Origin", origin);
    let answer = stage.send(&simple).await;
    let at = format!("#{number} GET {origin}");
    let recorded = line["simple_headers"].as_object().unwrap();
    for (name, recorded) in recorded {
        let ours = json!(answer.header(name));
        stage
            .comparison
            .value(&format!("{at}.{name}"), recorded, &ours);
    }
    let allowed = "access-control-allow-origin";
    if !recorded.contains_key(allowed)
        && let Some(origin) = answer.header(allowed)
    {
        stage.comparison.differs(&format!("{at}.{allowed}"), origin);
    }
}
