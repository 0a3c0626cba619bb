//! The recordings of the socket of commands, which tell scenarios and not exchanges.

use std::time::Duration;

use serde_json::{Value, json};

use crate::http::Request;
use crate::recording;
use crate::socket::{Heard, Socket};
use crate::stage::Stage;

const PATH: &str = "/sockets/bash-events";

/// How long an open socket that should say nothing is listened to.
const SILENCE: Duration = Duration::from_secs(1);

/// Ways to show a key.
pub(crate) async fn keys() {
    let name = "services/bash-socket-auth";
    let mut stage = Stage::new(name).await;
    let entries = recording::raw(name);
    for (number, entry) in entries.as_array().unwrap().iter().enumerate() {
        let scenario = entry["scenario"].as_str().unwrap();
        let path = match scenario {
            "query key ok" | "redundant auth frame after query auth is ignored" => {
                format!("{PATH}?session_api_key=key1")
            }
            "query key bad" => format!("{PATH}?session_api_key=x"),
            _ => PATH.to_owned(),
        };
        let headers: &[(&str, &str)] = match scenario {
            "header key ok" => &[("X-Session-API-Key", "key1")],
            "header key bad" => &[("X-Session-API-Key", "x")],
            _ => &[],
        };
        let result = match Socket::open(&stage.server.authority, &path, headers).await {
            Err(status) => json!({"handshake_rejected": status}),
            Ok(mut socket) => {
                for frame in entry["sent"].as_array().unwrap() {
                    socket.say(frame.as_str().unwrap());
                }
                let patience = if scenario == "no auth frame" {
                    Duration::from_secs(15)
                } else {
                    SILENCE
                };
                match socket.next_within(patience).await {
                    None => json!("still open"),
                    Some(Heard::Closed(code, reason)) => {
                        json!({"close_code": code, "reason": reason})
                    }
                    Some(Heard::Frame(frame)) => frame,
                }
            }
        };
        stage.comparison.value(
            &format!("#{number} {scenario}"),
            &entry["result"],
            &json!([result]),
        );
    }
    stage.end();
}

/// What is sent live and again, and what comes of frames.
pub(crate) async fn frames() {
    let name = "services/bash-socket";
    let mut stage = Stage::new(name).await;
    let entries = recording::raw(name);
    for (number, entry) in entries.as_array().unwrap().iter().enumerate() {
        let scenario = entry["scenario"].as_str().unwrap();
        let query = match number {
            1 => "resend_mode=all",
            2 => "resend_all=true",
            3 => "resend_mode=since",
            4 => "resend_mode=since&after_timestamp=2026-01-01T00:00:00Z",
            5 => "resend_mode=bogus",
            _ => "",
        };
        let opened = Socket::open(&stage.server.authority, &format!("{PATH}?{query}"), &[]).await;
        let mut socket = match opened {
            Ok(socket) => socket,
            Err(status) => {
                let recorded = entry["frames"][0]["connect_error"]
                    .as_str()
                    .unwrap_or_default();
                if !recorded.contains(&format!("status_code={status},")) {
                    let what = format!("recorded {recorded:?}, ours {status}");
                    stage
                        .comparison
                        .differs(&format!("#{number} {scenario}"), &what);
                }
                continue;
            }
        };
        match number {
            0 => {
                let body = json!({"command": "echo live; sleep 0.3; echo more"});
                let start = Request::new("POST", "/api/bash/start_bash_command").json(&body);
                stage.send(&start).await;
            }
            6 => socket.say(&entry["sent"].to_string()),
            7 => {
                socket.say(r#"{"bad": 1}"#);
                socket.say("junk");
            }
            _ => {}
        }
        let recorded = entry["frames"].as_array().unwrap();
        let ours = joined(&mut socket, recorded.len()).await;
        stage.comparison.value(
            &format!("#{number} {scenario}"),
            &entry["frames"],
            &json!(ours),
        );
        stage.note_found();
    }
    stage.end();
}

/// So many frames, where pieces of one command's output count as one.
async fn joined(socket: &mut Socket, count: usize) -> Vec<Value> {
    let mut frames: Vec<Value> = Vec::new();
    while frames.len() < count
        || frames
            .last()
            .is_some_and(|last| last["exit_code"].is_null() && last["kind"] == "BashOutput")
    {
        let Some(Heard::Frame(frame)) = socket.next().await else {
            break;
        };
        let is_more = |last: &&mut Value| {
            last["kind"] == "BashOutput" && last["command_id"] == frame["command_id"]
        };
        match frames.last_mut().filter(is_more) {
            Some(last) => {
                for stream in ["stdout", "stderr"] {
                    let text: Vec<&str> = [&last[stream], &frame[stream]]
                        .into_iter()
                        .filter_map(Value::as_str)
                        .collect();
                    let text = text.concat();
                    last[stream] = if text.is_empty() {
                        Value::Null
                    } else {
                        json!(text)
                    };
                }
                last["exit_code"] = frame["exit_code"].clone();
            }
            None => frames.push(frame),
        }
    }
    frames
}
