//! A server that plays scripted HTTP answers and keeps the requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use openhands_llm::{ChatModel, ChatRequest, Completion, Http, LlmError, connect};
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Message, MessageToolCall, Role};
use openhands_protocol::{Secret, ToolSpec};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What the server does on one connection, after the request has been read.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Send(Vec<u8>),
    /// Waits until the client has gone.
    Hang,
    /// Sends the same again and again until the client has gone.
    Repeat(Vec<u8>, Duration),
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) text: String,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) client_left: Arc<Notify>,
    requests: Arc<Mutex<Vec<Request>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Plays one answer per connection; the last one for ever.
    pub(crate) async fn start(answers: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let client_left = Arc::new(Notify::new());
        let (kept, left) = (Arc::clone(&requests), Arc::clone(&client_left));
        let task = tokio::spawn(async move {
            for number in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let steps = answers.get(number).or(answers.last()).cloned().unwrap();
                // One connection at a time is enough, and keeps the order.
                serve(stream, steps, &kept, &left).await;
            }
        });
        Self {
            url,
            client_left,
            requests,
            task,
        }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().clone()
    }

    pub(crate) fn bodies(&self) -> Vec<Value> {
        self.requests()
            .into_iter()
            .map(|request| request.body)
            .collect()
    }
}

async fn serve(stream: TcpStream, steps: Vec<Step>, requests: &Mutex<Vec<Request>>, left: &Notify) {
    let mut stream = BufReader::new(stream);
    let Some(request) = read_request(&mut stream).await else {
        return;
    };
    requests.lock().push(request);
    for step in steps {
        match step {
            Step::Send(bytes) => {
                if stream.write_all(&bytes).await.is_err() {
                    return;
                }
                stream.flush().await.ok();
            }
            Step::Repeat(bytes, pause) => {
                while stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok() {
                    tokio::time::sleep(pause).await;
                }
            }
            Step::Hang => {
                let mut rest = Vec::new();
                stream.read_to_end(&mut rest).await.ok();
                left.notify_one();
            }
        }
    }
    stream.shutdown().await.ok();
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let path = lines.first()?.split(' ').nth(1)?.to_owned();
    let headers: HashMap<_, _> = lines
        .iter()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = match headers.get("content-length") {
        Some(length) => length.parse().ok()?,
        None => 0,
    };
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let body = serde_json::from_str(&text).unwrap_or_default();
    Some(Request {
        path,
        headers,
        text,
        body,
    })
}

/// An answer in one piece.
pub(crate) fn answer(status: u16, headers: &str, body: &Value) -> Vec<Step> {
    raw(
        status,
        &format!("content-type: application/json\r\n{headers}"),
        &body.to_string(),
    )
}

pub(crate) fn raw(status: u16, headers: &str, body: &str) -> Vec<Step> {
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    vec![Step::Send(head.into_bytes())]
}

/// A stream of server-sent events, each sent on its own; `[DONE]` is not added.
pub(crate) fn sse(frames: &[Value]) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let mut steps = vec![Step::Send(head.as_bytes().to_vec())];
    for frame in frames {
        let event = frame.get("type").and_then(Value::as_str);
        let event = event
            .map(|event| format!("event: {event}\n"))
            .unwrap_or_default();
        steps.push(Step::Send(format!("{event}data: {frame}\n\n").into_bytes()));
    }
    steps
}

pub(crate) fn send(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

/// Settings that wait for nothing between attempts.
pub(crate) fn llm(model: &str, server: &Server) -> Llm {
    Llm {
        model: model.to_owned(),
        base_url: Some(server.url.clone()),
        api_key: Some(Secret::new("sk-test")),
        retry_multiplier: 0.0,
        retry_min_wait: 0,
        ..Llm::default()
    }
}

pub(crate) fn model(llm: &Llm) -> Arc<dyn ChatModel> {
    connect(llm, &Http::new().unwrap()).unwrap()
}

pub(crate) async fn ask(llm: &Llm, request: ChatRequest) -> Result<Completion, LlmError> {
    model(llm).complete(request, CancellationToken::new()).await
}

pub(crate) fn terminal() -> ToolSpec {
    ToolSpec {
        name: "terminal".to_owned(),
        description: "Runs a command.".to_owned(),
        input_schema: json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]})
            .as_object()
            .cloned()
            .unwrap()
            .into(),
        annotations: None,
        title: "terminal".to_owned(),
        kind: "TerminalTool".to_owned(),
        action_type: "TerminalAction".to_owned(),
        observation_type: None,
    }
}

pub(crate) fn hello() -> ChatRequest {
    ChatRequest::new([Message::text(Role::User, "hello")])
}

/// The first messages of a conversation with two parallel calls.
pub(crate) fn history() -> Vec<Message> {
    let call = |id: &str, command: &str| MessageToolCall {
        id: id.into(),
        name: "terminal".to_owned(),
        arguments: format!("{{\"command\":   \"{command}\"}}"),
        ..MessageToolCall::default()
    };
    let result = |id: &str, text: &str| Message {
        role: Role::Tool,
        content: vec![text.into()],
        tool_call_id: Some(id.into()),
        name: Some("terminal".to_owned()),
        ..Message::default()
    };
    vec![
        Message {
            role: Role::System,
            content: vec!["static".into(), "dynamic".into()],
            ..Message::default()
        },
        Message {
            role: Role::User,
            content: vec!["look".into(), "around".into()],
            ..Message::default()
        },
        Message {
            role: Role::Assistant,
            content: vec!["I look.".into()],
            tool_calls: Some(vec![call("c1", "ls"), call("c2", "pwd")]),
            ..Message::default()
        },
        result("c1", "a b"),
        result("c2", "/tmp"),
    ]
}
