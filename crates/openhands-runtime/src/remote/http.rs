//! One request to an inner server, and its answer.
//!
//! Each request stands for itself, as the protocol has it since 2026-07-28: there is no session that a lost connection
//! could take along. The library's own client decides by itself when to connect again and what to ask again; here both
//! depend on the call, so requests are made by hand.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use openhands_tools::OutputSink;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sse_stream::SseStream;

use crate::endpoint::Endpoint;
use crate::hands::{CallMeta, Fault, HEARTBEAT, KEY_HEADER, MAX_BODY_BYTES, PATH};

/// The version of the protocol.
const VERSION: &str = "2026-07-28";
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// A peer that is silent for so long is gone.
const SILENCE_LIMIT: Duration = Duration::from_secs(HEARTBEAT.as_secs() * 4);
/// Of one answer: a file of the largest size, as text, and what is around it.
const MAX_ANSWER_BYTES: usize = 128 << 20;
/// Of an answer that is no result.
const MAX_REFUSAL_CHARS: usize = 500;

/// What a request asks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) tool: &'a str,
    pub(super) arguments: &'a RawValue,
    pub(super) meta: &'a CallMeta,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct Reply {
    /// The observation, or what else was asked for.
    pub(super) structured: Option<Box<RawValue>>,
    /// What is said in words.
    pub(super) text: String,
    /// Why there is no observation.
    pub(super) fault: Option<Fault>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Broken {
    /// The connection was refused or lost. Asking again may help.
    Lost {
        /// Whether the server may have heard the question.
        was_heard: bool,
        /// What happened.
        why: String,
    },
    /// The server, or we, will not have it. Asking again does not help.
    Refused(String),
}

/// Makes requests. Connections stay open between them.
#[derive(Clone)]
pub(super) struct Http(reqwest::Client);

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Http")
    }
}

impl Http {
    pub(super) fn new() -> Result<Self, reqwest::Error> {
        reqwest::Client::builder()
            // A sandbox is next to us: no proxy of the user's stands between.
            .no_proxy()
            .http1_only()
            .tcp_nodelay(true)
            .tcp_keepalive(HEARTBEAT)
            .connect_timeout(CONNECT_LIMIT)
            .read_timeout(SILENCE_LIMIT)
            .build()
            .map(Self)
    }

    /// Asks once. Output that comes before the answer goes to `output`.
    pub(super) async fn ask(
        &self,
        endpoint: &Endpoint,
        question: Question<'_>,
        output: &OutputSink,
    ) -> Result<Reply, Broken> {
        let body = body(question)?;
        let mut request = self
            .0
            .post(format!("{}{PATH}", endpoint.url.trim_end_matches('/')))
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .header("mcp-protocol-version", VERSION)
            .header("mcp-method", "tools/call")
            .header("mcp-name", question.tool)
            .body(body);
        if let Some(key) = endpoint.key.expose() {
            let mut key = HeaderValue::try_from(key)
                .map_err(|_| Broken::Refused("the session key is no header".to_owned()))?;
            key.set_sensitive(true);
            request = request.header(KEY_HEADER, key);
        }
        let response = request.send().await.map_err(|error| Broken::Lost {
            was_heard: !error.is_connect(),
            why: reason(&error),
        })?;
        if response.status() == StatusCode::OK && is_stream(&response) {
            return follow(response, output).await;
        }
        let status = response.status();
        let text = whole(response).await?;
        match read(&text) {
            Ok(Heard::Answer(reply)) => Ok(reply),
            Ok(Heard::Refusal(why)) => Err(Broken::Refused(why)),
            Ok(Heard::Output(_) | Heard::Other) | Err(_) => Err(refusal(status, &text)),
        }
    }
}

fn body(question: Question<'_>) -> Result<Vec<u8>, Broken> {
    let request = Request {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: Params {
            name: question.tool,
            arguments: question.arguments,
            meta: Meta {
                version: VERSION,
                info: Info {
                    name: "openhands",
                    version: env!("CARGO_PKG_VERSION"),
                },
                capabilities: Capabilities {},
                progress: 1,
                call: question.meta,
            },
        },
    };
    let body = serde_json::to_vec(&request)
        .map_err(|error| Broken::Refused(format!("the call cannot be written: {error}")))?;
    if body.len() > MAX_BODY_BYTES {
        return Err(Broken::Refused(format!(
            "the call has {} bytes, more than the {MAX_BODY_BYTES} that a sandbox takes at once",
            body.len()
        )));
    }
    Ok(body)
}

