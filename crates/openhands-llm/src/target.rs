//! Where and how a configured model is reached: address, headers, protocol.

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use openhands_protocol::llm::{Llm, LlmApiMode, LlmAuthType};

use crate::error::{LlmError, LlmErrorKind};
use crate::features::{ModelFeatures, Thinking};
use crate::model_name::{ModelName, Provider};

const OPENAI_URL: &str = "https://api.openai.com/v1";
const ANTHROPIC_URL: &str = "https://api.anthropic.com";
const ANTHROPIC_VERSION: &str = "2023-06-01";
const GEMINI_URL: &str = "https://generativelanguage.googleapis.com/v1beta";
const OPENROUTER_URL: &str = "https://openrouter.ai/api/v1";
const OPENHANDS_URL: &str = "https://llm-proxy.app.all-hands.dev";
const OLLAMA_URL: &str = "http://localhost:11434";
const AZURE_API_VERSION: &str = "2024-12-01-preview";
const BEDROCK_REGION: &str = "us-east-1";
/// Lets Claude think between tool calls.
const INTERLEAVED_THINKING: &str = "interleaved-thinking-2025-05-14";

/// In which protocol a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
    /// A protocol whose requests and replies the client library translates.
    Library,
}

/// Where and how a model is reached.
#[derive(Clone)]
pub struct Target {
    /// Who serves it.
    pub provider: Provider,
    /// What the provider calls it.
    pub model: String,
    /// How it is asked.
    pub protocol: Protocol,
    way: Way,
}

/// How requests get there.
#[derive(Clone)]
enum Way {
    /// As bytes, to one address.
    Direct(Route),
    /// Through the library, which makes addresses of its own from this one.
    Library {
        adapter: AdapterKind,
        base_url: String,
        key: String,
    },
}

/// Where requests go, and with which headers.
#[derive(Clone)]
pub(crate) struct Route {
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Target")
            .field("provider", &self.provider)
            .field("model", &self.model)
            .field("protocol", &self.protocol)
            .field("url", &self.url())
            .finish_non_exhaustive()
    }
}

impl Target {
    /// The target of a configured model.
    pub fn of(llm: &Llm, features: &ModelFeatures) -> Result<Self, LlmError> {
        if llm.auth_type == LlmAuthType::Subscription {
            return Err(LlmError::new(
                LlmErrorKind::Configuration,
                "A subscription needs its own sign-in, which gives a base URL and headers.",
            ));
        }
        let given = given_url(llm);
        let name = ModelName::parse(&llm.model, given.is_some())?;
        let protocol = protocol_of(&name, llm, features);
        match protocol {
            Protocol::Library => Self::library(name, llm, given),
            Protocol::Chat | Protocol::Responses | Protocol::Messages => {
                Self::direct(name, protocol, llm, features, given)
            }
        }
    }

    /// A target whose address and headers are written here.
    fn direct(
        name: ModelName,
        protocol: Protocol,
        llm: &Llm,
        features: &ModelFeatures,
        given: Option<&str>,
    ) -> Result<Self, LlmError> {
        let base_url = base_url(&name, llm, given)?;
        let url = match protocol {
            Protocol::Messages => messages_url(&base_url),
            Protocol::Responses if name.provider == Provider::Azure => {
                azure_url(&base_url, "responses", llm)
            }
            Protocol::Responses => format!("{base_url}/responses"),
            Protocol::Chat | Protocol::Library if name.provider == Provider::Azure => azure_url(
                &base_url,
                &format!("deployments/{}/chat/completions", name.model),
                llm,
            ),
            Protocol::Chat | Protocol::Library => format!("{base_url}/chat/completions"),
        };
        let headers = headers(&name, protocol, llm, features);
        Ok(Self {
            provider: name.provider,
            model: name.model,
            protocol,
            way: Way::Direct(Route { url, headers }),
        })
    }

