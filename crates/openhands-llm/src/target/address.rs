//! Addresses and headers of requests that are sent as bytes.

use openhands_protocol::llm::Llm;

use crate::error::{LlmError, LlmErrorKind};
use crate::features::{ModelFeatures, Thinking};
use crate::model_name::{ModelName, Provider};
use crate::target::Protocol;

const OPENAI_URL: &str = "https://api.openai.com/v1";
const ANTHROPIC_URL: &str = "https://api.anthropic.com";
const ANTHROPIC_VERSION: &str = "2023-06-01";
const OPENROUTER_URL: &str = "https://openrouter.ai/api/v1";
const OPENHANDS_URL: &str = "https://llm-proxy.app.all-hands.dev";
const OLLAMA_URL: &str = "http://localhost:11434";
const AZURE_API_VERSION: &str = "2024-12-01-preview";
/// Lets Claude think between tool calls.
const INTERLEAVED_THINKING: &str = "interleaved-thinking-2025-05-14";

/// The address that the user gave. OpenAI's own is no choice at all.
pub(super) fn given_url(llm: &Llm) -> Option<&str> {
    llm.base_url
        .as_deref()
        .map(|url| url.trim().trim_end_matches('/'))
        .filter(|url| !url.is_empty())
        .filter(|url| !(*url == OPENAI_URL && llm.model.starts_with("openai/")))
}

pub(super) fn base_url(
    name: &ModelName,
    llm: &Llm,
    given: Option<&str>,
) -> Result<String, LlmError> {
    let default = match name.provider {
        Provider::OpenAi => OPENAI_URL,
        Provider::Anthropic => ANTHROPIC_URL,
        Provider::OpenRouter => OPENROUTER_URL,
        Provider::OpenHands => OPENHANDS_URL,
        Provider::Ollama => {
            let own = llm
                .ollama_base_url
                .as_deref()
                .or(given)
                .unwrap_or(OLLAMA_URL);
            let own = own.trim_end_matches('/');
            // Ollama speaks OpenAI's protocol below /v1; users give the root.
            return Ok(if own.ends_with("/v1") {
                own.to_owned()
            } else {
                format!("{own}/v1")
            });
        }
        Provider::Compatible(service) if service.base_url.is_some() => {
            service.base_url.unwrap_or_default()
        }
        Provider::Azure
        | Provider::LitellmProxy
        | Provider::Compatible(_)
        | Provider::Gemini
        | Provider::Vertex
        | Provider::Bedrock => {
            return given.map(str::to_owned).ok_or_else(|| {
                LlmError::new(
                    LlmErrorKind::Configuration,
                    format!("The model `{}` needs a base URL.", llm.model),
                )
            });
        }
    };
    Ok(given.unwrap_or(default).to_owned())
}

pub(super) fn messages_url(base_url: &str) -> String {
    if base_url.ends_with("/messages") {
        base_url.to_owned()
    } else if base_url.ends_with("/v1") {
        format!("{base_url}/messages")
    } else {
        format!("{base_url}/v1/messages")
    }
}

pub(super) fn azure_url(base_url: &str, path: &str, llm: &Llm) -> String {
    let version = llm.api_version.as_deref().unwrap_or(AZURE_API_VERSION);
    format!("{base_url}/openai/{path}?api-version={version}")
}

pub(super) fn key(llm: &Llm) -> Option<&str> {
    llm.api_key
        .as_ref()
        .and_then(|key| key.expose())
        .filter(|key| !key.trim().is_empty())
}

pub(super) fn headers(
    name: &ModelName,
    protocol: Protocol,
    llm: &Llm,
    features: &ModelFeatures,
) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
    if let Some(key) = key(llm) {
        match (name.provider, protocol) {
            (_, Protocol::Messages) => add("x-api-key", key),
            (Provider::Azure, _) => add("api-key", key),
            _ => add("Authorization", &format!("Bearer {key}")),
        }
    }
    if protocol == Protocol::Messages {
        add("anthropic-version", ANTHROPIC_VERSION);
    }
    if features.thinking == Thinking::Manual {
        add("anthropic-beta", INTERLEAVED_THINKING);
    }
    if name.provider == Provider::OpenRouter {
        add("HTTP-Referer", &llm.openrouter_site_url);
        add("X-Title", &llm.openrouter_app_name);
    }
    add_own(&mut headers, llm);
    headers
}

/// Headers that the user gave, in place of those of the same name.
pub(super) fn add_own(headers: &mut Vec<(String, String)>, llm: &Llm) {
    for (name, value) in llm.extra_headers.iter().flatten() {
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name.clone(), value.clone()));
    }
}
