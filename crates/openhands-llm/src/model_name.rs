//! Names of models in LiteLLM's spelling: `provider/model`.

use crate::error::{LlmError, LlmErrorKind};

/// Who serves a model, and so in which protocol it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// OpenAI, or any server that speaks its protocol at a base URL.
    OpenAi,
    /// Anthropic's own API.
    Anthropic,
    /// Google's API for Gemini.
    Gemini,
    /// Google's Vertex AI.
    Vertex,
    /// Amazon Bedrock.
    Bedrock,
    /// Azure's OpenAI service.
    Azure,
    /// OpenRouter.
    OpenRouter,
    /// A local Ollama.
    Ollama,
    /// A LiteLLM proxy.
    LitellmProxy,
    /// The OpenHands proxy.
    OpenHands,
    /// Another service that speaks OpenAI's protocol at a known address.
    Compatible(&'static Service),
}

impl Provider {
    /// Its name, as it is written in front of its models'.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Vertex => "vertex_ai",
            Self::Bedrock => "bedrock",
            Self::Azure => "azure",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::LitellmProxy => "litellm_proxy",
            Self::OpenHands => "openhands",
            Self::Compatible(service) => service.prefix,
        }
    }
}

/// A service that speaks OpenAI's protocol at a known address.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Service {
    /// The prefix of its models' names.
    pub prefix: &'static str,
    /// Where it is; a local server has no fixed address.
    pub base_url: Option<&'static str>,
}

const SERVICES: &[Service] = &[
    Service {
        prefix: "mistral",
        base_url: Some("https://api.mistral.ai/v1"),
    },
    Service {
        prefix: "deepseek",
        base_url: Some("https://api.deepseek.com/v1"),
    },
    Service {
        prefix: "groq",
        base_url: Some("https://api.groq.com/openai/v1"),
    },
    Service {
        prefix: "xai",
        base_url: Some("https://api.x.ai/v1"),
    },
    Service {
        prefix: "together_ai",
        base_url: Some("https://api.together.xyz/v1"),
    },
    Service {
        prefix: "fireworks_ai",
        base_url: Some("https://api.fireworks.ai/inference/v1"),
    },
    Service {
        prefix: "moonshot",
        base_url: Some("https://api.moonshot.ai/v1"),
    },
    Service {
        prefix: "minimax",
        base_url: Some("https://api.minimax.io/v1"),
    },
    Service {
        prefix: "zai",
        base_url: Some("https://api.z.ai/api/paas/v4"),
    },
    Service {
        prefix: "cerebras",
        base_url: Some("https://api.cerebras.ai/v1"),
    },
    Service {
        prefix: "nebius",
        base_url: Some("https://api.studio.nebius.ai/v1"),
    },
    Service {
        prefix: "deepinfra",
        base_url: Some("https://api.deepinfra.com/v1/openai"),
    },
    Service {
        prefix: "dashscope",
        base_url: Some("https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
    },
    Service {
        prefix: "cohere",
        base_url: Some("https://api.cohere.ai/compatibility/v1"),
    },
    Service {
        prefix: "perplexity",
        base_url: Some("https://api.perplexity.ai"),
    },
    Service {
        prefix: "nvidia_nim",
        base_url: Some("https://integrate.api.nvidia.com/v1"),
    },
    Service {
        prefix: "lm_studio",
        base_url: Some("http://localhost:1234/v1"),
    },
    Service {
        prefix: "hosted_vllm",
        base_url: None,
    },
    Service {
        prefix: "vllm",
        base_url: None,
    },
    Service {
        prefix: "llamafile",
        base_url: Some("http://localhost:8080/v1"),
    },
    Service {
        prefix: "custom_openai",
        base_url: None,
    },
];

/// Names without a prefix, by how they begin.
const BARE: &[(&str, &str)] = &[
    ("gpt-", "openai"),
    ("chatgpt-", "openai"),
    ("codex-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("claude-", "anthropic"),
    ("gemini-", "gemini"),
    ("deepseek-", "deepseek"),
    ("grok-", "xai"),
    ("mistral-", "mistral"),
    ("devstral-", "mistral"),
    ("codestral-", "mistral"),
    ("kimi-", "moonshot"),
    ("command-", "cohere"),
];

/// A name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelName {
    /// Who serves it.
    pub provider: Provider,
    /// What the provider calls it.
    pub model: String,
}

impl ModelName {
    /// Takes a name apart. A name whose provider is unknown is only accepted with a base URL, and then
    /// belongs to a server that speaks OpenAI's protocol there.
    pub fn parse(name: &str, has_base_url: bool) -> Result<Self, LlmError> {
        let name = name.trim();
        if name.is_empty() {
            return Err(unusable(name, "it is empty"));
        }
        if let Some((prefix, model)) = name.split_once('/')
            && let Some(provider) = provider_of(prefix)
        {
            if model.is_empty() {
                return Err(unusable(name, "nothing follows the provider"));
            }
            return Ok(Self {
                provider,
                model: model.to_owned(),
            });
        }
        let bare = BARE.iter().find(|(start, _)| name.starts_with(start));
        let provider = match bare.and_then(|(_, prefix)| provider_of(prefix)) {
            Some(provider) if !name.contains('/') => provider,
            _ if has_base_url => Provider::OpenAi,
            _ => {
                return Err(unusable(
                    name,
                    "its provider is unknown. Write `provider/model`, such as `openai/gpt-4o`, or give a base URL",
                ));
            }
        };
        Ok(Self {
            provider,
            model: name.to_owned(),
        })
    }
}

fn provider_of(prefix: &str) -> Option<Provider> {
    Some(match prefix {
        "openai" | "text-completion-openai" => Provider::OpenAi,
        "anthropic" => Provider::Anthropic,
        "gemini" => Provider::Gemini,
        "vertex_ai" => Provider::Vertex,
        "bedrock" | "bedrock_converse" => Provider::Bedrock,
        "azure" => Provider::Azure,
        "openrouter" => Provider::OpenRouter,
        "ollama" | "ollama_chat" => Provider::Ollama,
        "litellm_proxy" => Provider::LitellmProxy,
        "openhands" => Provider::OpenHands,
        other => {
            return SERVICES
                .iter()
                .find(|service| service.prefix == other)
                .map(Provider::Compatible);
        }
    })
}

fn unusable(name: &str, why: &str) -> LlmError {
    LlmError::new(
        LlmErrorKind::Configuration,
        format!("The model name `{name}` cannot be used: {why}."),
    )
}

#[cfg(test)]
#[path = "model_name_tests.rs"]
mod tests;
