//! Logs of calls: the whole request and the whole answer of each, for those who want to look into them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::future::BoxFuture;
use openhands_protocol::llm::Llm;
use openhands_protocol::message::{Content, MessageToolCall};
use serde_json::{Map, Value, json};

use crate::error::LlmError;
use crate::model::{Completion, StopReason, Usage};

/// Stands for a secret.
const MASK: &str = "**********";
/// A shorter key would be found in innocent text.
const MIN_SECRET_CHARS: usize = 8;
/// Members of a request with such words in their names are not for a log.
const SECRET_NAMES: &[&str] = &[
    "api_key",
    "apikey",
    "api-key",
    "token",
    "secret",
    "password",
    "authorization",
    "cookie",
    "credential",
];
/// Names that contain such a word and are about something else.
const HARMLESS_NAMES: &[&str] = &["max_tokens", "_tokens"];

/// The log of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionLog {
    /// A name for it that no other call has.
    pub filename: String,
    /// The log itself: one JSON object.
    pub log_data: String,
    /// The model's full name.
    pub model_name: String,
    /// Under which name the use of the model is counted.
    pub usage_id: String,
}

/// Takes the logs of calls.
///
/// An implementer must be quick, for the answer waits until the log is taken, and must deal with its own failures: a
/// call does not fail because its log cannot be kept.
pub trait CompletionSink: Send + Sync {
    /// Takes the log of a call that has just ended.
    fn take(&self, log: CompletionLog) -> BoxFuture<'_, ()>;
}

/// Keeps logs as files in a folder, which is made when the first one comes.
#[derive(Debug, Clone)]
pub struct LogFolder {
    path: PathBuf,
}

impl LogFolder {
    /// Logs in this folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl CompletionSink for LogFolder {
    fn take(&self, log: CompletionLog) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let written = async {
                tokio::fs::create_dir_all(&self.path).await?;
                tokio::fs::write(self.path.join(&log.filename), &log.log_data).await
            };
            if let Err(error) = written.await {
                tracing::warn!(folder = %self.path.display(), %error, "the log of a call cannot be written");
            }
        })
    }
}

/// Writes the logs of one model's calls.
pub(crate) struct Recorder {
    sink: Arc<dyn CompletionSink>,
    model: String,
    usage_id: String,
    context_window: u64,
    /// The keys that the model is reached with.
    secrets: Vec<String>,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder")
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

impl Recorder {
    pub(crate) fn new(
        llm: &Llm,
        context_window: Option<u64>,
        sink: Arc<dyn CompletionSink>,
    ) -> Self {
        let secrets = [
            &llm.api_key,
            &llm.aws_access_key_id,
            &llm.aws_secret_access_key,
            &llm.aws_session_token,
        ];
        Self {
            sink,
            model: llm.model.clone(),
            usage_id: llm.usage_id.clone(),
            context_window: context_window.unwrap_or(0),
            secrets: secrets
                .into_iter()
                .flatten()
                .filter_map(|secret| secret.expose())
                .filter(|secret| secret.chars().count() >= MIN_SECRET_CHARS)
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Logs an answer to a request.
    pub(crate) async fn answered(&self, body: &[u8], answer: &Completion, latency: Duration) {
        let mut log = self.request(body);
        log.insert("response".to_owned(), response(&self.model, answer));
        log.insert("cost".to_owned(), json!(answer.usage.cost.unwrap_or(0.0)));
        add_times(&mut log, latency);
        let usage = &answer.usage;
        log.insert(
            "usage_summary".to_owned(),
            json!({
                "prompt_tokens": usage.prompt_tokens,
                "completion_tokens": usage.completion_tokens,
                "reasoning_tokens": usage.reasoning_tokens,
                "cache_read_tokens": usage.cache_read_tokens,
            }),
        );
        self.write(log, "").await;
    }

    /// Logs a request that failed.
    pub(crate) async fn failed(&self, body: &[u8], error: &LlmError, latency: Duration) {
        let mut log = self.request(body);
        log.insert(
            "error".to_owned(),
            json!({"type": error.code(), "message": error.message, "status": error.status}),
        );
        add_times(&mut log, latency);
        log.insert("cost".to_owned(), json!(0.0));
        self.write(log, "-error").await;
    }

    /// The request: the conversation and the tools apart from all other members.
    fn request(&self, body: &[u8]) -> Map<String, Value> {
        let mut log = Map::new();
        log.insert("context_window".to_owned(), json!(self.context_window));
        let mut rest: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
        for name in ["messages", "instructions", "system", "input", "tools"] {
            if let Some(value) = rest.shift_remove(name) {
                log.insert(name.to_owned(), value);
            }
        }
        let mut kwargs = Value::Object(rest);
        mask_members(&mut kwargs);
        log.insert("kwargs".to_owned(), kwargs);
        log
    }

    async fn write(&self, log: Map<String, Value>, ending: &str) {
        let mut log_data = Value::Object(log).to_string();
        for secret in &self.secrets {
            log_data = log_data.replace(secret, MASK);
        }
        let unique = uuid::Uuid::new_v4().simple().to_string();
        let unique = unique.get(..4).unwrap_or_default();
        let log = CompletionLog {
            filename: format!(
                "{}-{:.3}-{unique}{ending}.json",
                self.model.replace('/', "__"),
                since_1970().as_secs_f64()
            ),
            log_data,
            model_name: self.model.clone(),
            usage_id: self.usage_id.clone(),
        };
        self.sink.take(log).await;
    }
}

fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn add_times(log: &mut Map<String, Value>, latency: Duration) {
    let now = since_1970().as_secs_f64();
    log.insert("timestamp".to_owned(), json!(now));
    log.insert("latency_sec".to_owned(), json!(latency.as_secs_f64()));
}

/// Masks what a user put into the request that is not for a log.
fn mask_members(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.to_lowercase();
                let is_secret = SECRET_NAMES.iter().any(|word| name.contains(word))
                    && !HARMLESS_NAMES.iter().any(|word| name.contains(word));
                if is_secret && member.is_string() {
                    *member = json!(MASK);
                } else {
                    mask_members(member);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(mask_members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// An answer in the form of the chat completions, whatever it came in.
fn response(model: &str, answer: &Completion) -> Value {
    let mut message = json!({
        "role": "assistant",
        "content": Content::join_text(&answer.message.content),
    });
    if let Some(members) = message.as_object_mut() {
        if let Some(reasoning) = &answer.message.reasoning_content {
            members.insert("reasoning_content".to_owned(), json!(reasoning));
        }
        let calls: Vec<_> = answer.message.tool_calls.iter().flatten().collect();
        if !calls.is_empty() {
            let calls = calls.into_iter().map(call).collect();
            members.insert("tool_calls".to_owned(), Value::Array(calls));
        }
    }
    json!({
        "id": answer.response_id,
        "object": "chat.completion",
        "model": model,
        "choices": [{"index": 0, "finish_reason": finish_reason(&answer.stop), "message": message}],
        "usage": usage(&answer.usage),
    })
}

fn call(call: &MessageToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    })
}

/// Why a model stopped, in the word of the chat completions.
pub(crate) fn finish_reason(stop: &StopReason) -> &str {
    match stop {
        StopReason::Completed => "stop",
        StopReason::ToolCalls => "tool_calls",
        StopReason::MaxTokens => "length",
        StopReason::ContentFilter => "content_filter",
        StopReason::Other(word) => word,
    }
}

fn usage(usage: &Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens.saturating_add(usage.completion_tokens),
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read_tokens,
            "cache_creation_tokens": usage.cache_write_tokens,
        },
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    })
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
