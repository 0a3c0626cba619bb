//! Models of a conversation, and logs of their calls as its events.

use std::sync::{Arc, Weak};

use futures_util::future::BoxFuture;
use openhands_llm::{ChatModel, CompletionLog, CompletionSink, LlmError};
use openhands_protocol::Extra;
use openhands_protocol::event::{EventHeader, LlmCompletionLogEvent, Source};
use openhands_protocol::llm::Llm;

use crate::conversation::Inner;

impl Inner {
    /// The model of these settings. Its calls become events, if it wants them logged and the host can do that.
    pub(crate) fn model(&self, llm: &Llm) -> Result<Arc<dyn ChatModel>, LlmError> {
        match &self.host.logged_models {
            Some(logged) if llm.log_completions => {
                logged(llm, Arc::new(LogEvents(self.me.clone())))
            }
            Some(_) | None => (self.host.models)(llm),
        }
    }
}

/// Appends the logs of calls to the conversation.
struct LogEvents(Weak<Inner>);

impl CompletionSink for LogEvents {
    fn take(&self, log: CompletionLog) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let Some(inner) = self.0.upgrade() else {
                return;
            };
            let event = LlmCompletionLogEvent {
                header: EventHeader::now(Source::Environment),
                filename: log.filename,
                log_data: log.log_data,
                model_name: log.model_name,
                usage_id: log.usage_id,
                extra: Extra::default(),
            };
            if let Err(error) = inner.writer().await.emit(event).await {
                tracing::warn!(conversation = %inner.id, %error, "the log of a call cannot be stored");
            }
        })
    }
}
