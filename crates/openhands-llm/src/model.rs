//! A model that can be asked: what goes in, what comes out, and the trait between.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use openhands_protocol::message::{Message, ReasoningItem, ThinkingBlock};
use openhands_protocol::{ResponseId, ToolSpec};
use tokio_util::sync::CancellationToken;

use crate::error::LlmError;
use crate::features::ModelFeatures;
use crate::fold::Fold;

/// The parts of an answer, in the order in which they arrive. Dropping it ends the call.
pub type PartStream = BoxStream<'static, Result<StreamPart, LlmError>>;

/// One question to a model. Cloning it is cheap: messages and tools are shared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChatRequest {
    /// The conversation so far, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// The tools that the model may call.
    pub tools: Arc<[ToolSpec]>,
    /// What differs from call to call.
    pub options: CallOptions,
}

/// What differs from call to call, whatever the model's settings are.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallOptions {
    /// Whether the provider is to send the answer piece by piece. When unset, the model's settings decide.
    pub stream: Option<bool>,
    /// Conversation that the call belongs to: groups calls in a provider's cache and in a proxy's log.
    pub session: Option<String>,
    /// In place of the configured temperature.
    pub temperature: Option<f64>,
    /// Words at which the model is to stop.
    pub stop: Vec<String>,
    /// Sends no marks for the prompt cache.
    pub without_cache_marks: bool,
}

impl ChatRequest {
    /// A question without tools.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().map(Arc::new).collect(),
            ..Self::default()
        }
    }

    /// The same question with tools.
    #[must_use]
    pub fn with_tools(mut self, tools: impl Into<Arc<[ToolSpec]>>) -> Self {
        self.tools = tools.into();
        self
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamPart {
    /// More text.
    Text(String),
    /// More of what the model thought.
    Reasoning(ReasoningDelta),
    /// More of a tool call.
    ToolCall(ToolCallDelta),
    /// What the call used. The last one counts.
    Usage(Usage),
    /// Under which id the provider knows the answer.
    ResponseId(ResponseId),
    /// The call failed and is made again: all parts before this one are void.
    Restart(Restart),
    /// The answer is complete.
    End(StopReason),
}

/// A piece of thinking.
#[derive(Debug, Clone, PartialEq)]
pub enum ReasoningDelta {
    /// More readable thinking.
    Text(String),
    /// A complete block that must go back to the model unchanged.
    Block(ThinkingBlock),
    /// A complete reasoning item of the Responses API, which must go back unchanged.
    Item(ReasoningItem),
}

/// A piece of a tool call. Pieces with the same index belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolCallDelta {
    /// Which call of the answer it is.
    pub index: usize,
    /// The call's id, once.
    pub id: Option<String>,
    /// The id of its item in the Responses API, once.
    pub responses_item_id: Option<String>,
    /// The tool's name, once.
    pub name: Option<String>,
    /// More of the argument text, exactly as the model wrote it.
    pub arguments: String,
}

/// Why and when a call is made again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restart {
    /// What went wrong.
    pub error: LlmError,
    /// The number of the attempt that follows, counted from 1.
    pub attempt: u32,
    /// How long it is waited before.
    pub wait: Duration,
}

/// Why the model stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum StopReason {
    /// It had said all.
    #[default]
    Completed,
    /// It wants tools to be called.
    ToolCalls,
    /// The limit of output tokens was reached.
    MaxTokens,
    /// The provider's filter stopped it.
    ContentFilter,
    /// Another reason, in the provider's word.
    Other(String),
}

impl StopReason {
    /// The reason that a provider's word stands for.
    pub fn from_word(word: &str) -> Self {
        match word {
            "stop" | "end_turn" | "stop_sequence" | "completed" | "STOP" => Self::Completed,
            "tool_calls" | "tool_use" | "function_call" => Self::ToolCalls,
            "length" | "max_tokens" | "max_output_tokens" | "MAX_TOKENS" => Self::MaxTokens,
            "content_filter" | "refusal" | "SAFETY" => Self::ContentFilter,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// What one call used.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// All tokens of the request, those from the cache included.
    pub prompt_tokens: u64,
    /// All tokens of the answer, thinking included.
    pub completion_tokens: u64,
    /// Tokens of the request that came from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens of the request that were written to the provider's cache.
    pub cache_write_tokens: u64,
    /// Tokens of the answer that were thinking.
    pub reasoning_tokens: u64,
    /// Money in US dollars. `None` is unknown, which is not the same as free.
    pub cost: Option<f64>,
}

/// A whole answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Completion {
    /// What the model said, thought and wants to call.
    pub message: Message,
    /// Under which id the provider knows the answer; made up if it gave none.
    pub response_id: ResponseId,
    /// What the call used.
    pub usage: Usage,
    /// Why the model stopped.
    pub stop: StopReason,
    /// Seconds from the question to the end of the answer, retries included.
    pub latency: Duration,
}

/// A model that can be asked.
///
/// An implementer answers one request with one stream of parts. The stream ends with
/// [`StreamPart::End`] or with an error, never silently. It gives up at once when the token is cancelled,
/// and when the stream is dropped.
pub trait ChatModel: Send + Sync {
    /// Asks the model. The error is that of a request which never began to be answered.
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>>;

    /// What the model can do.
    fn features(&self) -> &ModelFeatures;

    /// Asks the model and waits for the whole answer.
    fn complete(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Completion, LlmError>> {
        Box::pin(async move {
            let mut fold = Fold::default();
            let mut parts = self.stream(request, cancel).await?;
            while let Some(part) = parts.next().await {
                fold.add(part?);
            }
            fold.finish()
        })
    }
}

impl<M: ChatModel + ?Sized> ChatModel for Arc<M> {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        (**self).stream(request, cancel)
    }

    fn features(&self) -> &ModelFeatures {
        (**self).features()
    }
}
