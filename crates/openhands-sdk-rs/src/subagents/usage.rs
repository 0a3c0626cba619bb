//! What a sub-agent used of models, as one sum.

use openhands_protocol::conversation::ConversationStats;
use openhands_protocol::llm::{Metrics, TokenUsage};

/// All uses of a conversation as one.
pub(super) fn combined(stats: &ConversationStats) -> Metrics {
    let mut sum = TokenUsage {
        model: "default".to_owned(),
        ..TokenUsage::default()
    };
    let mut all = Metrics::default();
    for metrics in stats.usage_to_metrics.values() {
        all.accumulated_cost += metrics.accumulated_cost;
        all.max_budget_per_task = all.max_budget_per_task.or(metrics.max_budget_per_task);
        all.costs.extend(metrics.costs.iter().cloned());
        all.response_latencies
            .extend(metrics.response_latencies.iter().cloned());
        all.token_usages
            .extend(metrics.token_usages.iter().cloned());
        if let Some(tokens) = &metrics.accumulated_token_usage {
            add(&mut sum, tokens);
        }
    }
    all.accumulated_token_usage = Some(sum);
    all
}

fn add(sum: &mut TokenUsage, tokens: &TokenUsage) {
    sum.prompt_tokens = sum.prompt_tokens.saturating_add(tokens.prompt_tokens);
    sum.completion_tokens = sum
        .completion_tokens
        .saturating_add(tokens.completion_tokens);
    sum.cache_read_tokens = sum
        .cache_read_tokens
        .saturating_add(tokens.cache_read_tokens);
    sum.cache_write_tokens = sum
        .cache_write_tokens
        .saturating_add(tokens.cache_write_tokens);
    sum.reasoning_tokens = sum.reasoning_tokens.saturating_add(tokens.reasoning_tokens);
    sum.context_window = sum.context_window.max(tokens.context_window);
    sum.per_turn_token = tokens.per_turn_token;
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
