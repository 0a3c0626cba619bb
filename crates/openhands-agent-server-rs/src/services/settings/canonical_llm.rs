//! Models behind the project's own proxy, under the name that is theirs today.

use serde_json::{Map, Value, json};

const OPENHANDS: &str = "openhands/";
const LITELLM_PROXY: &str = "litellm_proxy/";
/// Where the proxy is, with and without the version of its API.
const PROXY_URLS: [&str; 2] = [
    "https://llm-proxy.app.all-hands.dev",
    "https://llm-proxy.app.all-hands.dev/v1",
];

/// Gives a model behind the proxy the prefix of the proxy's own models, and drops an address that the prefix implies.
pub(crate) fn canonicalize(llm: &mut Map<String, Value>) {
    let Some(model) = llm.get("model").and_then(Value::as_str) else {
        return;
    };
    let url = llm.get("base_url").and_then(Value::as_str);
    if !url.is_some_and(is_proxy) {
        return;
    }
    if model.starts_with(OPENHANDS) {
        llm.shift_remove("base_url");
    } else if let Some(name) = model.strip_prefix(LITELLM_PROXY)
        && is_verified(name)
    {
        let model = format!("{OPENHANDS}{name}");
        llm.insert("model".to_owned(), json!(model));
        llm.shift_remove("base_url");
    }
}

fn is_proxy(url: &str) -> bool {
    let url = url.trim();
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = url.get(..end).unwrap_or(url).trim_end_matches('/');
    PROXY_URLS.contains(&url)
}

fn is_verified(name: &str) -> bool {
    VERIFIED.contains(&name)
}

/// The proxy's own models.
const VERIFIED: &[&str] = &[
    "claude-opus-5-5",
    "claude-opus-5",
    "claude-sonnet-5-5",
    "claude-sonnet-5",
    "claude-fable-5-1",
    "claude-fable-5",
    "gpt-6.1-sol",
    "gpt-6-sol",
    "gpt-6-luna",
    "gpt-6-astra",
    "gpt-5.6",
    "gpt-5.3-codex",
    "gpt-5.2-codex",
    "minimax-m3.1-flash",
    "minimax-m3",
    "minimax-m2.7",
    "gemini-3.1-pro",
    "gemini-3.1-pro-preview",
    "gemini-3.8-flash",
    "gemini-3.7-flash",
    "gemini-3.5-flash-lite",
    "deepseek-chat",
    "deepseek-v4-pro",
    "deepseek-v4-flash",
    "deepseek-v4-flash-vision-exp",
    "deepseek-v4.1-flash",
    "deepseek-v3.2-reasoner",
    "kimi-k3",
    "kimi-k2.7-code",
    "devstral-2512",
    "devstral-medium-2512",
    "glm-5.3",
    "glm-5.3-flash",
    "glm-5.2",
    "nemotron-3.5-lightning-30b-a3b",
    "nemotron-3-nano",
    "nemotron-3-super-120b-a12b",
    "nemotron-3-ultra-550b-a55b",
    "qwen3.7-plus",
    "qwen3.6-plus",
    "qwen3.8-max",
    "qwen3.7-max",
    "qwen3.8-flash",
    "qwen3.7-flash",
    "qwen3-coder-480b",
    "qwen3-coder-next",
    "qwen3-coder-plus",
    "qwen3-coder-flash",
    "trinity-large-thinking",
];
