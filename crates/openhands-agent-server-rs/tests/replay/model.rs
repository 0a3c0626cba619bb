//! The scripted model: an OpenAI-compatible endpoint that plays the `MOCK:[...]` of the last user message that has one.
//!
//! A step that takes long in a recording (`delay`) is held back until the recording goes on to its answer, so nothing
//! here depends on how fast the machine is. A step may also `wait` so many seconds: for load, not for order.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::http::DEADLINE;
use crate::part::Part;

/// What the recorded model said without a script, or at its end.
const NO_SCRIPT: &str = "mock: nothing more to say";

/// The recorded model cut its streams into pieces of so many letters.
const PIECE: usize = 16;

/// A running model.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) authority: String,
    shared: Arc<Shared>,
    _task: AbortOnDropHandle<()>,
}

#[derive(Debug)]
struct Shared {
    part: &'static Part,
    asked: AtomicUsize,
    unscripted: AtomicUsize,
    /// How many answers are held back.
    held: watch::Sender<usize>,
    may_answer: watch::Sender<bool>,
    /// How many pieces of a slow stream may go.
    pieces: watch::Sender<usize>,
}

impl Model {
    pub(crate) async fn start(part: &'static Part) -> Self {
        let shared = Arc::new(Shared {
            part,
            asked: AtomicUsize::new(0),
            unscripted: AtomicUsize::new(0),
            held: watch::Sender::new(0),
            may_answer: watch::Sender::new(false),
            pieces: watch::Sender::new(usize::MAX),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = listener.local_addr().unwrap().to_string();
        let router = axum::Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        let serve = async move { axum::serve(listener, router).await.unwrap() };
        Self {
            authority,
            shared,
            _task: AbortOnDropHandle::new(tokio::spawn(serve)),
        }
    }

    /// Lets answers that are held back go, or holds them.
    pub(crate) fn let_answer(&self, may: bool) {
        self.shared.may_answer.send_replace(may);
    }

    /// Lets so many pieces of a slow stream go.
    pub(crate) fn let_pieces(&self, count: usize) {
        self.shared.pieces.send_replace(count);
    }

    /// Waits until an answer is held back.
    pub(crate) async fn holds(&self, count: usize) {
        let mut held = self.shared.held.subscribe();
        tokio::time::timeout(DEADLINE, held.wait_for(|held| *held >= count))
            .await
            .expect("the model is asked")
            .unwrap();
    }
}

/// Counts as held until it is dropped, also when whoever asked goes away.
struct Held(Arc<Shared>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.held.send_modify(|held| *held -= 1);
    }
}

async fn answer(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return Json(json!({"object": "list", "data": [{"id": "mock", "object": "model"}]}))
            .into_response();
    };
    let number = shared.asked.fetch_add(1, Ordering::SeqCst) + 1;
    let step = shared.step(&request);
    if step.get("delay").is_some() || shared.part.held.contains(&number) {
        shared.held.send_modify(|held| *held += 1);
        let _held = Held(Arc::clone(&shared));
        let mut may_answer = shared.may_answer.subscribe();
        let _ = may_answer.wait_for(|may| *may).await;
    }
    if let Some(seconds) = step["wait"].as_f64() {
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
    }
    if let Some(status) = step["status"].as_u64() {
        let status = StatusCode::from_u16(u16::try_from(status).unwrap()).unwrap();
        let error = json!({"message": "scripted error", "type": "mock_error"});
        let error = step.get("error").cloned().unwrap_or(error);
        return (status, Json(json!({"error": error}))).into_response();
    }
    if request["stream"] == json!(true) {
        streamed(shared, number, &request, &step)
    } else {
        Json(whole(number, &request, &step)).into_response()
    }
}

impl Shared {
    /// What is answered to this request.
    fn step(&self, request: &Value) -> Value {
        let empty = Vec::new();
        let messages = request["messages"].as_array().unwrap_or(&empty);
        let has_tools = request["tools"]
            .as_array()
            .is_some_and(|tools| !tools.is_empty());
        let script = script(messages);
        let step = if let (false, Some(aside)) = (has_tools, self.part.aside) {
            json!(aside)
        } else if let Some((steps, said)) = script {
            play(&steps, said)
        } else {
            let steps: Value = serde_json::from_str(self.part.unscripted).unwrap();
            let at = self.unscripted.fetch_add(1, Ordering::SeqCst);
            steps.get(at).cloned().unwrap_or_else(|| json!(NO_SCRIPT))
        };
        match step {
            Value::String(text) => json!({"text": text}),
            step => step,
        }
    }
}

