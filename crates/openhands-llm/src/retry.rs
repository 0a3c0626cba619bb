//! Makes a failed call again, when that may help.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use openhands_protocol::llm::Llm;
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::error::{LlmError, LlmErrorKind};
use crate::features::ModelFeatures;
use crate::model::{ChatModel, ChatRequest, PartStream, Restart, StreamPart};

/// The longest wait that a provider can impose.
const MAX_IMPOSED_WAIT: Duration = Duration::from_mins(10);
/// A model that gave nothing at temperature 0 gives the same nothing again.
const EMPTY_REPLY_TEMPERATURE: f64 = 1.0;
/// What providers say when there is too little to cache.
const CACHE_TOO_SMALL: &[&str] = &[
    "cached content is too small",
    "minimum token count to start caching",
];

/// How often and when a call is made again.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryPolicy {
    /// Attempts in total, the first one included.
    pub attempts: u32,
    /// Seconds of the first wait; each further one is twice as long.
    pub multiplier: f64,
    /// Shortest wait.
    pub min_wait: Duration,
    /// Longest wait.
    pub max_wait: Duration,
    /// The configured temperature.
    pub temperature: Option<f64>,
}

impl RetryPolicy {
    /// The policy in a model's settings.
    pub fn of(llm: &Llm) -> Self {
        let seconds = |number: i64| Duration::from_secs(u64::try_from(number).unwrap_or(0));
        Self {
            attempts: u32::try_from(llm.num_retries).unwrap_or(1).max(1),
            multiplier: llm.retry_multiplier,
            min_wait: seconds(llm.retry_min_wait),
            max_wait: seconds(llm.retry_max_wait),
            temperature: llm.temperature,
        }
    }

    /// How long to wait after the given attempt, counted from 1, has failed.
    fn wait(&self, attempt: u32, error: &LlmError) -> Duration {
        if let Some(imposed) = error.retry_after {
            return imposed.min(MAX_IMPOSED_WAIT);
        }
        let doublings = i32::try_from(attempt.saturating_sub(1)).unwrap_or(i32::MAX);
        let seconds = self.multiplier * 2f64.powi(doublings);
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(self.max_wait)
            .max(self.min_wait)
            .min(self.max_wait)
    }
}

/// A model that is asked again when a call fails in a way that may pass.
///
/// A listener is told by [`StreamPart::Restart`] before each wait. Failures come as errors of the stream.
pub struct RetryModel {
    inner: Arc<dyn ChatModel>,
    policy: RetryPolicy,
}

impl std::fmt::Debug for RetryModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetryModel")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

impl RetryModel {
    /// The model, asked again by this policy.
    pub fn new(inner: Arc<dyn ChatModel>, policy: RetryPolicy) -> Self {
        Self { inner, policy }
    }
}

impl ChatModel for RetryModel {
    fn stream(
        &self,
        request: ChatRequest,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<PartStream, LlmError>> {
        let calls = Calls {
            model: Arc::clone(&self.inner),
            policy: self.policy.clone(),
            request,
            cancel,
            span: tracing::info_span!("model call", attempts = Empty, "error.type" = Empty),
            attempt: 1,
            wait: None,
            parts: None,
            is_over: false,
        };
        Box::pin(async move {
            let parts = stream::unfold(calls, |mut calls| async move {
                if calls.is_over {
                    return None;
                }
                let part = calls.next().await;
                calls.is_over = matches!(part, Err(_) | Ok(StreamPart::End(_)));
                Some((part, calls))
            });
            Ok(parts.boxed())
        })
    }

    fn features(&self) -> &ModelFeatures {
        self.inner.features()
    }
}

/// The calls that one question takes.
struct Calls {
    model: Arc<dyn ChatModel>,
    policy: RetryPolicy,
    request: ChatRequest,
    cancel: CancellationToken,
    /// Around all of them.
    span: Span,
    /// Number of the call that is made, counted from 1.
    attempt: u32,
    /// What is waited for before it.
    wait: Option<Duration>,
    /// Its answer, once there is one.
    parts: Option<PartStream>,
    is_over: bool,
}

impl Calls {
    async fn next(&mut self) -> Result<StreamPart, LlmError> {
        let part = match self.try_next().await {
            Ok(part) => Ok(part),
            Err(error) => self.again_after(error),
        };
        match &part {
            Ok(StreamPart::End(_)) => {
                self.span.record("attempts", self.attempt);
            }
            Err(error) => {
                self.span.record("attempts", self.attempt);
                self.span.record("error.type", error.code());
            }
            Ok(_) => {}
        }
        part
    }

    async fn try_next(&mut self) -> Result<StreamPart, LlmError> {
        if let Some(wait) = self.wait.take() {
            tokio::select! {
                () = self.cancel.cancelled() => return Err(LlmError::cancelled()),
                () = tokio::time::sleep(wait) => {}
            }
        }
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let (model, request) = (&self.model, self.request.clone());
                let cancel = self.cancel.clone();
                let asked = async { model.stream(request, cancel).await };
                none.insert(asked.instrument(self.span.clone()).await?)
            }
        };
        // A model must not end silently; one that does has given nothing.
        parts
            .next()
            .await
            .unwrap_or_else(|| Err(LlmError::no_response()))
    }

    /// Plans the next call, or gives up with the error.
    fn again_after(&mut self, error: LlmError) -> Result<StreamPart, LlmError> {
        self.parts = None;
        let without_marks = !self.request.options.without_cache_marks
            && error.kind == LlmErrorKind::BadRequest
            && CACHE_TOO_SMALL
                .iter()
                .any(|words| error.message.to_lowercase().contains(words));
        let may_retry = error.is_transient()
            && self.attempt < self.policy.attempts
            && !self.cancel.is_cancelled();
        if !may_retry && !without_marks {
            return Err(error);
        }
        let wait = if without_marks {
            self.request.options.without_cache_marks = true;
            Duration::ZERO
        } else {
            self.policy.wait(self.attempt, &error)
        };
        let temperature = self.request.options.temperature.or(self.policy.temperature);
        if error.kind == LlmErrorKind::NoResponse && temperature == Some(0.0) {
            self.request.options.temperature = Some(EMPTY_REPLY_TEMPERATURE);
        }
        self.attempt += 1;
        self.wait = Some(wait);
        tracing::warn!(
            parent: &self.span,
            attempt = self.attempt,
            ?wait,
            code = error.code(),
            "the call to the model is made again"
        );
        Ok(StreamPart::Restart(Restart {
            error,
            attempt: self.attempt,
            wait,
        }))
    }
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
