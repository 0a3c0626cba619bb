//! Asking the model: its answer as it is written, and what it used.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::StreamExt as _;
use openhands_llm::{
    ChatRequest, Completion, Fold, ModelFeatures, ReasoningDelta, StreamPart, record,
};
use openhands_protocol::EventId;
use openhands_protocol::conversation::ConversationStatsSnapshot;
use openhands_protocol::llm::{Llm, Metrics, MetricsSnapshot, TokenUsage};

use crate::agent::step::{Step, StepError, failed};
use crate::conversation::{ConversationError, DeltaKind, Inner, Live};
use crate::secrets::{Masker, StreamMasker};

impl Step<'_> {
    /// Asks the model. `id` is that of the event that the answer will be.
    pub(crate) async fn sample(
        self,
        request: ChatRequest,
        id: &EventId,
    ) -> Result<Completion, StepError> {
        let equipment = self.equipment;
        let answer = if equipment.llm.stream && self.conversation.is_watched() {
            self.stream(request, id).await?
        } else {
            equipment
                .model
                .complete(request, self.cancel.clone())
                .await
                .map_err(failed)?
        };
        // With the answer's own event, in one go.
        self.conversation
            .writer()
            .await
            .hold_stats(&self.conversation.count(
                &equipment.llm,
                equipment.context_window,
                &answer,
            ))?;
        Ok(answer)
    }

    /// Asks the model and passes its words on as they come.
    async fn stream(self, request: ChatRequest, id: &EventId) -> Result<Completion, StepError> {
        // What is not stored yet comes before what never is.
        self.conversation.writer().await.emit_held().await?;
        let mut telling = Telling::begin(self.conversation, id, self.known_masker());
        let told = async {
            let mut parts = self
                .equipment
                .model
                .stream(request, self.cancel.clone())
                .await?;
            let mut fold = Fold::default();
            while let Some(part) = parts.next().await {
                let part = part?;
                telling.tell(&part);
                fold.add(part);
            }
            fold.finish()
        };
        let answer = told.await;
        match answer {
            Ok(answer) => {
                telling.end();
                Ok(answer)
            }
            Err(error) => {
                telling.abort(if self.cancel.is_cancelled() {
                    "cancelled"
                } else {
                    "failed"
                });
                Err(failed(error))
            }
        }
    }
}

/// Tells watchers about an answer that is being written, without the secrets in it.
struct Telling<'a> {
    conversation: &'a Inner,
    item: EventId,
    attempt: u32,
    order: u64,
    /// Under which id the provider knows the answer.
    response: Option<Arc<str>>,
    text: StreamMasker,
    reasoning: StreamMasker,
    masker: Masker,
}

impl<'a> Telling<'a> {
    fn begin(conversation: &'a Inner, item: &EventId, masker: Masker) -> Self {
        conversation.send(Live::Started {
            item: item.clone(),
            attempt: 1,
        });
        Self {
            conversation,
            item: item.clone(),
            attempt: 1,
            order: 0,
            response: None,
            text: masker.stream(),
            reasoning: masker.stream(),
            masker,
        }
    }

    fn tell(&mut self, part: &StreamPart) {
        match part {
            StreamPart::Text(text) => {
                self.flush(DeltaKind::Reasoning);
                let text = self.text.feed(text);
                self.send(DeltaKind::Text, &text);
            }
            StreamPart::Reasoning(ReasoningDelta::Text(text)) => {
                let text = self.reasoning.feed(text);
                self.send(DeltaKind::Reasoning, &text);
            }
            StreamPart::Restart(restart) => {
                self.abort("retry");
                self.text = self.masker.stream();
                self.reasoning = self.masker.stream();
                self.attempt = restart.attempt;
                self.order = 0;
                self.response = None;
                self.conversation.send(Live::Started {
                    item: self.item.clone(),
                    attempt: self.attempt,
                });
            }
            StreamPart::ResponseId(id) => self.response = Some(Arc::from(id.as_str())),
            StreamPart::Reasoning(_)
            | StreamPart::ToolCall(_)
            | StreamPart::Usage(_)
            | StreamPart::End(_) => {}
        }
    }

    fn end(&mut self) {
        self.flush(DeltaKind::Reasoning);
        self.flush(DeltaKind::Text);
    }

    /// Sends what was held back because a secret might have begun in it.
    fn flush(&mut self, kind: DeltaKind) {
        let masker = match kind {
            DeltaKind::Text => &mut self.text,
            DeltaKind::Reasoning => &mut self.reasoning,
        };
        let rest = masker.finish();
        self.send(kind, &rest);
    }