    /// A target whose address depends on the model and is written by the library.
    fn library(name: ModelName, llm: &Llm, given: Option<&str>) -> Result<Self, LlmError> {
        let (adapter, base_url) = if name.provider == Provider::Bedrock {
            let region = llm.aws_region_name.as_deref().unwrap_or(BEDROCK_REGION);
            let own = llm.aws_bedrock_runtime_endpoint.as_deref().or(given);
            let url = own.map_or_else(
                || format!("https://bedrock-runtime.{region}.amazonaws.com"),
                str::to_owned,
            );
            (AdapterKind::BedrockApi, url)
        } else {
            (AdapterKind::Gemini, given.unwrap_or(GEMINI_URL).to_owned())
        };
        let Some(key) = key(llm) else {
            return Err(LlmError::new(
                LlmErrorKind::Authentication,
                format!("The model `{}` needs an API key.", llm.model),
            ));
        };
        Ok(Self {
            provider: name.provider,
            model: name.model,
            protocol: Protocol::Library,
            way: Way::Library {
                adapter,
                // The library appends to the address and wants the slash.
                base_url: format!("{}/", base_url.trim_end_matches('/')),
                key: key.to_owned(),
            },
        })
    }

    /// Where requests go, if they are sent as bytes.
    pub(crate) fn route(&self) -> Option<&Route> {
        match &self.way {
            Way::Direct(route) => Some(route),
            Way::Library { .. } => None,
        }
    }

    fn url(&self) -> &str {
        match &self.way {
            Way::Direct(route) => &route.url,
            Way::Library { base_url, .. } => base_url,
        }
    }

    /// The target in the library's terms: adapter, endpoint and key are always explicit, so that a name
    /// is never guessed at.
    pub(crate) fn service(&self) -> Option<ServiceTarget> {
        match &self.way {
            Way::Direct(_) => None,
            Way::Library {
                adapter,
                base_url,
                key,
            } => Some(ServiceTarget {
                endpoint: Endpoint::from_owned(base_url.as_str()),
                auth: AuthData::from_single(key.as_str()),
                model: ModelIden::new(*adapter, self.model.as_str()),
            }),
        }
    }
}

/// The address that the user gave. OpenAI's own is no choice at all.
fn given_url(llm: &Llm) -> Option<&str> {
    llm.base_url
        .as_deref()
        .map(|url| url.trim().trim_end_matches('/'))
        .filter(|url| !url.is_empty())
        .filter(|url| !(*url == OPENAI_URL && llm.model.starts_with("openai/")))
}

fn protocol_of(name: &ModelName, llm: &Llm, features: &ModelFeatures) -> Protocol {
    match name.provider {
        Provider::Anthropic => Protocol::Messages,
        Provider::Gemini | Provider::Bedrock => Protocol::Library,
        Provider::OpenAi | Provider::Azure | Provider::LitellmProxy | Provider::OpenHands => {
            match llm.api_mode {
                LlmApiMode::Responses => Protocol::Responses,
                LlmApiMode::Auto | LlmApiMode::Other(_) if features.responses_api => {
                    Protocol::Responses
                }
                LlmApiMode::Chat | LlmApiMode::Auto | LlmApiMode::Other(_) => Protocol::Chat,
            }
        }
        Provider::OpenRouter | Provider::Ollama | Provider::Compatible(_) => Protocol::Chat,
    }
}

fn base_url(name: &ModelName, llm: &Llm, given: Option<&str>) -> Result<String, LlmError> {
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

fn messages_url(base_url: &str) -> String {
    if base_url.ends_with("/messages") {
        base_url.to_owned()
    } else if base_url.ends_with("/v1") {
        format!("{base_url}/messages")
    } else {
        format!("{base_url}/v1/messages")
    }
}

fn azure_url(base_url: &str, path: &str, llm: &Llm) -> String {
    let version = llm.api_version.as_deref().unwrap_or(AZURE_API_VERSION);
    format!("{base_url}/openai/{path}?api-version={version}")
}

fn key(llm: &Llm) -> Option<&str> {
    llm.api_key
        .as_ref()
        .and_then(|key| key.expose())
        .filter(|key| !key.trim().is_empty())
}

fn headers(
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
    for (name, value) in llm.extra_headers.iter().flatten() {
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name.clone(), value.clone()));
    }
    headers
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
