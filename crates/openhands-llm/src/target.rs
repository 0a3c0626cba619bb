//! Where and how a configured model is reached: address, headers, protocol.

use std::time::SystemTime;

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use openhands_protocol::Secret;
use openhands_protocol::llm::{Llm, LlmApiMode, LlmAuthType};

use crate::aws_token::AwsKeys;
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
/// Where the plans of OpenAI's customers are served, and what their client says of itself.
const SUBSCRIPTION_URL: &str = "https://chatgpt.com/backend-api/codex";
const SUBSCRIPTION_HEADERS: &[(&str, &str)] = &[
    ("originator", "codex_cli_rs"),
    ("OpenAI-Beta", "responses=experimental"),
];
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
        key: Key,
    },
}

/// What the library is given to be let in.
#[derive(Clone)]
enum Key {
    Given(String),
    /// Made anew for each call, for it ends after some hours.
    Aws {
        keys: AwsKeys,
        region: String,
    },
}

impl Key {
    fn now(&self) -> String {
        match self {
            Self::Given(key) => key.clone(),
            Self::Aws { keys, region } => keys.bearer(region, SystemTime::now()),
        }
    }
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
        if is_subscription(llm) {
            return Self::subscription(llm);
        }
        let given = given_url(llm);
        let name = ModelName::parse(&llm.model, given.is_some())?;
        let protocol = protocol_of(&name, llm, features);
        match protocol {
            Protocol::Library => Self::library(&name, llm, given),
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

    /// A plan that a user signs in to, and not an API that is paid for by use.
    fn subscription(llm: &Llm) -> Result<Self, LlmError> {
        if key(llm).is_none() {
            return Err(LlmError::new(
                LlmErrorKind::Authentication,
                "OpenAI subscription login is required",
            ));
        }
        let name = ModelName::parse(&llm.model, true)?;
        let base_url = given_url(llm).unwrap_or(SUBSCRIPTION_URL);
        let mut headers = Vec::new();
        if let Some(key) = key(llm) {
            headers.push(("Authorization".to_owned(), format!("Bearer {key}")));
        }
        for (name, value) in SUBSCRIPTION_HEADERS {
            headers.push(((*name).to_owned(), (*value).to_owned()));
        }
        add_own(&mut headers, llm);
        Ok(Self {
            provider: Provider::OpenAi,
            model: name.model,
            protocol: Protocol::Responses,
            way: Way::Direct(Route {
                url: format!("{}/responses", base_url.trim_end_matches("/responses")),
                headers,
            }),
        })
    }

    /// A target whose address depends on the model and is written by the library.
    fn library(name: &ModelName, llm: &Llm, given: Option<&str>) -> Result<Self, LlmError> {
        let (adapter, base_url) = match name.provider {
            Provider::Bedrock => {
                let own = llm.aws_bedrock_runtime_endpoint.as_deref().or(given);
                let url = own.map_or_else(
                    || format!("https://bedrock-runtime.{}.amazonaws.com", region(llm)),
                    str::to_owned,
                );
                (AdapterKind::BedrockApi, url)
            }
            Provider::Vertex => {
                let Some(url) = given else {
                    return Err(LlmError::new(
                        LlmErrorKind::Configuration,
                        format!(
                            "The model `{}` needs a base URL with project and region, such as \
                             https://us-east5-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-east5, \
                             and an access token as its API key.",
                            llm.model
                        ),
                    ));
                };
                (AdapterKind::Vertex, url.to_owned())
            }
            _ => (AdapterKind::Gemini, given.unwrap_or(GEMINI_URL).to_owned()),
        };
        let model = match name.provider {
            // LiteLLM's words for the two ways to ask; there is one here.
            Provider::Bedrock => ["converse/", "invoke/"]
                .iter()
                .find_map(|way| name.model.strip_prefix(way))
                .unwrap_or(&name.model)
                .to_owned(),
            _ => name.model.clone(),
        };
        Ok(Self {
            provider: name.provider,
            model,
            protocol: Protocol::Library,
            way: Way::Library {
                adapter,
                // The library appends to the address and wants the slash.
                base_url: format!("{}/", base_url.trim_end_matches('/')),
                key: library_key(name, llm)?,
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
                auth: AuthData::from_single(key.now()),
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
        Provider::Gemini | Provider::Vertex | Provider::Bedrock => Protocol::Library,
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

/// Whether a user's plan is used, and not an API key.
pub(crate) fn is_subscription(llm: &Llm) -> bool {
    llm.auth_type == LlmAuthType::Subscription || llm.is_subscription
}

fn region(llm: &Llm) -> &str {
    llm.aws_region_name.as_deref().unwrap_or(BEDROCK_REGION)
}

/// The key, or for Bedrock the credentials that one is made of.
fn library_key(name: &ModelName, llm: &Llm) -> Result<Key, LlmError> {
    if let Some(key) = key(llm) {
        return Ok(Key::Given(key.to_owned()));
    }
    let text = |secret: &Option<Secret>| {
        let text = secret.as_ref().and_then(Secret::expose);
        text.filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
    };
    if name.provider == Provider::Bedrock {
        let pair = text(&llm.aws_access_key_id).zip(text(&llm.aws_secret_access_key));
        if let Some((id, secret)) = pair {
            return Ok(Key::Aws {
                keys: AwsKeys {
                    id,
                    secret,
                    session: text(&llm.aws_session_token),
                },
                region: region(llm).to_owned(),
            });
        }
        return Err(LlmError::new(
            LlmErrorKind::Authentication,
            format!(
                "The model `{}` needs an API key of Bedrock, or `aws_access_key_id` and `aws_secret_access_key`. \
                 Profiles and roles cannot be used.",
                llm.model
            ),
        ));
    }
    Err(LlmError::new(
        LlmErrorKind::Authentication,
        format!("The model `{}` needs an API key.", llm.model),
    ))
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
    add_own(&mut headers, llm);
    headers
}

/// Headers that the user gave, in place of those of the same name.
fn add_own(headers: &mut Vec<(String, String)>, llm: &Llm) {
    for (name, value) in llm.extra_headers.iter().flatten() {
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name.clone(), value.clone()));
    }
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
