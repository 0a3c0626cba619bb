//! A catalogue of models in LiteLLM's format.

use std::collections::HashMap;

use serde::Deserialize;

use crate::catalog::{Ability, Entry, Prices, TOKENS_PER_PRICE};

/// What LiteLLM's file says of a model, as far as it is used here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Fact {
    max_input_tokens: Option<u64>,
    max_output_tokens: Option<u64>,
    input_cost_per_token: Option<f64>,
    output_cost_per_token: Option<f64>,
    cache_read_input_token_cost: Option<f64>,
    cache_creation_input_token_cost: Option<f64>,
    supports_vision: Option<bool>,
    supports_reasoning: Option<bool>,
    supports_adaptive_thinking: Option<bool>,
    supports_sampling_params: Option<bool>,
    supported_endpoints: Vec<String>,
}

/// The entries of a file, by lower-cased name.
pub(crate) fn read(text: &str) -> Result<HashMap<String, Entry>, serde_json::Error> {
    let facts: HashMap<String, Fact> = serde_json::from_str(text)?;
    Ok(facts
        .into_iter()
        .map(|(name, fact)| (name.to_lowercase(), fact.into()))
        .collect())
}

impl From<Fact> for Entry {
    fn from(fact: Fact) -> Self {
        let price = |price: f64| price * TOKENS_PER_PRICE;
        let prices = fact.input_cost_per_token.zip(fact.output_cost_per_token);
        let abilities = [
            (Ability::Vision, fact.supports_vision == Some(true)),
            (Ability::Thinking, fact.supports_reasoning == Some(true)),
            (
                Ability::AdaptiveThinking,
                fact.supports_adaptive_thinking == Some(true),
            ),
            (
                Ability::Responses,
                fact.supported_endpoints
                    .iter()
                    .any(|path| path == "/v1/responses"),
            ),
            (
                Ability::NoSampling,
                fact.supports_sampling_params == Some(false),
            ),
        ];
        Self {
            prices: prices.map(|(input, output)| Prices {
                input: price(input),
                output: price(output),
                cache_read: fact.cache_read_input_token_cost.map(price),
                cache_write: fact.cache_creation_input_token_cost.map(price),
            }),
            above: None,
            context_window: fact.max_input_tokens,
            max_output_tokens: fact.max_output_tokens,
            abilities: abilities
                .into_iter()
                .filter(|(_, holds)| *holds)
                .map(|(ability, _)| ability.letter())
                .collect(),
        }
    }
}
