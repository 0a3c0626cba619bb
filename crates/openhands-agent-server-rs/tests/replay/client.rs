//! The calls of the Python client, in its order: `80_remote_conversation_calls`.

use serde_json::{Value, json};

use crate::http::Request;
use crate::recording;
use crate::socket::{Heard, Socket};
use crate::stage::Stage;

const NAME: &str = "core/80_remote_conversation_calls";
const KEY: &str = "X-Session-API-Key";

pub(crate) async fn replay() {
    let mut stage = Stage::new(NAME).await;
    let recording = recording::raw(NAME);
    let mut socket = None;
    for (number, call) in recording["calls"].as_array().unwrap().iter().enumerate() {
        let (method, path) = (
            call["method"].as_str().unwrap(),
            call["path"].as_str().unwrap(),
        );
        let path = stage.to_ours(&path.replace("<ws>%2F", "<ws>/"));
        let mut request = Request::new(method, &path).header(KEY, "key1");
        if let Some(body) = body(&stage, &call["body_keys"]) {
            request = request.json(&body);
        }
        if path.contains("/file/upload") {
            let part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"up.txt\"\r\n\r\nhello\r\n--b--\r\n";
            request = request.header("Content-Type", "multipart/form-data; boundary=b");
            request.body = part.as_bytes().to_vec();
        }
        let answer = stage.send(&request).await;
        let at = format!("#{number} {method} {}", call["path"].as_str().unwrap());
        stage.comparison.value(
            &format!("{at}.status"),
            &call["status"],
            &json!(answer.status),
        );
        learn(&mut stage, &recording, number, &answer.value());
        if number == 2 {
            socket = Some(watch(&mut stage, &recording).await);
        }
        if number == 6 {
            wait_for_end(socket.as_mut().unwrap()).await;
        }
        stage.note_found();
    }
    stage.end();
}

/// The ids that the recorded server gave, and ours: they are in the paths of later calls.
fn learn(stage: &mut Stage, recording: &Value, number: usize, answer: &Value) {
    let later = |prefix: &str, after: usize| {
        let calls = recording["calls"].as_array().unwrap();
        let path = calls.get(after)?["path"].as_str()?;
        let id: String = path
            .split(prefix)
            .nth(1)?
            .chars()
            .take_while(|c| c.is_ascii_hexdigit() || *c == '-')
            .collect();
        Some(id)
    };
    let recorded = match number {
        1 | 16 => later("/api/conversations/", number + 1),
        10 => later("command_id__eq=", number + 1),
        _ => None,
    };
    if let (Some(recorded), Some(ours)) = (recorded, answer["id"].as_str()) {
        stage.comparison.pair(&recorded, ours);
    }
}

/// A body with these members.
fn body(stage: &Stage, keys: &Value) -> Option<Value> {
    let keys = keys.as_array()?;
    let llm = json!({
        "model": "openai/mock", "api_key": "sk-x", "usage_id": "agent", "num_retries": 0,
        "base_url": format!("http://{}/v1", stage.model.authority),
    });
    let all = json!({
        "agent": {"kind": "Agent", "llm": llm, "tools": [{"name": "terminal"}]},
        "agent_definitions": [], "client_tools": [], "hook_config": null, "initial_message": null,
        "max_iterations": 500, "observability_metadata": {}, "observability_parent_span_context": null,
        "observability_span_name": "conversation", "observability_tags": [], "plugins": null,
        "stuck_detection": true, "tags": {}, "user_id": null,
        "tool_module_qualnames": {"terminal": "openhands.tools.terminal.definition"},
        "workspace": {"kind": "LocalWorkspace", "working_dir": stage.at("<ws>")},
        "secrets": {"A": {"kind": "StaticSecret", "value": "b"}},
        "role": "user", "content": [{"type": "text", "text": "MOCK:[\"hi\"]"}], "run": false,
        "question": "MOCK:[\"yes\"]", "command": "echo hi", "timeout": 30,
        "reset_metrics": true, "title": "t",
    });
    let members = keys.iter().map(|key| {
        let key = key.as_str().unwrap();
        (
            key.to_owned(),
            all.get(key).unwrap_or_else(|| panic!("{key}?")).clone(),
        )
    });
    Some(members.collect())
}

/// The client watches after its first page of events, and waits for the whole state.
async fn watch(stage: &mut Stage, recording: &Value) -> Socket {
    let path = recording["calls"][2]["path"].as_str().unwrap();
    let id = path.split('/').nth(3).unwrap();
    let path = format!("/sockets/events/{}", stage.comparison.our(id));
    let mut socket = Socket::open(&stage.server.authority, &path, &[])
        .await
        .unwrap();
    socket.say(r#"{"type": "auth", "session_api_key": "key1"}"#);
    let first = socket.next().await;
    let is_state = matches!(&first, Some(Heard::Frame(frame)) if frame["key"] == "full_state");
    assert!(is_state, "the first frame is {first:?}");
    socket
}

/// A run is over for the client when the whole state says so.
async fn wait_for_end(socket: &mut Socket) {
    let mut statuses = Vec::new();
    while let Some(Heard::Frame(frame)) = socket.next().await {
        if frame["key"] == "full_state" {
            let status = frame["value"]["execution_status"].clone();
            statuses.push(status.clone());
            if status != "running" {
                assert_eq!(status, "finished");
                return;
            }
        }
    }
    panic!("the end of the run was not told: {statuses:?}");
}
