//! A model that plays a script: demos without a key, deterministic tests and replays.
//!
//! A script is a JSON array of replies, one per call. A string is a plain reply. An object may have
//! `text`, `reasoning`, `tools` (`[{"name", "args"}]`, where text as `args` is passed on as it is), `delay` in
//! seconds, `usage`, `status` with `error` for a failed call, and `repeat`: the last reply is then played for
//! ever. When the replies run out, the answer is `(end)`.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use openhands_protocol::ResponseId;
use openhands_protocol::message::{Content, Message, Role};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::error::{LlmError, LlmErrorKind};
use crate::features::ModelFeatures;
use crate::model::{
    ChatModel, ChatRequest, PartStream, ReasoningDelta, StopReason, StreamPart, ToolCallDelta,
    Usage,
};
use crate::spaced_json;

/// In front of a script inside a user message.
const MARK: &str = "MOCK:";
/// The answer to a request in which no script is found.
const DEFAULT_TEXT: &str = "mock default reply";
/// The answer when the replies run out.
const END_TEXT: &str = "(end)";
/// Characters per piece of text: small enough that a listener sees a stream.
const CHUNK_CHARS: usize = 12;
/// Longest pause that a script may ask for.
const MAX_DELAY: Duration = Duration::from_hours(1);

/// One reply of a script.
#[derive(Debug, Clone, Default, PartialEq)]
struct Reply {
    text: Option<String>,
    reasoning: Option<String>,
    tools: Vec<ScriptedCall>,
    delay: f64,
    usage: Value,
    status: Option<u16>,
    error: Option<Value>,
    repeat: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ScriptedCall {
    name: String,
    #[serde(default)]
    args: Value,
    #[serde(default)]
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplyObject {
    text: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    tools: Vec<ScriptedCall>,
    #[serde(default)]
    delay: f64,
    #[serde(default)]
    usage: Value,
    status: Option<u16>,
    error: Option<Value>,
    #[serde(default)]
    repeat: bool,
}

#[derive(Debug)]
enum Source {
    /// The reply is that of the call's number.
    Replies(Vec<Reply>),
    /// The reply is read from the last script in the user's messages.
    Messages,
}

/// A model that plays a script.
#[derive(Debug)]
pub struct ScriptedModel {
    source: Source,
    calls: AtomicU64,
    features: ModelFeatures,
}

impl ScriptedModel {
    /// A model that plays a JSON array of replies, one per call.
    pub fn from_json(script: &str) -> Result<Self, LlmError> {
        let script = serde_json::from_str(script).map_err(|error| unreadable(&error))?;
        Self::from_value(&script)
    }

    /// A model that plays an array of replies, one per call.
    pub fn from_value(script: &Value) -> Result<Self, LlmError> {
        Ok(Self::with(Source::Replies(read_script(script)?)))
    }

    /// A model that plays the scripts it finds in user messages, after the mark `MOCK:`. Which reply is due is
    /// told by the number of assistant messages after the script, so that the model needs no memory.
    pub fn from_messages() -> Self {
        Self::with(Source::Messages)
    }

    /// How often it was called.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// The same model with other features.
    #[must_use]
    pub fn with_features(mut self, features: ModelFeatures) -> Self {
        self.features = features;
        self
    }

    fn with(source: Source) -> Self {
        Self {
            source,
            calls: AtomicU64::new(0),
            features: ModelFeatures {
                native_tools: true,
                vision: true,
                stop_words: true,
                sampling: true,
                ..ModelFeatures::default()
            },
        }
    }

    fn reply(&self, number: u64, request: &ChatRequest) -> Reply {
        match &self.source {
            Source::Replies(replies) => {
                pick(replies, usize::try_from(number - 1).unwrap_or(usize::MAX))
            }
            Source::Messages => script_in(&request.messages).map_or_else(
                || Reply::plain(DEFAULT_TEXT),
                |(replies, answered)| pick(&replies, answered),
            ),
        }
    }
}

impl ChatModel for ScriptedModel {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let reply = self.reply(number, &request);
        Box::pin(async move {
            if reply.delay > 0.0 {
                let delay = Duration::try_from_secs_f64(reply.delay)
                    .unwrap_or(MAX_DELAY)
                    .min(MAX_DELAY);
                tokio::select! {
                    () = cancel.cancelled() => return Err(LlmError::cancelled()),
                    () = tokio::time::sleep(delay) => {}
                }
            }
            if cancel.is_cancelled() {
                return Err(LlmError::cancelled());
            }
            if let Some(status) = reply.status {
                return Err(LlmError::from_answer(status, &reply.error_body(), None));
            }
            Ok(play(reply.parts(number), cancel))
        })
    }

    fn features(&self) -> &ModelFeatures {
        &self.features
    }
}

/// The parts one by one, until the token is cancelled.
fn play(parts: VecDeque<StreamPart>, cancel: CancellationToken) -> PartStream {
    stream::unfold(
        (parts, cancel, false),
        |(mut parts, cancel, ended)| async move {
            if ended {
                return None;
            }
            // Lets a listener see each piece, as with a real stream.
            tokio::task::yield_now().await;
            if cancel.is_cancelled() {
                return Some((Err(LlmError::cancelled()), (parts, cancel, true)));
            }
            let part = parts.pop_front()?;
            Some((Ok(part), (parts, cancel, false)))
        },
    )
    .boxed()
}

impl Reply {
    fn plain(text: &str) -> Self {
        Self {
            text: Some(text.to_owned()),
            ..Self::default()
        }
    }

