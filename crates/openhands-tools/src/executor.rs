//! The acting half of a tool: what runs on the machine it is on.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, Observation};
use openhands_protocol::{ConversationId, Secret, ToolCallId};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A tool as the machine sees it: executes validated actions and keeps its own state (a shell, an edit history).
///
/// An executor answers with an observation for everything the model should see, including failures of what
/// it tried; it ends early, with whatever it has, when the call is cancelled.
pub trait ToolExecutor: Send + Sync {
    /// Executes one action.
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>>;

    /// Gives up what the tool holds (a shell, a browser). Later calls may start it anew.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// What one call brings along besides its action.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The model's id of the call.
    pub call: ToolCallId,
    /// The conversation that the call belongs to.
    pub conversation: ConversationId,
    /// Secrets that the call may use, as environment variables.
    pub env: Vec<(String, Secret)>,
    /// Takes output while the call runs.
    pub output: OutputSink,
    /// Ends the call early.
    pub cancel: CancellationToken,
}

impl CallContext {
    /// A context with no secrets, no live output and nobody to cancel it.
    pub fn detached(call: ToolCallId, conversation: ConversationId) -> Self {
        Self {
            call,
            conversation,
            env: Vec::new(),
            output: OutputSink::none(),
            cancel: CancellationToken::new(),
        }
    }
}

/// A bounded preview of a call's output while it runs.
///
/// Pushing never waits: when the reader is behind, chunks are dropped. The observation is what counts.
#[derive(Debug, Clone, Default)]
pub struct OutputSink(Option<mpsc::Sender<Bytes>>);

impl OutputSink {
    /// A sink that drops everything.
    pub fn none() -> Self {
        Self(None)
    }

    /// A sink, and the stream of what is pushed into it; at most `chunks` wait to be read.
    pub fn channel(chunks: usize) -> (Self, mpsc::Receiver<Bytes>) {
        let (sender, receiver) = mpsc::channel(chunks.max(1));
        (Self(Some(sender)), receiver)
    }

    /// Whether anybody is reading.
    pub fn is_watched(&self) -> bool {
        self.0.as_ref().is_some_and(|sender| !sender.is_closed())
    }

    /// Hands a chunk to the reader, or drops it.
    pub fn push(&self, chunk: Bytes) {
        if let Some(sender) = &self.0 {
            // Full or closed: the preview loses this chunk, by design.
            let _ = sender.try_send(chunk);
        }
    }
}

/// A call that has no observation.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The call asks for something that the tool refuses; the model reads the text.
    #[error("{0}")]
    Invalid(String),
    /// The tool could not do it; the model reads the text.
    #[error("{0}")]
    Failed(String),
    /// The tool itself is broken and the run cannot go on.
    #[error("{0}")]
    Fatal(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The call was cancelled before it had anything to show.
    #[error("Tool call cancelled by interrupt.")]
    Cancelled,
}

impl ToolError {
    /// An action of another tool reached this executor: the caller routed it wrongly.
    pub fn wrong_action(tool: &str, action: &Action) -> Self {
        Self::Failed(format!("tool '{tool}' cannot execute a {}", action.kind()))
    }
}
