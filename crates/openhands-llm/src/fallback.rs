//! The next model when one fails.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use crate::error::LlmError;
use crate::features::ModelFeatures;
use crate::model::{ChatModel, ChatRequest, PartStream, Restart, StreamPart};

/// A model with others that stand in for it, call by call.
///
/// A stand-in is asked when the models before it failed in a way that may pass, each after its own retries.
/// A used-up budget is not such a failure: spending elsewhere is the user's decision.
pub struct FallbackModel {
    first: Arc<dyn ChatModel>,
    others: Vec<Arc<dyn ChatModel>>,
}

impl std::fmt::Debug for FallbackModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FallbackModel")
            .field("others", &self.others.len())
            .finish_non_exhaustive()
    }
}

impl FallbackModel {
    /// The model, and those that stand in for it in this order.
    pub fn new(first: Arc<dyn ChatModel>, others: Vec<Arc<dyn ChatModel>>) -> Self {
        Self { first, others }
    }
}

impl ChatModel for FallbackModel {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        let relay = Relay {
            waiting: std::iter::once(&self.first)
                .chain(&self.others)
                .cloned()
                .collect(),
            asked: 0,
            request,
            cancel,
            parts: None,
            is_over: false,
        };
        Box::pin(async move {
            let parts = stream::unfold(relay, |mut relay| async move {
                if relay.is_over {
                    return None;
                }
                let part = relay.next().await;
                relay.is_over = matches!(part, Err(_) | Ok(StreamPart::End(_)));
                Some((part, relay))
            });
            Ok(parts.boxed())
        })
    }

    fn features(&self) -> &ModelFeatures {
        self.first.features()
    }
}

struct Relay {
    /// Those that were not asked yet.
    waiting: VecDeque<Arc<dyn ChatModel>>,
    asked: u32,
    request: ChatRequest,
    cancel: CancellationToken,
    /// The answer of the one that was asked last.
    parts: Option<PartStream>,
    is_over: bool,
}

impl Relay {
    async fn next(&mut self) -> Result<StreamPart, LlmError> {
        let error = match self.try_next().await {
            Ok(part) => return Ok(part),
            Err(error) => error,
        };
        self.parts = None;
        if self.waiting.is_empty() || !error.is_transient() || self.cancel.is_cancelled() {
            return Err(error);
        }
        tracing::warn!(code = error.code(), "another model stands in");
        Ok(StreamPart::Restart(Restart {
            error,
            attempt: self.asked + 1,
            wait: Duration::ZERO,
        }))
    }

    async fn try_next(&mut self) -> Result<StreamPart, LlmError> {
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let Some(model) = self.waiting.pop_front() else {
                    return Err(LlmError::no_response());
                };
                self.asked += 1;
                none.insert(
                    model
                        .stream(self.request.clone(), self.cancel.clone())
                        .await?,
                )
            }
        };
        parts
            .next()
            .await
            .unwrap_or_else(|| Err(LlmError::no_response()))
    }
}

#[cfg(test)]
#[path = "fallback_tests.rs"]
mod tests;
