//! A scripted model: an OpenAI-compatible endpoint that plays the `MOCK:[...]` of the last user message that has one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

/// A running model.
pub(crate) struct Model {
    pub(crate) url: String,
    /// A step with `"held": true` is answered when this is notified.
    pub(crate) go: Arc<Notify>,
    _task: AbortOnDropHandle<()>,
}

impl Model {
    pub(crate) async fn start() -> Self {
        let go = Arc::new(Notify::new());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = axum::Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&go));
        let serve = async move { axum::serve(listener, router).await.unwrap() };
        Self {
            url,
            go,
            _task: AbortOnDropHandle::new(tokio::spawn(serve)),
        }
    }

    /// An agent that asks this model.
    pub(crate) fn agent(&self, tools: &[&str]) -> Value {
        let tools: Vec<Value> = tools.iter().map(|name| json!({"name": name})).collect();
        json!({
            "kind": "Agent",
            "llm": {"model": "openai/mock", "api_key": "sk-scripted", "base_url": self.url, "num_retries": 0},
            "tools": tools,
        })
    }
}

async fn answer(State(go): State<Arc<Notify>>, Json(request): Json<Value>) -> Json<Value> {
    let step = step(&request);
    if step["held"] == true {
        go.notified().await;
    }
    let calls: Vec<Value> = step["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(at, call)| {
            json!({"id": format!("call-{}-{at}", uuid::Uuid::new_v4().simple()), "type": "function",
                   "function": {"name": call["name"], "arguments": call["args"].to_string()}})
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": step["text"]});
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    Json(json!({
        "id": format!("chatcmpl-{}", uuid::Uuid::new_v4().simple()), "object": "chat.completion", "created": 1, "model": "mock",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }))
}

fn step(request: &Value) -> Value {
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|part| part["text"].as_str())
            .collect(),
    };
    let marked = messages
        .iter()
        .rposition(|message| message["role"] == "user" && text(message).contains("MOCK:"));
    let Some(at) = marked else {
        return json!({"text": "a title"});
    };
    let said = text(&messages[at]);
    let script = said.split_once("MOCK:").unwrap().1;
    let mut scripts = serde_json::Deserializer::from_str(script).into_iter::<Value>();
    let steps = scripts.next().unwrap().unwrap();
    let past = messages[at + 1..]
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    match steps.get(past) {
        Some(Value::String(text)) => json!({"text": text}),
        Some(step) => step.clone(),
        None => json!({"text": "(end)"}),
    }
}