    fn error_body(&self) -> String {
        let error = self.error.clone();
        json!({"error": error.unwrap_or_else(|| json!({"message": "scripted error", "type": "mock_error"}))})
            .to_string()
    }

    fn parts(&self, number: u64) -> VecDeque<StreamPart> {
        let mut parts = VecDeque::new();
        parts.push_back(StreamPart::ResponseId(ResponseId::from(format!(
            "chatcmpl-{number}"
        ))));
        for piece in chunks(self.reasoning.as_deref().unwrap_or_default()) {
            parts.push_back(StreamPart::Reasoning(ReasoningDelta::Text(piece)));
        }
        for piece in chunks(self.text.as_deref().unwrap_or_default()) {
            parts.push_back(StreamPart::Text(piece));
        }
        for (index, call) in self.tools.iter().enumerate() {
            let id = call
                .id
                .clone()
                .unwrap_or_else(|| format!("call_{number}_{index}"));
            parts.push_back(StreamPart::ToolCall(ToolCallDelta {
                index,
                id: Some(id),
                name: Some(call.name.clone()),
                ..ToolCallDelta::default()
            }));
            for piece in chunks(&call.arguments()) {
                parts.push_back(StreamPart::ToolCall(ToolCallDelta {
                    index,
                    arguments: piece,
                    ..ToolCallDelta::default()
                }));
            }
        }
        let mut usage = json!({"prompt_tokens": 100, "completion_tokens": 10});
        if let (Some(usage), Some(own)) = (usage.as_object_mut(), self.usage.as_object()) {
            usage.extend(own.clone());
        }
        parts.push_back(StreamPart::Usage(Usage::from_json(&usage)));
        parts.push_back(StreamPart::End(if self.tools.is_empty() {
            StopReason::Completed
        } else {
            StopReason::ToolCalls
        }));
        parts
    }
}

impl ScriptedCall {
    fn arguments(&self) -> String {
        match &self.args {
            Value::String(text) => text.clone(),
            Value::Null => "{}".to_owned(),
            other => spaced_json::to_text(other),
        }
    }
}

fn read_script(script: &Value) -> Result<Vec<Reply>, LlmError> {
    let Some(replies) = script.as_array() else {
        return Err(unreadable(&"it is not an array"));
    };
    replies.iter().map(read_reply).collect()
}

fn read_reply(reply: &Value) -> Result<Reply, LlmError> {
    if let Some(text) = reply.as_str() {
        return Ok(Reply::plain(text));
    }
    let read = ReplyObject::deserialize(reply).map_err(|error| unreadable(&error))?;
    Ok(Reply {
        text: read.text,
        reasoning: read.reasoning,
        tools: read.tools,
        delay: read.delay,
        usage: read.usage,
        status: read.status,
        error: read.error,
        repeat: read.repeat,
    })
}

fn unreadable(why: &dyn std::fmt::Display) -> LlmError {
    LlmError::new(
        LlmErrorKind::Configuration,
        format!("The script cannot be read: {why}."),
    )
}

fn pick(replies: &[Reply], number: usize) -> Reply {
    let repeated = || replies.last().filter(|last| last.repeat);
    replies
        .get(number)
        .or_else(repeated)
        .cloned()
        .unwrap_or_else(|| Reply::plain(END_TEXT))
}

/// The last readable script in the user's messages, and how many answers follow it.
fn script_in(messages: &[std::sync::Arc<Message>]) -> Option<(Vec<Reply>, usize)> {
    let (at, replies) = messages
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, message)| message.role == Role::User)
        .find_map(|(at, message)| {
            let text: Vec<_> = message
                .content
                .iter()
                .filter_map(Content::as_text)
                .collect();
            let text = text.join("\n");
            let (_, after) = text.split_once(MARK)?;
            let script = serde_json::Deserializer::from_str(after)
                .into_iter::<Value>()
                .next()?
                .ok()?;
            Some((at, read_script(&script).ok()?))
        })?;
    let answered = messages
        .iter()
        .skip(at + 1)
        .filter(|message| message.role == Role::Assistant);
    Some((replies, answered.count()))
}

fn chunks(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.chars().collect();
    chars
        .chunks(CHUNK_CHARS)
        .map(|piece| piece.iter().collect())
        .collect::<Vec<String>>()
        .into_iter()
}

#[cfg(test)]
#[path = "scripted_tests.rs"]
mod tests;
