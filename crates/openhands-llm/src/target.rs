//! Where and how a configured model is reached: address, headers, protocol.

mod address;

use std::time::SystemTime;

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use openhands_protocol::Secret;
use openhands_protocol::llm::{Llm, LlmApiMode, LlmAuthType};

use crate::aws_token::AwsKeys;
use crate::error::{LlmError, LlmErrorKind};
use crate::features::ModelFeatures;
use crate::model_name::{ModelName, Provider};
use crate::target::address::{add_own, azure_url, base_url, given_url, headers, key, messages_url};

const GEMINI_URL: &str = "https://generativelanguage.googleapis.com/v1beta";
/// Where the plans of OpenAI's customers are served, and what their client says of itself.
const SUBSCRIPTION_URL: &str = "https://chatgpt.com/backend-api/codex";
const SUBSCRIPTION_HEADERS: &[(&str, &str)] = &[
    ("originator", "codex_cli_rs"),
    ("OpenAI-Beta", "responses=experimental"),
];
const BEDROCK_REGION: &str = "us-east-1";

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

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
