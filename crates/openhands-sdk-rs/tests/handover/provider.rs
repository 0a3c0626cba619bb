//! A model provider on this machine, for the reference: chat completions from the script in the user's last message.
//!
//! It plays the same scripts as `ScriptedModel::from_messages`. A request without the right key is refused, so an
//! answer shows that the key was carried over.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The key that requests must carry.
pub(crate) const KEY: &str = "sk-handed-over";

/// The provider. It stops when it is dropped.
pub(crate) struct Provider {
    pub(crate) url: String,
    _tasks: JoinSet<()>,
}

impl Provider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let served = Arc::new(AtomicU64::new(0));
            let mut requests = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                requests.spawn(serve(stream, Arc::clone(&served)));
                while requests.try_join_next().is_some() {}
            }
        });
        Self { url, _tasks: tasks }
    }
}

async fn serve(stream: TcpStream, served: Arc<AtomicU64>) {
    let mut stream = BufReader::new(stream);
    let (mut length, mut is_known) = (0, false);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ") {
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap(),
                "authorization" => is_known = value == format!("Bearer {KEY}"),
                _ => {}
            }
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let (status, answer) = if is_known {
        let number = served.fetch_add(1, Ordering::Relaxed);
        (
            "200 OK",
            answer(&serde_json::from_slice(&body).unwrap(), number),
        )
    } else {
        let error = json!({"error": {"message": "wrong key", "type": "invalid_api_key"}});
        ("401 Unauthorized", error)
    };
    let answer = answer.to_string();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        answer.len()
    );
    let _ = stream.write_all((head + &answer).as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// The completion that is due.
fn answer(request: &Value, number: u64) -> Value {
    let messages = request["messages"].as_array().unwrap();
    let (at, script) = messages
        .iter()
        .enumerate()
        .rev()
        .find_map(|(at, message)| Some((at, script(message)?)))
        .expect("a script in a user message");
    let after = &messages[at + 1..];
    // The reference forgets an action that waited while it was closed, and sends its result alone.
    let forgotten = usize::from(after.first().is_some_and(|m| m["role"] == "tool"));
    let answered = forgotten + after.iter().filter(|m| m["role"] == "assistant").count();
    let reply = script.get(answered).cloned().unwrap_or(json!("(end)"));
    let calls: Vec<Value> = reply["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(call)
        .collect();
    let text = reply
        .as_str()
        .or(reply["text"].as_str())
        .unwrap_or_default();
    let mut message = json!({"role": "assistant", "content": text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let mut usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    if let Some(own) = reply["usage"].as_object() {
        usage.as_object_mut().unwrap().extend(own.clone());
    }
    let reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    json!({
        "id": format!("chatcmpl-provider-{number}"), "object": "chat.completion", "created": 1, "model": "mock",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage,
    })
}

fn script(message: &Value) -> Option<Vec<Value>> {
    if message["role"] != "user" {
        return None;
    }
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        parts => parts
            .as_array()?
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
    };
    let (_, script) = text.split_once("MOCK:")?;
    let mut values = serde_json::Deserializer::from_str(script).into_iter();
    values.next()?.ok()
}

fn call(call: &Value) -> Value {
    json!({
        "id": call["id"], "type": "function",
        "function": {"name": call["name"], "arguments": call["args"].to_string()},
    })
}
