//! Which model is asked: what the variables say.

use openhands_sdk_rs::Llm;
use openhands_sdk_rs::llm::{LlmError, LlmErrorKind, ModelName, llm_from_vars};
use openhands_sdk_rs::protocol::Secret;

/// A provider, the variable that usually holds its key, and a model of it that is good at this work.
struct Known {
    provider: &'static str,
    variable: &'static str,
    model: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        provider: "anthropic",
        variable: "ANTHROPIC_API_KEY",
        model: "anthropic/claude-sonnet-5",
    },
    Known {
        provider: "openai",
        variable: "OPENAI_API_KEY",
        model: "openai/gpt-5.6",
    },
    Known {
        provider: "gemini",
        variable: "GEMINI_API_KEY",
        model: "gemini/gemini-3.1-pro-preview",
    },
    Known {
        provider: "openrouter",
        variable: "OPENROUTER_API_KEY",
        model: "openrouter/anthropic/claude-sonnet-5",
    },
    Known {
        provider: "mistral",
        variable: "MISTRAL_API_KEY",
        model: "mistral/devstral-latest",
    },
    Known {
        provider: "deepseek",
        variable: "DEEPSEEK_API_KEY",
        model: "deepseek/deepseek-v4-pro",
    },
    Known {
        provider: "xai",
        variable: "XAI_API_KEY",
        model: "xai/grok-4.7",
    },
    Known {
        provider: "moonshot",
        variable: "MOONSHOT_API_KEY",
        model: "moonshot/kimi-k3",
    },
    Known {
        provider: "groq",
        variable: "GROQ_API_KEY",
        model: "groq/openai/gpt-oss-120b",
    },
];

/// Whoever watches a demo does not wait for minutes; `LLM_NUM_RETRIES` and its like say otherwise.
const PATIENCE: &[(&str, &str)] = &[
    ("LLM_NUM_RETRIES", "2"),
    ("LLM_RETRY_MIN_WAIT", "1"),
    ("LLM_RETRY_MAX_WAIT", "4"),
    ("LLM_RETRY_MULTIPLIER", "1"),
];

/// The model that the variables name; none if they name none.
pub(crate) fn choose(env: &[(String, String)]) -> Result<Option<Llm>, LlmError> {
    let value = |name: &str| {
        let found = env.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    };
    let patience = PATIENCE.iter().filter(|(name, _)| value(name).is_none());
    let vars = patience.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let mut llm = llm_from_vars(env.iter().cloned().chain(vars))?;
    let is_named = ["LLM_MODEL", "LLM_API_KEY", "LLM_BASE_URL"]
        .iter()
        .any(|name| value(name).is_some());
    if !is_named {
        let Some(known) = KNOWN.iter().find(|known| value(known.variable).is_some()) else {
            return Ok(None);
        };
        known.model.clone_into(&mut llm.model);
    } else if value("LLM_MODEL").is_none() && value("LLM_BASE_URL").is_some() {
        return Err(LlmError::new(
            LlmErrorKind::Configuration,
            "LLM_BASE_URL is set, but LLM_MODEL does not say which model to ask there.",
        ));
    }
    if llm.api_key.is_none() {
        let name = ModelName::parse(&llm.model, llm.base_url.is_some())?;
        let known = KNOWN
            .iter()
            .find(|known| known.provider == name.provider.as_str());
        llm.api_key = known
            .and_then(|known| value(known.variable))
            .map(Secret::new);
    }
    Ok(Some(llm))
}

/// The environment for the agent's commands: keys are none of their business.
pub(crate) fn without_keys(env: Vec<(String, String)>) -> Vec<(String, String)> {
    env.into_iter()
        .filter(|(name, _)| {
            !name.starts_with("LLM_") && KNOWN.iter().all(|known| known.variable != name)
        })
        .collect()
}
