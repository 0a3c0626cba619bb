//! What calls used: reading it from providers' replies, pricing it, adding it up.

use std::time::Duration;

use openhands_protocol::ResponseId;
use openhands_protocol::llm::{Cost, Llm, Metrics, ResponseLatency, TokenUsage};
use serde_json::Value;

use crate::catalog::{Catalog, Entry, Prices};
use crate::model::{Completion, Usage};
use crate::place::at;

impl Usage {
    /// Reads the `usage` object of the chat and the Responses API, and of Anthropic's.
    pub(crate) fn from_json(usage: &Value) -> Self {
        let number = |places: &[&str]| {
            places
                .iter()
                .find_map(|place| at(usage, place).and_then(Value::as_u64))
                .unwrap_or(0)
        };
        let cache_read_tokens = number(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/cache_read_input_tokens",
            "/prompt_cache_hit_tokens",
        ]);
        let cache_write_tokens = number(&[
            "/cache_creation_input_tokens",
            "/prompt_tokens_details/cache_creation_tokens",
            "/prompt_tokens_details/cache_write_tokens",
        ]);
        // Anthropic counts cached tokens apart; the others count them in.
        let is_anthropic = usage.get("prompt_tokens").is_none()
            && (usage.get("cache_read_input_tokens").is_some()
                || usage.get("cache_creation_input_tokens").is_some());
        let counted = number(&["/prompt_tokens", "/input_tokens"]);
        Self {
            prompt_tokens: if is_anthropic {
                counted
                    .saturating_add(cache_read_tokens)
                    .saturating_add(cache_write_tokens)
            } else {
                counted
            },
            completion_tokens: number(&["/completion_tokens", "/output_tokens"]),
            cache_read_tokens,
            cache_write_tokens,
            reasoning_tokens: number(&[
                "/completion_tokens_details/reasoning_tokens",
                "/output_tokens_details/reasoning_tokens",
                "/output_tokens_details/thinking_tokens",
            ]),
            // OpenRouter says what it charged.
            cost: usage
                .get("cost")
                .and_then(Value::as_f64)
                .filter(|cost| *cost > 0.0),
        }
    }
}

/// What calls of one configured model cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pricing {
    custom: Option<Prices>,
    known: Option<Entry>,
}

impl Pricing {
    pub(crate) fn of(llm: &Llm, catalog: &Catalog) -> Self {
        Self {
            custom: llm
                .input_cost_per_token
                .zip(llm.output_cost_per_token)
                .map(|(input, output)| Prices::per_token(input, output)),
            known: catalog.find(llm.model_canonical_name.as_deref().unwrap_or(&llm.model)),
        }
    }

    /// The usage with its cost: what the provider said, else the user's prices, else the catalogue's, else unknown.
    pub(crate) fn price(&self, mut usage: Usage) -> Usage {
        if usage.cost.is_none() {
            usage.cost = match &self.custom {
                Some(prices) => Some(prices.cost(&usage)),
                None => self
                    .known
                    .as_ref()
                    .and_then(|entry| entry.prices_for(&usage))
                    .map(|prices| prices.cost(&usage)),
            };
        }
        usage
    }
}

/// Adds one answer to what is known about the use of a model. `timestamp` is seconds since 1970.
pub fn record(
    metrics: &mut Metrics,
    model: &str,
    context_window: Option<u64>,
    answer: &Completion,
    timestamp: f64,
) {
    let cost = answer.usage.cost.filter(|cost| *cost > 0.0);
    if let Some(cost) = cost {
        metrics.accumulated_cost += cost;
        metrics.costs.push(Cost {
            model: model.to_owned(),
            cost,
            timestamp,
            ..Cost::default()
        });
    }
    metrics.response_latencies.push(ResponseLatency {
        model: model.to_owned(),
        latency: seconds(answer.latency),
        response_id: answer.response_id.as_str().to_owned(),
        ..ResponseLatency::default()
    });
    let call = token_usage(&answer.usage, model, context_window, &answer.response_id);
    let sum = metrics
        .accumulated_token_usage
        .get_or_insert_with(|| TokenUsage {
            model: model.to_owned(),
            ..TokenUsage::default()
        });
    sum.prompt_tokens = sum.prompt_tokens.saturating_add(call.prompt_tokens);
    sum.completion_tokens = sum.completion_tokens.saturating_add(call.completion_tokens);
    sum.cache_read_tokens = sum.cache_read_tokens.saturating_add(call.cache_read_tokens);
    sum.cache_write_tokens = sum
        .cache_write_tokens
        .saturating_add(call.cache_write_tokens);
    sum.reasoning_tokens = sum.reasoning_tokens.saturating_add(call.reasoning_tokens);
    sum.context_window = sum.context_window.max(call.context_window);
    sum.per_turn_token = call.per_turn_token;
    metrics.token_usages.push(call);
}

fn token_usage(
    usage: &Usage,
    model: &str,
    context_window: Option<u64>,
    id: &ResponseId,
) -> TokenUsage {
    TokenUsage {
        model: model.to_owned(),
        prompt_tokens: signed(usage.prompt_tokens),
        completion_tokens: signed(usage.completion_tokens),
        cache_read_tokens: signed(usage.cache_read_tokens),
        cache_write_tokens: signed(usage.cache_write_tokens),
        reasoning_tokens: signed(usage.reasoning_tokens),
        context_window: signed(context_window.unwrap_or(0)),
        per_turn_token: signed(usage.prompt_tokens.saturating_add(usage.completion_tokens)),
        response_id: id.as_str().to_owned(),
        ..TokenUsage::default()
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn seconds(duration: Duration) -> f64 {
    duration.as_secs_f64()
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
