//! A model as a client or a file gives it: defaults that depend on other members.

use openhands_protocol::llm::Llm;
use serde_json::{Map, Value, json};

use crate::services::settings::sealing::secrets_of;

const AZURE_VERSION: &str = "2024-12-01-preview";
const DEFAULT_TIMEOUT_SECONDS: u64 = 300;
/// The address that is used anyway, without the version that requests need.
const OPENAI_ROOT: [&str; 2] = ["https://api.openai.com", "https://api.openai.com/"];

/// Fills in what depends on other members. A model without a name is refused, in the reference's words.
pub(crate) fn settle(llm: &mut Map<String, Value>) -> Result<(), String> {
    let model = match llm.get("model") {
        Some(Value::String(model)) if !model.is_empty() => model.clone(),
        // Other types are refused with the rest of the value.
        Some(other) if !matches!(other, Value::Null | Value::String(_)) => return Ok(()),
        _ => return Err("model must be specified in LLM".to_owned()),
    };
    if !llm.contains_key("stream_idle_timeout") {
        let timeout = llm.get("timeout").cloned();
        let timeout = timeout.unwrap_or_else(|| json!(DEFAULT_TIMEOUT_SECONDS));
        llm.insert("stream_idle_timeout".to_owned(), timeout);
    }
    let has_version = llm
        .get("api_version")
        .and_then(Value::as_str)
        .is_some_and(|version| !version.is_empty());
    if model.starts_with("azure") && !has_version {
        llm.insert("api_version".to_owned(), json!(AZURE_VERSION));
    }
    let url = llm.get("base_url").and_then(Value::as_str);
    if model.starts_with("openai/") && url.is_some_and(|url| OPENAI_ROOT.contains(&url)) {
        llm.insert("base_url".to_owned(), Value::Null);
    }
    Ok(())
}

/// Forgets secrets that could not be read.
pub(crate) fn drop_lost(llm: &mut Llm) {
    for secret in secrets_of(llm) {
        if secret
            .as_ref()
            .is_some_and(|secret| secret.expose().is_none())
        {
            *secret = None;
        }
    }
}