fn is_stream(response: &reqwest::Response) -> bool {
    response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Reads events up to the answer.
async fn follow(response: reqwest::Response, output: &OutputSink) -> Result<Reply, Broken> {
    let lost = |why: String| Broken::Lost {
        was_heard: true,
        why,
    };
    let mut taken = 0_usize;
    let bounded = response.bytes_stream().map(|piece| {
        let piece = piece.map_err(|error| std::io::Error::other(reason(&error)))?;
        taken = taken.saturating_add(piece.len());
        if taken > MAX_ANSWER_BYTES {
            return Err(std::io::Error::other("the answer is too large"));
        }
        Ok(piece)
    });
    let mut events = Box::pin(SseStream::from_bytes_stream(bounded));
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| lost(error.to_string()))?;
        let Some(data) = event.data.filter(|data| !data.is_empty()) else {
            continue;
        };
        match read(&data).map_err(|error| Broken::Refused(nonsense(&error)))? {
            Heard::Answer(reply) => return Ok(reply),
            Heard::Refusal(why) => return Err(Broken::Refused(why)),
            Heard::Output(text) => output.push(Bytes::from(text)),
            Heard::Other => {}
        }
    }
    Err(lost("the connection ended before the answer".to_owned()))
}

/// The whole of an answer that is no stream.
async fn whole(mut response: reqwest::Response) -> Result<String, Broken> {
    let lost = |why: String| Broken::Lost {
        was_heard: true,
        why,
    };
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) => bytes.extend_from_slice(&piece),
            Ok(None) => break,
            Err(error) => return Err(lost(reason(&error))),
        }
        if bytes.len() > MAX_ANSWER_BYTES {
            return Err(Broken::Refused("the answer is too large".to_owned()));
        }
    }
    String::from_utf8(bytes).map_err(|_| Broken::Refused("the answer is no text".to_owned()))
}

/// What a status without a result means.
fn refusal(status: StatusCode, text: &str) -> Broken {
    let said: String = text.chars().take(MAX_REFUSAL_CHARS).collect();
    if status == StatusCode::UNAUTHORIZED {
        // Somebody else may be at the address now: whoever knows where the server is will be asked again.
        return Broken::Lost {
            was_heard: false,
            why: "its server does not accept the session key".to_owned(),
        };
    }
    if matches!(status.as_u16(), 502..=504) {
        // Whoever stands between says that nobody is there at the moment.
        return Broken::Lost {
            was_heard: true,
            why: format!("its server answered {status}: {said}"),
        };
    }
    Broken::Refused(format!("its server answered {status}: {said}"))
}

fn nonsense(error: &serde_json::Error) -> String {
    format!("its server answered with something else than the protocol: {error}")
}

/// What a message says.
enum Heard {
    Answer(Reply),
    Refusal(String),
    Output(String),
    Other,
}

fn read(text: &str) -> Result<Heard, serde_json::Error> {
    let message: Message<'_> = serde_json::from_str(text)?;
    if let Some(error) = message.error {
        return Ok(Heard::Refusal(error.message));
    }
    if let Some(result) = message.result {
        let result: CallResult<'_> = serde_json::from_str(result.get())?;
        let texts = result.content.into_iter().filter_map(|block| block.text);
        return Ok(Heard::Answer(Reply {
            structured: result.structured.map(ToOwned::to_owned),
            text: texts.collect::<Vec<_>>().join("\n"),
            fault: result.meta.and_then(|meta| meta.fault),
        }));
    }
    if message.method.as_deref() == Some("notifications/progress")
        && let Some(params) = message.params
    {
        let progress: Progress = serde_json::from_str(params.get())?;
        if let Some(text) = progress.message.filter(|text| !text.is_empty()) {
            return Ok(Heard::Output(text));
        }
    }
    Ok(Heard::Other)
}

/// An error with its causes, each said once.
pub(super) fn reason(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    let mut cause = Some(error);
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            if !text.is_empty() {
                text.push_str(": ");
            }
            text.push_str(&words);
        }
        cause = error.source();
    }
    text
}

#[derive(Serialize)]
struct Request<'a> {
    jsonrpc: &'static str,
    id: u64,
    method: &'static str,
    params: Params<'a>,
}

#[derive(Serialize)]
struct Params<'a> {
    name: &'a str,
    arguments: &'a RawValue,
    #[serde(rename = "_meta")]
    meta: Meta<'a>,
}

#[derive(Serialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'static str,
    #[serde(rename = "io.modelcontextprotocol/clientInfo")]
    info: Info,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Capabilities,
    #[serde(rename = "progressToken")]
    progress: u64,
    #[serde(flatten)]
    call: &'a CallMeta,
}

#[derive(Serialize)]
struct Info {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Capabilities {}

#[derive(Deserialize)]
struct Message<'a> {
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<RpcError>,
}

#[derive(Deserialize)]
struct RpcError {
    message: String,
}

#[derive(Deserialize)]
struct CallResult<'a> {
    #[serde(default)]
    content: Vec<Block>,
    #[serde(borrow, default, rename = "structuredContent")]
    structured: Option<&'a RawValue>,
    #[serde(default, rename = "_meta")]
    meta: Option<ResultMeta>,
}

#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

#[derive(Deserialize)]
struct ResultMeta {
    #[serde(default, rename = "openhands.dev/error")]
    fault: Option<Fault>,
}

#[derive(Deserialize)]
struct Progress {
    message: Option<String>,
}
