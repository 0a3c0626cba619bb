//! What is told about an attempt while it runs: a span for traces, and a log if one is wanted.
//!
//! The span has the fields of OpenTelemetry's conventions for generative models. No text of a request or an answer is
//! in it.

use std::sync::Arc;

use tokio::time::Instant;
use tracing::Span;
use tracing::field::Empty;

use crate::error::{LlmError, LlmErrorKind};
use crate::fold::Fold;
use crate::genai::settings::Settings;
use crate::model::{ChatRequest, StreamPart, Usage};
use crate::record::{Recorder, finish_reason};

/// An attempt that is being watched.
pub(super) struct Watch {
    span: Span,
    begun: Instant,
    log: Option<Log>,
}

/// What is needed for the log of the attempt.
struct Log {
    recorder: Arc<Recorder>,
    body: Vec<u8>,
    answer: Fold,
}

/// A span for an attempt at this request.
pub(super) fn span(request: &ChatRequest, settings: &Settings) -> Span {
    let options = &request.options;
    tracing::info_span!(
        "chat",
        otel.name = %format_args!("chat {}", settings.model),
        otel.kind = "client",
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = settings.provider.as_str(),
        gen_ai.request.model = settings.model.as_str(),
        gen_ai.request.stream = options.stream.unwrap_or(settings.stream),
        gen_ai.request.max_tokens = settings.max_output_tokens,
        gen_ai.request.temperature = options.temperature.or(settings.temperature),
        gen_ai.conversation.id = options.session.as_deref(),
        gen_ai.response.id = Empty,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        gen_ai.usage.cache_read_input_tokens = Empty,
        gen_ai.usage.cache_creation_input_tokens = Empty,
        gen_ai.usage.cost = Empty,
        "error.type" = Empty,
        "http.response.status_code" = Empty,
    )
}

impl Watch {
    pub(super) fn new(span: Span) -> Self {
        Self {
            span,
            begun: Instant::now(),
            log: None,
        }
    }

    /// Keeps what a log needs of the request.
    pub(super) fn log_to(&mut self, recorder: Arc<Recorder>, body: Vec<u8>) {
        self.log = Some(Log {
            recorder,
            body,
            answer: Fold::default(),
        });
    }

    /// Takes note of a part of the answer, or of its failure.
    pub(super) async fn saw(&mut self, part: &Result<StreamPart, LlmError>) {
        match part {
            Ok(part) => self.saw_part(part).await,
            Err(error) => self.failed(error).await,
        }
    }

    async fn saw_part(&mut self, part: &StreamPart) {
        if let Some(log) = &mut self.log {
            log.answer.add(part.clone());
        }
        match part {
            StreamPart::Usage(usage) => self.record_usage(usage),
            StreamPart::ResponseId(id) => {
                self.span.record("gen_ai.response.id", id.as_str());
            }
            StreamPart::End(stop) => {
                self.span
                    .record("gen_ai.response.finish_reasons", finish_reason(stop));
                if let Some(log) = self.log.take()
                    && let Ok(answer) = log.answer.finish()
                {
                    let latency = self.begun.elapsed();
                    log.recorder.answered(&log.body, &answer, latency).await;
                }
            }
            StreamPart::Text(_)
            | StreamPart::Reasoning(_)
            | StreamPart::ToolCall(_)
            | StreamPart::Restart(_) => {}
        }
    }

    fn record_usage(&self, usage: &Usage) {
        let span = &self.span;
        span.record("gen_ai.usage.input_tokens", usage.prompt_tokens);
        span.record("gen_ai.usage.output_tokens", usage.completion_tokens);
        span.record(
            "gen_ai.usage.cache_read_input_tokens",
            usage.cache_read_tokens,
        );
        span.record(
            "gen_ai.usage.cache_creation_input_tokens",
            usage.cache_write_tokens,
        );
        if let Some(cost) = usage.cost {
            span.record("gen_ai.usage.cost", cost);
        }
    }

    pub(super) async fn failed(&mut self, error: &LlmError) {
        self.span.record("error.type", error.code());
        if let Some(status) = error.status {
            self.span.record("http.response.status_code", status);
        }
        // Who cancelled is not to wait for a log.
        if let Some(log) = self
            .log
            .take()
            .filter(|_| error.kind != LlmErrorKind::Cancelled)
        {
            let latency = self.begun.elapsed();
            log.recorder.failed(&log.body, error, latency).await;
        }
    }
}
