//! What of a model's settings goes into its requests.

use std::time::Duration;

use openhands_protocol::llm::{Llm, ReasoningEffort};
use serde_json::{Map, Value};

use crate::features::{ModelFeatures, Thinking, positive};
use crate::model_name::Provider;
use crate::target::{Target, is_subscription};

/// Models whose real limit is known better than catalogues tell.
const LONG_ANSWERS: &[&str] = &["claude-3-7-sonnet", "claude-sonnet-4", "kimi-k2-thinking"];
const LONG_ANSWER_TOKENS: u64 = 64_000;
/// A server behind an address of the user's may be smaller than its model's name promises.
const FOREIGN_SERVER_TOKENS: u64 = 16_384;
const O3_TOKENS: u64 = 100_000;

/// What goes into every request of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Settings {
    pub(crate) features: ModelFeatures,
    pub(crate) provider: Provider,
    /// Lower-cased full name, by which models are told apart.
    pub(crate) name: String,
    /// What the provider calls it.
    pub(crate) model: String,
    pub(crate) stream: bool,
    /// A user's plan is used, which takes less in a request than the API does.
    pub(crate) is_subscription: bool,
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) top_k: Option<f64>,
    pub(crate) seed: Option<i64>,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) effort: Option<String>,
    pub(crate) summary: Option<String>,
    pub(crate) encrypted_reasoning: bool,
    pub(crate) thinking_budget: Option<u64>,
    pub(crate) cache_retention: Option<String>,
    pub(crate) extra_body: Map<String, Value>,
    /// For a whole attempt, streamed or not.
    pub(crate) timeout: Option<Duration>,
    /// Between two pieces of a streamed answer.
    pub(crate) idle_timeout: Option<Duration>,
}

impl Settings {
    pub(crate) fn of(llm: &Llm, target: &Target, features: ModelFeatures) -> Self {
        let name = llm
            .model_canonical_name
            .as_deref()
            .unwrap_or(&llm.model)
            .to_lowercase();
        let max_output_tokens = output_limit(llm, &name, target.provider, &features);
        let effort = llm
            .reasoning_effort
            .as_ref()
            .filter(|effort| features.reasoning_effort && **effort != ReasoningEffort::None)
            .map(|effort| effort.as_str().to_owned());
        let manual = features.thinking == Thinking::Manual;
        Self {
            provider: target.provider,
            name,
            model: target.model.clone(),
            stream: llm.stream || is_subscription(llm),
            is_subscription: is_subscription(llm),
            temperature: llm.temperature.filter(|_| features.sampling),
            top_p: llm.top_p.filter(|_| features.sampling),
            top_k: llm.top_k.filter(|_| features.sampling),
            seed: llm.seed,
            max_output_tokens,
            effort: effort.filter(|_| !manual),
            summary: llm
                .reasoning_summary
                .as_ref()
                .map(|summary| summary.as_str().to_owned()),
            encrypted_reasoning: llm.enable_encrypted_reasoning,
            thinking_budget: positive(llm.extended_thinking_budget)
                .filter(|_| manual)
                .map(|budget| {
                    budget.min(
                        max_output_tokens
                            .unwrap_or(LONG_ANSWER_TOKENS)
                            .saturating_sub(1),
                    )
                }),
            cache_retention: llm
                .prompt_cache_retention
                .clone()
                .filter(|_| features.cache_retention),
            extra_body: llm.litellm_extra_body.0.clone(),
            timeout: positive(llm.timeout).map(Duration::from_secs),
            idle_timeout: idle_timeout(llm),
            features,
        }
    }
}

/// The default of the idle limit, in seconds. It stands for "as long as the whole attempt".
const DEFAULT_IDLE_SECONDS: f64 = 300.0;

/// How long a stream may be silent. Nothing limits it if the user says so.
fn idle_timeout(llm: &Llm) -> Option<Duration> {
    let seconds = llm.stream_idle_timeout?;
    let is_default = (seconds - DEFAULT_IDLE_SECONDS).abs() < f64::EPSILON;
    match positive(llm.timeout) {
        Some(whole) if is_default => Some(Duration::from_secs(whole)),
        _ => Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|limit| !limit.is_zero()),
    }
}

/// How long an answer may be. Unknown models are not limited by us.
fn output_limit(
    llm: &Llm,
    name: &str,
    provider: Provider,
    features: &ModelFeatures,
) -> Option<u64> {
    if let Some(limit) = positive(llm.max_output_tokens) {
        return Some(limit);
    }
    if LONG_ANSWERS.iter().any(|model| name.contains(model)) {
        return Some(LONG_ANSWER_TOKENS);
    }
    let mut limit = features.max_output_tokens?;
    // A limit as large as the window would leave no room for the request.
    if features
        .context_window
        .is_some_and(|window| limit >= window)
    {
        limit /= 2;
    }
    let is_foreign =
        llm.base_url.is_some() && !matches!(provider, Provider::LitellmProxy | Provider::OpenHands);
    if is_foreign {
        limit = limit.min(FOREIGN_SERVER_TOKENS);
    }
    if name
        .rsplit('/')
        .next()
        .is_some_and(|last| last.starts_with("o3"))
    {
        limit = limit.min(O3_TOKENS);
    }
    Some(limit)
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