/// The last script, and how many answers were given since.
fn script(messages: &[Value]) -> Option<(Vec<Value>, usize)> {
    let mut found = None;
    for (at, message) in messages.iter().enumerate() {
        if message["role"] != "user" {
            continue;
        }
        let text = text_of(&message["content"]);
        let steps = text.rfind("MOCK:").and_then(|start| {
            let script = text.get(start + 5..)?;
            let mut values = serde_json::Deserializer::from_str(script).into_iter::<Vec<Value>>();
            values.next()?.ok()
        });
        if let Some(steps) = steps {
            found = Some((steps, at));
        }
    }
    let (steps, at) = found?;
    let said = messages[at + 1..]
        .iter()
        .filter(|message| message["role"] == "assistant")
        .count();
    Some((steps, said))
}

fn play(steps: &[Value], said: usize) -> Value {
    let repeated = steps.last().filter(|last| last["repeat"] == json!(true));
    steps
        .get(said)
        .or(repeated)
        .cloned()
        .unwrap_or_else(|| json!(NO_SCRIPT))
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

fn calls(number: usize, step: &Value) -> Vec<Value> {
    let tools = step["tools"].as_array().cloned().unwrap_or_default();
    tools
        .iter()
        .enumerate()
        .map(|(at, tool)| {
            let arguments = match &tool["args"] {
                Value::String(raw) => raw.clone(),
                arguments => spaced(arguments),
            };
            json!({
                "id": format!("call_{number}_{at}"),
                "index": at,
                "type": "function",
                "function": {"name": tool["name"], "arguments": arguments},
            })
        })
        .collect()
}

/// JSON as Python writes it: with a space after each colon and comma.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", json!(key), spaced(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(spaced).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

fn usage(step: &Value) -> Value {
    let mut usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    for (key, value) in step["usage"].as_object().into_iter().flatten() {
        usage[key.as_str()] = value.clone();
    }
    usage
}

fn whole(number: usize, request: &Value, step: &Value) -> Value {
    let calls = calls(number, step);
    let mut message = json!({"role": "assistant", "content": step["text"]});
    if let Some(reasoning) = step.get("reasoning") {
        message["reasoning_content"] = reasoning.clone();
    }
    let reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "usage": usage(step),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    })
}

fn streamed(shared: Arc<Shared>, number: usize, request: &Value, step: &Value) -> Response {
    let calls = calls(number, step);
    let reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    let mut deltas = vec![json!({"role": "assistant", "content": ""})];
    if let Some(reasoning) = step["reasoning"].as_str() {
        deltas.push(json!({"reasoning_content": reasoning}));
    }
    let letters: Vec<char> = step["text"].as_str().unwrap_or_default().chars().collect();
    for piece in letters.chunks(PIECE) {
        deltas.push(json!({"content": piece.iter().collect::<String>()}));
    }
    if !calls.is_empty() {
        deltas.push(json!({"tool_calls": calls}));
    }
    let base = json!({
        "id": format!("chatcmpl-{number}"),
        "object": "chat.completion.chunk",
        "created": 1,
        "model": request["model"],
    });
    let chunk = |delta: Value, reason: Value| {
        let mut chunk = base.clone();
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": reason}]);
        chunk
    };
    let mut chunks: Vec<String> = deltas
        .into_iter()
        .map(|delta| chunk(delta, Value::Null).to_string())
        .collect();
    chunks.push(chunk(json!({}), json!(reason)).to_string());
    let mut last = base.clone();
    last["choices"] = json!([]);
    last["usage"] = usage(step);
    chunks.push(last.to_string());
    chunks.push("[DONE]".to_owned());
    let is_slow = step.get("chunk_delay").is_some();
    let frames = stream::unfold(
        (shared, chunks.into_iter(), 0_usize),
        move |state| async move {
            let (shared, mut chunks, sent) = state;
            let chunk = chunks.next()?;
            if is_slow {
                // The first one says only that an answer begins.
                let mut pieces = shared.pieces.subscribe();
                pieces.wait_for(|allowed| sent <= *allowed).await.ok()?;
            }
            let frame = Bytes::from(format!("data: {chunk}\n\n"));
            Some((Ok::<_, Infallible>(frame), (shared, chunks, sent + 1)))
        },
    );
    let kind = [(header::CONTENT_TYPE, "text/event-stream")];
    (kind, Body::from_stream(frames)).into_response()
}
