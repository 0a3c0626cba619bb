//! A language model that answers from a script, over real HTTP.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// What the model answers next.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// It says something, and so ends its turn.
    Says(&'static str),
    /// It calls a tool.
    Calls(&'static str, Value),
}

/// Calls the terminal.
pub(crate) fn runs(command: &str) -> Answer {
    Answer::Calls(
        "terminal",
        json!({"command": command, "security_risk": "LOW", "summary": "run a command"}),
    )
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Answer>,
    asked: Vec<Value>,
    keys: Vec<String>,
}

/// A provider on a free port.
pub(crate) struct Model {
    pub(crate) url: String,
    script: Arc<Mutex<Script>>,
    _task: AbortOnDropHandle<()>,
}

impl Model {
    pub(crate) async fn start() -> Self {
        let script = Arc::new(Mutex::new(Script::default()));
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(Arc::clone(&script));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            script,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// What it answers from now on.
    pub(crate) fn will(&self, answers: impl IntoIterator<Item = Answer>) {
        self.script.lock().answers.extend(answers);
    }

    /// What it was asked so far.
    pub(crate) fn asked(&self) -> Vec<Value> {
        self.script.lock().asked.clone()
    }

    /// With which keys.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.script.lock().keys.clone()
    }
}

async fn answer(
    State(script): State<Arc<Mutex<Script>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap();
    let is_streamed = asked["stream"] == true;
    let next = {
        let mut script = script.lock();
        let key = headers.get(header::AUTHORIZATION);
        script
            .keys
            .extend(key.map(|key| key.to_str().unwrap().to_owned()));
        let number = script.asked.len();
        script.asked.push(asked);
        let next = script
            .answers
            .pop_front()
            .unwrap_or(Answer::Says("Nothing more to say."));
        (number, next)
    };
    let (mut message, reason) = match next.1 {
        Answer::Says(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Answer::Calls(name, arguments) => {
            let call = json!({"index": 0, "id": format!("call_{}", next.0), "type": "function",
                "function": {"name": name, "arguments": arguments.to_string()}});
            (
                json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                "tool_calls",
            )
        }
    };
    let usage = json!({"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6});
    let head = |object: &str| json!({"id": "chatcmpl-1", "object": object, "created": 1, "model": "scripted"});
    if !is_streamed {
        if let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) {
            for call in calls {
                call.as_object_mut().unwrap().remove("index");
            }
        }
        let mut whole = head("chat.completion");
        whole["choices"] = json!([{"index": 0, "message": message, "finish_reason": reason}]);
        whole["usage"] = usage;
        return axum::Json(whole).into_response();
    }
    let chunk = |choices: Value, usage: Value| {
        let mut chunk = head("chat.completion.chunk");
        chunk["choices"] = choices;
        chunk["usage"] = usage;
        format!("data: {chunk}\n\n")
    };
    let text = [
        chunk(
            json!([{"index": 0, "delta": message, "finish_reason": null}]),
            Value::Null,
        ),
        chunk(
            json!([{"index": 0, "delta": {}, "finish_reason": reason}]),
            Value::Null,
        ),
        chunk(json!([]), usage),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    ([(header::CONTENT_TYPE, "text/event-stream")], text).into_response()
}
