//! The embedded catalogue: prices and limits of common models.
//!
//! It is read from `models.json`: US dollars per million tokens, and windows in tokens. A model that is not
//! in it has no price, which callers must tell apart from a price of nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;

use crate::model::Usage;

const TOKENS_PER_PRICE: f64 = 1_000_000.0;

/// What is known about a model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Entry {
    /// What its tokens cost.
    #[serde(flatten)]
    pub prices: Prices,
    /// What they cost in requests that are longer than a limit.
    #[serde(default)]
    above: Option<Above>,
    /// Tokens that fit into one request.
    #[serde(rename = "window")]
    pub context_window: u64,
    /// Tokens that one answer may have.
    #[serde(rename = "max_out")]
    pub max_output_tokens: u64,
    /// Whether it sees images, where the name alone would tell wrongly.
    #[serde(default)]
    pub vision: Option<bool>,
}

/// US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Prices {
    /// Of the request.
    #[serde(rename = "in")]
    pub input: f64,
    /// Of the answer.
    #[serde(rename = "out")]
    pub output: f64,
    /// Read from the cache; as the request if there is no such price.
    #[serde(rename = "read", default)]
    pub cache_read: Option<f64>,
    /// Written to the cache; as the request if there is no such price.
    #[serde(rename = "write", default)]
    pub cache_write: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Above {
    tokens: u64,
    #[serde(flatten)]
    prices: Prices,
}

impl Prices {
    /// Prices per token that a user gave. They hold for cached tokens too.
    pub fn per_token(input: f64, output: f64) -> Self {
        Self {
            input: input * TOKENS_PER_PRICE,
            output: output * TOKENS_PER_PRICE,
            cache_read: None,
            cache_write: None,
        }
    }

    /// What a call cost in US dollars.
    pub fn cost(&self, usage: &Usage) -> f64 {
        let cached = usage
            .cache_read_tokens
            .saturating_add(usage.cache_write_tokens);
        let plain = usage.prompt_tokens.saturating_sub(cached);
        let dollars = tokens(plain) * self.input
            + tokens(usage.cache_read_tokens) * self.cache_read.unwrap_or(self.input)
            + tokens(usage.cache_write_tokens) * self.cache_write.unwrap_or(self.input)
            + tokens(usage.completion_tokens) * self.output;
        dollars / TOKENS_PER_PRICE
    }
}

impl Entry {
    /// The prices for a request of this length.
    pub(crate) fn prices_for(&self, usage: &Usage) -> &Prices {
        match &self.above {
            Some(above) if usage.prompt_tokens > above.tokens => &above.prices,
            _ => &self.prices,
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "no request has 2^52 tokens")]
fn tokens(number: u64) -> f64 {
    number as f64
}

static MODELS: LazyLock<HashMap<String, Entry>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("models.json")).unwrap_or_else(|error| {
        tracing::error!(%error, "the embedded catalogue of models cannot be read");
        HashMap::new()
    })
});

/// Dates, revisions and release words at the end of a name: they change no price.
static SUFFIX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:-\d{8}|@\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-preview(?:-\d{2}-\d{2,4})?|-v\d+(?::\d+)?)+$").ok()
});

/// What is known about a model, by its full name in any of the usual spellings.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    let name = name.to_lowercase();
    let last = name.rsplit('/').next().unwrap_or(&name);
    // Bedrock puts region and vendor in front, separated by dots.
    let last = match last.rfind("anthropic.") {
        Some(at) => last.get(at + "anthropic.".len()..).unwrap_or(last),
        None => last,
    };
    let bare = SUFFIX
        .as_ref()
        .map_or_else(|| last.into(), |suffix| suffix.replace(last, ""));
    MODELS
        .get(last)
        .or_else(|| MODELS.get(bare.as_ref()))
        .or_else(|| {
            // OpenRouter writes versions of Claude with a dot.
            bare.contains("claude")
                .then(|| MODELS.get(&bare.replace('.', "-")))
                .flatten()
        })
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
