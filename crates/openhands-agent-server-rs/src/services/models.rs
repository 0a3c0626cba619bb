//! How models are reached from this server: with the key that they were given, or else one of its environment.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use openhands_protocol::Secret;
use openhands_protocol::llm::{Llm, LlmAuthType};
use openhands_sdk_rs::conversation::{LoggedModels, Models};
use openhands_sdk_rs::llm::{ChatModel, Connector, Http, LlmError, ModelName, Provider};

use crate::services::settings::sealing::is_set;

/// A key for any model that has none.
const ANY_KEY: &str = "LLM_API_KEY";
const SHORT_WINDOWS: &str = "ALLOW_SHORT_CONTEXT_WINDOWS";

/// The variables in which users keep the keys of providers.
const PROVIDER_KEYS: &[(&str, &[&str])] = &[
    ("openai", &["OPENAI_API_KEY"]),
    ("anthropic", &["ANTHROPIC_API_KEY"]),
    ("gemini", &["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    ("azure", &["AZURE_API_KEY"]),
    ("openrouter", &["OPENROUTER_API_KEY"]),
    ("ollama", &["OLLAMA_API_KEY"]),
    ("litellm_proxy", &["LITELLM_PROXY_API_KEY"]),
    ("openhands", &["OPENHANDS_API_KEY", "LITELLM_PROXY_API_KEY"]),
    ("bedrock", &["AWS_BEARER_TOKEN_BEDROCK"]),
    ("mistral", &["MISTRAL_API_KEY"]),
    ("deepseek", &["DEEPSEEK_API_KEY"]),
    ("groq", &["GROQ_API_KEY"]),
    ("xai", &["XAI_API_KEY"]),
    ("together_ai", &["TOGETHERAI_API_KEY", "TOGETHER_API_KEY"]),
    (
        "fireworks_ai",
        &["FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY"],
    ),
    ("moonshot", &["MOONSHOT_API_KEY"]),
    ("minimax", &["MINIMAX_API_KEY"]),
    ("zai", &["ZAI_API_KEY"]),
    ("cerebras", &["CEREBRAS_API_KEY"]),
    ("nebius", &["NEBIUS_API_KEY"]),
    ("deepinfra", &["DEEPINFRA_API_KEY"]),
    ("dashscope", &["DASHSCOPE_API_KEY"]),
    ("cohere", &["COHERE_API_KEY", "CO_API_KEY"]),
    (
        "perplexity",
        &["PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"],
    ),
    ("nvidia_nim", &["NVIDIA_NIM_API_KEY"]),
    ("lm_studio", &["LM_STUDIO_API_KEY"]),
    ("hosted_vllm", &["HOSTED_VLLM_API_KEY"]),
];

/// Takes the keys of models out of an environment: commands must not be able to print them.
pub(crate) fn hide_keys(env: &mut Vec<(String, String)>) {
    env.retain(|(name, _)| {
        let name = name.as_str();
        name != ANY_KEY && !PROVIDER_KEYS.iter().any(|(_, names)| names.contains(&name))
    });
}

/// Makes models. Keys of the environment are put in when a model is made, and live nowhere else.
#[derive(Clone)]
pub(crate) struct ModelSource {
    /// Made when a model is first asked for: it reads the certificates of the machine, which takes longer than all else at the start.
    connector: Arc<OnceLock<Result<Connector, LlmError>>>,
    allows_short_windows: bool,
    vars: Arc<HashMap<String, Secret>>,
}

impl fmt::Debug for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelSource").finish_non_exhaustive()
    }
}

impl ModelSource {
    /// Models over HTTP, with the keys in the server's environment.
    pub(crate) fn new(env: &[(String, String)]) -> Self {
        let wanted = |name: &str| {
            name == ANY_KEY
                || name.starts_with("AWS_")
                || PROVIDER_KEYS.iter().any(|(_, names)| names.contains(&name))
        };
        let says = |(_, value): &&(String, String)| !value.trim().is_empty();
        let vars = env
            .iter()
            .filter(says)
            .filter(|(name, _)| wanted(name))
            .map(|(name, value)| (name.clone(), Secret::new(value.trim())))
            .collect();
        let allows_short_windows = env
            .iter()
            .any(|(name, value)| name == SHORT_WINDOWS && value.eq_ignore_ascii_case("true"));
        Self {
            connector: Arc::default(),
            allows_short_windows,
            vars: Arc::new(vars),
        }
    }

    fn connector(&self) -> Result<&Connector, LlmError> {
        let made = self.connector.get_or_init(|| {
            let http = Http::new()?;
            Ok(Connector::new(http).allowing_short_windows(self.allows_short_windows))
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// The model of these settings.
    pub(crate) fn connect(&self, llm: &Llm) -> Result<Arc<dyn ChatModel>, LlmError> {
        self.connector()?.connect(&self.with_key(llm))
    }

    /// For [`Host::models`](openhands_sdk_rs::Host::models).
    pub(crate) fn for_host(&self) -> Models {
        let source = self.clone();
        Arc::new(move |llm| source.connect(llm))
    }

    /// For [`Host::logged_models`](openhands_sdk_rs::Host::logged_models).
    pub(crate) fn logged_for_host(&self) -> LoggedModels {
        let source = self.clone();
        Arc::new(move |llm, sink| {
            let connector = source.connector()?.clone().with_log(sink);
            connector.connect(&source.with_key(llm))
        })
    }

    /// The settings with a key of the environment, if they have none.
    fn with_key(&self, llm: &Llm) -> Llm {
        let mut llm = llm.clone();
        if is_set(llm.api_key.as_ref()) || llm.auth_type == LlmAuthType::Subscription {
            return llm;
        }
        let has_url = llm
            .base_url
            .as_ref()
            .is_some_and(|url| !url.trim().is_empty());
        let name = ModelName::parse(&llm.model, has_url).ok();
        if matches!(&name, Some(name) if name.provider == Provider::Bedrock) {
            self.add_aws(&mut llm);
        }
        let provider = name.map(|name| name.provider.as_str());
        let names = PROVIDER_KEYS
            .iter()
            .find(|(prefix, _)| Some(*prefix) == provider)
            .map_or(&[][..], |(_, names)| names);
        let mut keys = std::iter::once(&ANY_KEY).chain(names);
        if let Some(key) = keys.find_map(|name| self.vars.get(*name)) {
            llm.api_key = Some(key.clone());
        }
        llm
    }

    fn add_aws(&self, llm: &mut Llm) {
        if is_set(llm.aws_access_key_id.as_ref()) {
            return;
        }
        llm.aws_access_key_id = self.vars.get("AWS_ACCESS_KEY_ID").cloned();
        llm.aws_secret_access_key = self.vars.get("AWS_SECRET_ACCESS_KEY").cloned();
        llm.aws_session_token = self.vars.get("AWS_SESSION_TOKEN").cloned();
        if llm.aws_region_name.is_none() {
            let region = ["AWS_REGION_NAME", "AWS_REGION", "AWS_DEFAULT_REGION"]
                .iter()
                .find_map(|name| self.vars.get(*name)?.expose());
            llm.aws_region_name = region.map(str::to_owned);
        }
    }
}

#[cfg(test)]
#[path = "models_tests.rs"]
mod tests;
