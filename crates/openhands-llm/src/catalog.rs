//! What is known about models: limits, prices, abilities. An embedded table, and a file laid over it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::catalog_file;
use crate::error::{LlmError, LlmErrorKind};
use crate::model::Usage;

pub(crate) const TOKENS_PER_PRICE: f64 = 1_000_000.0;

/// What is known about a model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct Entry {
    /// What its tokens cost, if that is known.
    #[serde(flatten)]
    pub(crate) prices: Option<Prices>,
    /// What they cost in requests that are longer than a limit.
    #[serde(default)]
    pub(crate) above: Option<Above>,
    /// Tokens that fit into one request.
    #[serde(rename = "window", default)]
    pub(crate) context_window: Option<u64>,
    /// Tokens that one answer may have.
    #[serde(rename = "max_out", default)]
    pub(crate) max_output_tokens: Option<u64>,
    /// A letter for each ability: see [`Ability`].
    #[serde(rename = "can", default)]
    pub(crate) abilities: String,
}

/// What a model may be able to do, by its letter in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    Vision,
    Thinking,
    AdaptiveThinking,
    Responses,
    NoSampling,
}

impl Ability {
    pub(crate) const fn letter(self) -> char {
        match self {
            Self::Vision => 'v',
            Self::Thinking => 't',
            Self::AdaptiveThinking => 'a',
            Self::Responses => 'r',
            Self::NoSampling => 'n',
        }
    }
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

/// Prices of requests that are longer than a limit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Above {
    pub(crate) tokens: u64,
    #[serde(flatten)]
    pub(crate) prices: Prices,
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
    pub(crate) fn prices_for(&self, usage: &Usage) -> Option<&Prices> {
        match &self.above {
            Some(above) if usage.prompt_tokens > above.tokens => Some(&above.prices),
            _ => self.prices.as_ref(),
        }
    }

    pub(crate) fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(ability.letter())
    }
}

#[allow(clippy::cast_precision_loss, reason = "no request has 2^52 tokens")]
fn tokens(number: u64) -> f64 {
    number as f64
}

/// The embedded table. Entries are read when they are asked for.
struct Embedded {
    entries: HashMap<&'static str, &'static RawValue>,
    /// The last part of a name -> the name, for names that come without the provider.
    by_last_part: HashMap<&'static str, &'static str>,
}

#[derive(Deserialize)]
struct Table {
    #[serde(borrow)]
    models: HashMap<&'static str, &'static RawValue>,
}

/// Whose entry counts when only the last part of a name is known: the maker's own.
const MAKERS: &[&str] = &[
    "gemini",
    "deepseek",
    "mistral",
    "xai",
    "moonshot",
    "minimax",
    "zai",
    "dashscope",
    "codestral",
];

/// Read when the first model is configured, never before.
static EMBEDDED: LazyLock<Embedded> = LazyLock::new(|| {
    let entries = match serde_json::from_str::<Table>(include_str!("../data/models.json")) {
        Ok(table) => table.models,
        Err(error) => {
            tracing::error!(%error, "the embedded catalogue of models cannot be read");
            HashMap::new()
        }
    };
    let by_last_part = entries
        .keys()
        .filter_map(|name| {
            let (provider, rest) = name.split_once('/')?;
            let last = rest.rsplit('/').next()?;
            MAKERS.contains(&provider).then_some((last, *name))
        })
        .collect();
    Embedded {
        entries,
        by_last_part,
    }
});

/// Dates, revisions and release words at the end of a name: they change no price.
static SUFFIX: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:-\d{8}|@\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-preview(?:-\d{2}-\d{2,4})?|-v\d+(?::\d+)?)+$").ok()
});

/// Those who pass calls on to a model's maker.
const PASS_ON: &[&str] = &["litellm_proxy", "openhands", "openrouter"];
/// Providers whose models stand in the table without them.
const BARE: &[&str] = &[
    "openai",
    "anthropic",
    "bedrock",
    "bedrock_converse",
    "cohere",
];

/// What is known about models.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Laid over the embedded table.
    own: Arc<HashMap<String, Entry>>,
}

impl Catalog {
    /// The embedded table with a file laid over it. The file is in LiteLLM's format: names of models, and for each
    /// `max_input_tokens`, `input_cost_per_token`, `supports_vision` and the like.
    pub fn with_file(path: &Path) -> Result<Self, LlmError> {
        let unusable = |why: String| {
            let message = format!("The catalogue {} cannot be used: {why}", path.display());
            LlmError::new(LlmErrorKind::Configuration, message)
        };
        let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        let own = catalog_file::read(&text).map_err(|error| unusable(error.to_string()))?;
        Ok(Self { own: Arc::new(own) })
    }

    /// What is known about a model, by its full name in any of the usual spellings.
    pub(crate) fn find(&self, name: &str) -> Option<Entry> {
        let name = name.to_lowercase();
        let name = match name.split_once('/') {
            Some((provider, rest)) if PASS_ON.contains(&provider) => rest,
            _ => name.as_str(),
        };
        let bare = match name.split_once('/') {
            Some((provider, rest)) if BARE.contains(&provider) => rest,
            _ => name,
        };
        let last = bare.rsplit('/').next().unwrap_or(bare);
        // Bedrock puts a region in front, separated by a dot.
        let regionless = bare.split_once('.').map_or(bare, |(_, rest)| rest);
        let exact = [name, bare, regionless];
        let exact = exact.iter().find_map(|name| self.get(name));
        let exact = exact.or_else(|| self.get(&without_suffix(bare)));
        if exact.is_some() {
            return exact;
        }
        // The model is known, but not from this provider: what it can do holds here too, its prices do not.
        let found = self.by_last_part(last)?;
        let is_maker = !bare.contains('/');
        Some(if is_maker {
            found
        } else {
            Entry {
                prices: None,
                above: None,
                ..found
            }
        })
    }

    fn by_last_part(&self, last: &str) -> Option<Entry> {
        let short = without_suffix(last);
        // OpenRouter writes versions of Claude with a dot.
        let dashed = short.replace('.', "-");
        let claude = dashed.contains("claude").then_some(dashed.as_str());
        let spellings = [Some(last), Some(short.as_str()), claude];
        spellings.into_iter().flatten().find_map(|name| {
            self.get(name)
                .or_else(|| self.get(EMBEDDED.by_last_part.get(name)?))
        })
    }

    fn get(&self, name: &str) -> Option<Entry> {
        if let Some(entry) = self.own.get(name) {
            return Some(entry.clone());
        }
        let text = EMBEDDED.entries.get(name)?.get();
        serde_json::from_str(text)
            .inspect_err(
                |error| tracing::error!(name, %error, "an entry of the catalogue cannot be read"),
            )
            .ok()
    }
}

fn without_suffix(name: &str) -> String {
    SUFFIX.as_ref().map_or_else(
        || name.to_owned(),
        |suffix| suffix.replace(name, "").into_owned(),
    )
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
