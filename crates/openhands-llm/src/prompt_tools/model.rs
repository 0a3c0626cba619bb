//! A model that calls tools in text, behind the same trait as one that calls them natively.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use openhands_protocol::ToolSpec;
use openhands_protocol::llm::Llm;
use tokio_util::sync::CancellationToken;

use crate::error::LlmError;
use crate::features::ModelFeatures;
use crate::model::{ChatModel, ChatRequest, PartStream, StreamPart};
use crate::prompt_tools::encode::{Encoded, encode};
use crate::prompt_tools::listen::Listen;

/// At this word the model has written its call.
const STOP_WORD: &str = "</function";
/// Text of messages that one model keeps at most.
const MAX_ENCODED_BYTES: usize = 64 << 20;

/// A model that calls tools in text.
///
/// A call that does not fit the tools is an error of class
/// [`FunctionCallValidation`](crate::LlmErrorKind::FunctionCallValidation), whose text is for the model.
pub struct PromptToolsModel {
    inner: Arc<dyn ChatModel>,
    name: String,
    features: ModelFeatures,
    encoded: Encoded,
}

impl std::fmt::Debug for PromptToolsModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PromptToolsModel")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl PromptToolsModel {
    /// The model, which is asked without native tools.
    pub fn new(inner: Arc<dyn ChatModel>, llm: &Llm) -> Self {
        let features = ModelFeatures {
            native_tools: false,
            ..inner.features().clone()
        };
        Self {
            inner,
            name: llm.model.to_lowercase(),
            features,
            encoded: Encoded::new(MAX_ENCODED_BYTES),
        }
    }
}

impl ChatModel for PromptToolsModel {
    fn stream(
        &self,
        mut request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        Box::pin(async move {
            if request.tools.is_empty() {
                return self.inner.stream(request, cancel).await;
            }
            let calls = request
                .messages
                .iter()
                .flat_map(|message| message.tool_calls.iter().flatten());
            let number = calls.count() + 1;
            let tools = std::mem::take(&mut request.tools);
            request.messages = encode(&request.messages, &tools, &self.name, &self.encoded);
            if self.features.stop_words {
                request.options.stop.push(STOP_WORD.to_owned());
            }
            let hearing = Hearing {
                parts: self.inner.stream(request, cancel).await?,
                tools,
                number,
                listen: Listen::default(),
                ready: VecDeque::new(),
                is_over: false,
            };
            Ok(stream::unfold(hearing, |mut hearing| async move {
                let part = hearing.next().await?;
                Some((part, hearing))
            })
            .boxed())
        })
    }

    fn features(&self) -> &ModelFeatures {
        &self.features
    }
}

struct Hearing {
    parts: PartStream,
    tools: Arc<[ToolSpec]>,
    /// Number of the next call in the conversation.
    number: usize,
    listen: Listen,
    ready: VecDeque<StreamPart>,
    is_over: bool,
}

impl Hearing {
    async fn next(&mut self) -> Option<Result<StreamPart, LlmError>> {
        loop {
            if let Some(part) = self.ready.pop_front() {
                return Some(Ok(part));
            }
            if self.is_over {
                return None;
            }
            match self.parts.next().await? {
                Ok(StreamPart::Text(more)) => self
                    .ready
                    .extend(self.listen.hear(&more).map(StreamPart::Text)),
                Ok(StreamPart::End(stop)) => {
                    self.is_over = true;
                    match std::mem::take(&mut self.listen).finish(&self.tools, self.number, stop) {
                        Ok(parts) => self.ready.extend(parts),
                        Err(error) => return Some(Err(error)),
                    }
                }
                Ok(StreamPart::Restart(restart)) => {
                    self.listen = Listen::default();
                    return Some(Ok(StreamPart::Restart(restart)));
                }
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
                other => return Some(other),
            }
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