    fn send(&mut self, kind: DeltaKind, content: &str) {
        if content.is_empty() {
            return;
        }
        self.conversation.send(Live::Delta {
            item: self.item.clone(),
            attempt: self.attempt,
            order: self.order,
            response: self.response.clone(),
            kind,
            content: Arc::from(content),
        });
        self.order += 1;
    }

    fn abort(&self, reason: &'static str) {
        self.conversation.send(Live::Aborted {
            item: self.item.clone(),
            attempt: self.attempt,
            reason,
        });
    }
}

impl Inner {
    /// Adds what an answer used to the conversation's stats, and tells watchers.
    pub(crate) async fn book(
        &self,
        llm: &Llm,
        answer: &Completion,
    ) -> Result<(), ConversationError> {
        let window = ModelFeatures::of(llm).context_window;
        let snapshot = self.count(llm, window, answer);
        // compat: sums are shown with their nulls.
        self.writer().await.tell_whole("stats", &snapshot).await
    }

    /// Adds what somebody else used to the conversation's stats, and tells watchers.
    pub(crate) async fn book_metrics(
        &self,
        usage_id: &str,
        used: &Metrics,
    ) -> Result<(), ConversationError> {
        let snapshot = {
            let mut state = self.state.write();
            let known = state.stats.usage_to_metrics.entry(usage_id.to_owned());
            merge(
                known.or_insert_with(|| Metrics {
                    model_name: used.model_name.clone(),
                    ..Metrics::default()
                }),
                used,
            );
            stats_snapshot(&state.stats)
        };
        self.writer().await.tell("stats", &snapshot).await
    }

    /// Adds what an answer used to the conversation's stats. Gives the sums.
    pub(crate) fn count(
        &self,
        llm: &Llm,
        window: Option<u64>,
        answer: &Completion,
    ) -> ConversationStatsSnapshot {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut state = self.state.write();
        let metrics = state
            .stats
            .usage_to_metrics
            .entry(llm.usage_id.clone())
            .or_insert_with(|| Metrics {
                model_name: llm.model.clone(),
                ..Default::default()
            });
        let now = now.map_or(0.0, |now| now.as_secs_f64());
        record(metrics, &llm.model, window, answer, now);
        stats_snapshot(&state.stats)
    }
}

/// Adds one account of use to another.
fn merge(into: &mut Metrics, used: &Metrics) {
    into.accumulated_cost += used.accumulated_cost;
    into.costs.extend(used.costs.iter().cloned());
    into.response_latencies
        .extend(used.response_latencies.iter().cloned());
    into.token_usages.extend(used.token_usages.iter().cloned());
    let Some(more) = &used.accumulated_token_usage else {
        return;
    };
    let sum = into
        .accumulated_token_usage
        .get_or_insert_with(|| TokenUsage {
            model: more.model.clone(),
            ..TokenUsage::default()
        });
    sum.prompt_tokens = sum.prompt_tokens.saturating_add(more.prompt_tokens);
    sum.completion_tokens = sum.completion_tokens.saturating_add(more.completion_tokens);
    sum.cache_read_tokens = sum.cache_read_tokens.saturating_add(more.cache_read_tokens);
    sum.cache_write_tokens = sum
        .cache_write_tokens
        .saturating_add(more.cache_write_tokens);
    sum.reasoning_tokens = sum.reasoning_tokens.saturating_add(more.reasoning_tokens);
    sum.context_window = sum.context_window.max(more.context_window);
    sum.per_turn_token = more.per_turn_token;
}

/// The sums of a conversation's stats.
pub(crate) fn stats_snapshot(
    stats: &openhands_protocol::conversation::ConversationStats,
) -> ConversationStatsSnapshot {
    let sums = stats.usage_to_metrics.iter().map(|(id, metrics)| {
        let sums = MetricsSnapshot {
            model_name: metrics.model_name.clone(),
            accumulated_cost: metrics.accumulated_cost,
            max_budget_per_task: metrics.max_budget_per_task,
            accumulated_token_usage: metrics.accumulated_token_usage.clone(),
            ..MetricsSnapshot::default()
        };
        (id.clone(), sums)
    });
    ConversationStatsSnapshot {
        usage_to_metrics: sums.collect(),
        ..ConversationStatsSnapshot::default()
    }
}
