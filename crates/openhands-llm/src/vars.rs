//! A model's settings from variables such as `LLM_MODEL` and `LLM_API_KEY`.

use openhands_protocol::llm::Llm;
use serde_json::{Map, Value, json};

use crate::error::{LlmError, LlmErrorKind};

/// What the names of all variables begin with.
const PREFIX: &str = "LLM_";

const TRUE: &[&str] = &["true", "1", "yes", "on"];
const BOOLEANS: &[&str] = &[
    "stream",
    "drop_params",
    "disable_vision",
    "disable_stop_word",
    "caching_prompt",
    "log_completions",
    "native_tool_calling",
    "force_string_serializer",
    "inline_image_urls",
    "enable_encrypted_reasoning",
];
const INTEGERS: &[&str] = &[
    "num_retries",
    "retry_min_wait",
    "retry_max_wait",
    "timeout",
    "max_message_chars",
    "max_input_tokens",
    "max_output_tokens",
    "extended_thinking_budget",
    "seed",
];
const NUMBERS: &[&str] = &[
    "retry_multiplier",
    "stream_idle_timeout",
    "temperature",
    "top_p",
    "top_k",
    "input_cost_per_token",
    "output_cost_per_token",
];
const OBJECTS: &[&str] = &[
    "capability_overrides",
    "extra_headers",
    "litellm_extra_body",
    "fallback_strategy",
];
const TEXTS: &[&str] = &[
    "model",
    "api_key",
    "provider_connection_id",
    "auth_type",
    "subscription_vendor",
    "base_url",
    "api_version",
    "aws_access_key_id",
    "aws_secret_access_key",
    "aws_session_token",
    "aws_region_name",
    "aws_profile_name",
    "aws_role_name",
    "aws_session_name",
    "aws_bedrock_runtime_endpoint",
    "openrouter_site_url",
    "openrouter_app_name",
    "model_canonical_name",
    "api_mode",
    "ollama_base_url",
    "log_completions_folder",
    "custom_tokenizer",
    "reasoning_effort",
    "reasoning_summary",
    "prompt_cache_retention",
    "usage_id",
];

/// The settings in variables named `LLM_<FIELD>`. Variables that name no field, and empty ones, are left out; a value
/// that its field cannot have is an error that names the variable.
pub fn llm_from_vars(vars: impl IntoIterator<Item = (String, String)>) -> Result<Llm, LlmError> {
    let mut fields = Map::new();
    for (name, value) in vars {
        let Some(field) = name.strip_prefix(PREFIX).map(str::to_lowercase) else {
            continue;
        };
        let value = value.trim();
        if value.is_empty() {
            continue;
        }
        match read(&field, value) {
            Ok(Some(value)) => {
                fields.insert(field, value);
            }
            Ok(None) => {}
            Err(wanted) => {
                return Err(LlmError::new(
                    LlmErrorKind::Configuration,
                    format!("The variable {name} must be {wanted}."),
                ));
            }
        }
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| {
        let message = format!("The variables {PREFIX}* cannot be used: {error}");
        LlmError::new(LlmErrorKind::Configuration, message)
    })
}

/// The value of a field, `None` if there is no such field, or what it should be.
fn read(field: &str, value: &str) -> Result<Option<Value>, &'static str> {
    let is = |names: &[&str]| names.contains(&field);
    Ok(Some(if is(TEXTS) {
        json!(value)
    } else if is(BOOLEANS) {
        json!(TRUE.contains(&value.to_lowercase().as_str()))
    } else if is(INTEGERS) {
        json!(value.parse::<i64>().map_err(|_| "a whole number")?)
    } else if is(NUMBERS) {
        let number = value.parse::<f64>().map_err(|_| "a number")?;
        json!(number)
    } else if is(OBJECTS) {
        let object: Map<String, Value> =
            serde_json::from_str(value).map_err(|_| "a JSON object")?;
        Value::Object(object)
    } else {
        return Ok(None);
    }))
}

#[cfg(test)]
#[path = "vars_tests.rs"]
mod tests;
