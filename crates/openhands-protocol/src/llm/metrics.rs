//! What a model cost, in money, tokens and time.

use crate::wire::wire;

wire! {
    /// Tokens of one call, or of many together.
    pub struct TokenUsage (default) {
        model: String = String::new(),
        prompt_tokens: i64 = 0,
        completion_tokens: i64 = 0,
        cache_read_tokens: i64 = 0,
        cache_write_tokens: i64 = 0,
        reasoning_tokens: i64 = 0,
        context_window: i64 = 0,
        per_turn_token: i64 = 0,
        response_id: String = String::new(),
    }

    /// Money of one call.
    pub struct Cost (default) {
        model: String,
        cost: f64,
        timestamp: f64 = 0.0,
    }

    /// Seconds of one call.
    pub struct ResponseLatency (default) {
        model: String,
        latency: f64,
        response_id: String,
    }

    /// All that is known about the use of a model.
    pub struct Metrics (default) {
        model_name: String = "default".to_owned(),
        accumulated_cost: f64 = 0.0,
        max_budget_per_task: Option<f64> = None,
        accumulated_token_usage: Option<TokenUsage> = None,
        costs: Vec<Cost> = Vec::new(),
        response_latencies: Vec<ResponseLatency> = Vec::new(),
        token_usages: Vec<TokenUsage> = Vec::new(),
    }

    /// The sums without the lists.
    pub struct MetricsSnapshot (default) {
        model_name: String = "default".to_owned(),
        accumulated_cost: f64 = 0.0,
        max_budget_per_task: Option<f64> = None,
        accumulated_token_usage: Option<TokenUsage> = None,
    }
}
