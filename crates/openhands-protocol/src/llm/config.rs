//! How to reach a model and how to talk to it.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use crate::json::JsonObject;
use crate::schema::{Branch, Described, Schema};
use crate::secret::Secret;
use crate::text::words;
use crate::wire::wire;

words! {
    /// How a model is paid for.
    pub open enum LlmAuthType {
        ApiKey = "api_key",
        Subscription = "subscription",
    }
}

words! {
    /// Which API of the provider is used.
    pub open enum LlmApiMode {
        Auto = "auto",
        Chat = "chat",
        Responses = "responses",
    }
}

words! {
    /// How hard a model should think.
    pub open enum ReasoningEffort {
        Low = "low",
        Medium = "medium",
        High = "high",
        Xhigh = "xhigh",
        None = "none",
    }
}

words! {
    /// How a model should sum up its thinking.
    pub open enum ReasoningSummary {
        Auto = "auto",
        Concise = "concise",
        Detailed = "detailed",
    }
}

wire! {
    /// A model and all that is configured about it.
    pub struct Llm (default, before) {
        /// Provider and name, such as `openai/gpt-4o`.
        model: String = "gpt-5.6".to_owned(),
        api_key: Option<Secret> = None,
        provider_connection_id: Option<String> = None,
        auth_type: LlmAuthType = LlmAuthType::ApiKey,
        subscription_vendor in [words(&["openai"])]: Option<String> = None,
        base_url: Option<String> = None,
        api_version: Option<String> = None,
        aws_access_key_id: Option<Secret> = None,
        aws_secret_access_key: Option<Secret> = None,
        aws_session_token: Option<Secret> = None,
        aws_region_name: Option<String> = None,
        aws_profile_name: Option<String> = None,
        aws_role_name: Option<String> = None,
        aws_session_name: Option<String> = None,
        aws_bedrock_runtime_endpoint: Option<String> = None,
        openrouter_site_url: String = "https://docs.all-hands.dev/".to_owned(),
        openrouter_app_name: String = "OpenHands".to_owned(),
        num_retries in [ge(0.0)]: i64 = 5,
        retry_multiplier in [ge(0.0)]: f64 = 8.0,
        retry_min_wait in [ge(0.0)]: i64 = 8,
        retry_max_wait in [ge(0.0)]: i64 = 64,
        timeout in [ge(0.0)]: Option<i64> = Some(300),
        stream_idle_timeout in [ge(0.0)]: Option<f64> = Some(300.0),
        max_message_chars in [ge(1.0)]: i64 = 30000,
        temperature in [ge(0.0)]: Option<f64> = None,
        top_p in [ge(0.0) le(1.0)]: Option<f64> = None,
        top_k in [ge(0.0)]: Option<f64> = None,
        max_input_tokens in [ge(1.0)]: Option<i64> = None,
        max_output_tokens in [ge(1.0)]: Option<i64> = None,
        model_canonical_name: Option<String> = None,
        api_mode: LlmApiMode = LlmApiMode::Auto,
        capability_overrides in [schema(overrides)]: JsonObject = JsonObject::new(),
        extra_headers: Option<IndexMap<String, String>> = None,
        input_cost_per_token in [ge(0.0)]: Option<f64> = None,
        output_cost_per_token in [ge(0.0)]: Option<f64> = None,
        ollama_base_url: Option<String> = None,
        stream: bool = false,
        drop_params: bool = true,
        disable_vision: Option<bool> = None,
        disable_stop_word: Option<bool> = Some(false),
        caching_prompt: bool = true,
        log_completions: bool = false,
        log_completions_folder: String = "logs/completions".to_owned(),
        custom_tokenizer: Option<String> = None,
        native_tool_calling: bool = true,
        force_string_serializer: Option<bool> = None,
        inline_image_urls: Option<bool> = None,
        /// Newer words are passed on.
        reasoning_effort in [schema(effort)]: Option<ReasoningEffort> = Some(ReasoningEffort::High),
        reasoning_summary: Option<ReasoningSummary> = None,
        enable_encrypted_reasoning: bool = true,
        prompt_cache_retention: Option<String> = Some("24h".to_owned()),
        extended_thinking_budget: Option<i64> = Some(200_000),
        seed: Option<i64> = None,
        /// Under which name its use is counted.
        usage_id: String = "default".to_owned(),
        litellm_extra_body: JsonObject = JsonObject::new(),
        /// Computed; ignored when it is read by the reference.
        is_subscription: bool = false,
        /// Only in the file of a saved model.
        schema_version when some: Option<i64> = None,
        /// Only in requests.
        fallback_strategy when some: Option<FallbackStrategy> = None,
    }

    /// Which saved models to try when one fails.
    pub struct FallbackStrategy (default) {
        fallback_llms: Vec<String>,
        profile_store_dir in [format("path")]: Option<String> = None,
    }
}

const NO_MODEL: &str = "model must be specified in LLM";

impl Llm {
    fn before(members: &Map<String, Value>) -> Result<(), String> {
        match members.get("model") {
            None | Some(Value::Null) => Err(NO_MODEL.to_owned()),
            Some(Value::String(name)) if name.is_empty() => Err(NO_MODEL.to_owned()),
            Some(_) => Ok(()),
        }
    }
}

/// Abilities by name: whether the model has them, or a word about it.
fn overrides() -> &'static Schema {
    &Schema::Map(|| {
        &Schema::OneOf(&[
            Branch {
                label: "bool",
                schema: bool::schema,
            },
            Branch {
                label: "str",
                schema: String::schema,
            },
        ])
    })
}

/// How hard to think: a known word, or one that is passed on.
fn effort() -> &'static Schema {
    &Schema::Nullable(|| {
        &Schema::OneOf(&[
            Branch {
                label: "literal['low','medium','high','xhigh','none']",
                schema: ReasoningEffort::schema,
            },
            Branch {
                label: "str",
                schema: String::schema,
            },
        ])
    })
}
