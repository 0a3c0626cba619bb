use openhands_protocol::Secret;
use pretty_assertions::assert_eq;

use super::*;

fn llm(model: &str, base_url: Option<&str>) -> Llm {
    Llm {
        model: model.to_owned(),
        base_url: base_url.map(str::to_owned),
        api_key: Some(Secret::new("sk-secret")),
        ..Llm::default()
    }
}

fn target(llm: &Llm) -> Result<Target, LlmError> {
    Target::of(llm, &ModelFeatures::of(llm))
}

fn url_and_headers(target: &Target) -> (String, Vec<(String, String)>) {
    let mut headers = target
        .route()
        .map(|route| route.headers.clone())
        .unwrap_or_default();
    headers.sort();
    (target.url().to_owned(), headers)
}

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn every_provider_has_its_address_and_protocol() {
    let table = [
        (
            "openai/gpt-4o",
            None,
            Protocol::Chat,
            "https://api.openai.com/v1/chat/completions",
        ),
        (
            "openai/gpt-5",
            None,
            Protocol::Responses,
            "https://api.openai.com/v1/responses",
        ),
        (
            "openai/gpt-5",
            Some("https://api.openai.com/v1/"),
            Protocol::Responses,
            "https://api.openai.com/v1/responses",
        ),
        (
            "openai/local",
            Some("http://127.0.0.1:8000/v1"),
            Protocol::Chat,
            "http://127.0.0.1:8000/v1/chat/completions",
        ),
        (
            "Qwen/Qwen3",
            Some("http://127.0.0.1:8000/v1/"),
            Protocol::Chat,
            "http://127.0.0.1:8000/v1/chat/completions",
        ),
        (
            "anthropic/claude-opus-4-5",
            None,
            Protocol::Messages,
            "https://api.anthropic.com/v1/messages",
        ),
        (
            "anthropic/claude-opus-4-5",
            Some("http://127.0.0.1:1/v1"),
            Protocol::Messages,
            "http://127.0.0.1:1/v1/messages",
        ),
        (
            "openrouter/openai/gpt-5",
            None,
            Protocol::Chat,
            "https://openrouter.ai/api/v1/chat/completions",
        ),
        (
            "ollama/qwen3",
            None,
            Protocol::Chat,
            "http://localhost:11434/v1/chat/completions",
        ),
        (
            "ollama/qwen3",
            Some("http://box:11434"),
            Protocol::Chat,
            "http://box:11434/v1/chat/completions",
        ),
        (
            "litellm_proxy/gpt-5",
            Some("https://proxy"),
            Protocol::Responses,
            "https://proxy/responses",
        ),
        (
            "openhands/claude-opus-4-5",
            None,
            Protocol::Chat,
            "https://llm-proxy.app.all-hands.dev/chat/completions",
        ),
        (
            "azure/dep",
            Some("https://x.openai.azure.com"),
            Protocol::Chat,
            "https://x.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2024-12-01-preview",
        ),
        (
            "mistral/devstral-small",
            None,
            Protocol::Chat,
            "https://api.mistral.ai/v1/chat/completions",
        ),
        (
            "gemini/gemini-2.5-pro",
            None,
            Protocol::Library,
            "https://generativelanguage.googleapis.com/v1beta/",
        ),
        (
            "bedrock/amazon.nova-pro-v1:0",
            None,
            Protocol::Library,
            "https://bedrock-runtime.us-east-1.amazonaws.com/",
        ),
        (
            "vertex_ai/gemini-2.5-pro",
            Some("https://aiplatform.googleapis.com/v1/projects/p/locations/global"),
            Protocol::Library,
            "https://aiplatform.googleapis.com/v1/projects/p/locations/global/",
        ),
        (
            "ollama/qwen3-coder",
            Some("http://box:11434"),
            Protocol::Chat,
            "http://box:11434/v1/chat/completions",
        ),
        (
            "groq/openai/gpt-oss-120b",
            None,
            Protocol::Chat,
            "https://api.groq.com/openai/v1/chat/completions",
        ),
        (
            "deepseek/deepseek-chat",
            None,
            Protocol::Chat,
            "https://api.deepseek.com/v1/chat/completions",
        ),
        (
            "xai/grok-code-fast-1",
            None,
            Protocol::Chat,
            "https://api.x.ai/v1/chat/completions",
        ),
        (
            "together_ai/deepseek-ai/DeepSeek-V3",
            None,
            Protocol::Chat,
            "https://api.together.xyz/v1/chat/completions",
        ),
        (
            "fireworks_ai/accounts/fireworks/models/kimi-k2p5",
            None,
            Protocol::Chat,
            "https://api.fireworks.ai/inference/v1/chat/completions",
        ),
        (
            "cohere/command-a-03-2025",
            None,
            Protocol::Chat,
            "https://api.cohere.ai/compatibility/v1/chat/completions",
        ),
        (
            "azure/gpt-5",
            Some("https://x.openai.azure.com"),
            Protocol::Responses,
            "https://x.openai.azure.com/openai/responses?api-version=2024-12-01-preview",
        ),
    ];
    for (model, base_url, protocol, url) in table {
        let target = target(&llm(model, base_url)).unwrap();
        assert_eq!(
            (target.protocol, url_and_headers(&target).0.as_str()),
            (protocol, url),
            "{model} {base_url:?}"
        );
    }
}

#[test]
fn headers_carry_the_key_in_the_providers_way() {
    let pairs = |list: &[(&str, &str)]| {
        list.iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect::<Vec<_>>()
    };
    let openai = target(&llm("openai/gpt-4o", None)).unwrap();
    assert_eq!(
        url_and_headers(&openai).1,
        pairs(&[("Authorization", "Bearer sk-secret")])
    );
    let anthropic = target(&llm("anthropic/claude-sonnet-4-5", None)).unwrap();
    assert_eq!(
        url_and_headers(&anthropic).1,
        pairs(&[
            ("anthropic-beta", "interleaved-thinking-2025-05-14"),
            ("anthropic-version", "2023-06-01"),
            ("x-api-key", "sk-secret"),
        ])
    );
    let azure = target(&llm("azure/dep", Some("https://x"))).unwrap();
    assert_eq!(
        url_and_headers(&azure).1,
        pairs(&[("api-key", "sk-secret")])
    );
}

#[test]
fn headers_of_the_user_replace_ours_whatever_their_case() {
    let mut llm = llm("openai/x", Some("http://h/v1"));
    llm.extra_headers = Some(
        [("authorization".to_owned(), "Basic abc".to_owned())]
            .into_iter()
            .collect(),
    );
    let headers = url_and_headers(&target(&llm).unwrap()).1;
    assert_eq!(
        headers,
        [("authorization".to_owned(), "Basic abc".to_owned())]
    );
}

#[test]
fn a_server_without_a_key_gets_no_authorization() {
    let mut llm = llm("openai/local", Some("http://127.0.0.1:8000/v1"));
    llm.api_key = None;
    assert_eq!(url_and_headers(&target(&llm).unwrap()).1, []);
}

#[test]
fn what_is_missing_is_said() {
    assert!(
        target(&llm("litellm_proxy/x", None))
            .unwrap_err()
            .message
            .contains("needs a base URL")
    );
    let mut gemini = llm("gemini/gemini-2.5-pro", None);
    gemini.api_key = None;
    assert_eq!(
        target(&gemini).unwrap_err().kind,
        LlmErrorKind::Authentication
    );
}

#[test]
fn what_google_and_amazon_need_is_said() {
    let vertex = target(&llm("vertex_ai/gemini-2.5-pro", None)).unwrap_err();
    assert!(vertex.message.contains("project"), "{}", vertex.message);
    let mut bedrock = llm("bedrock/amazon.nova-pro-v1:0", None);
    bedrock.api_key = None;
    bedrock.aws_profile_name = Some("work".to_owned());
    let error = target(&bedrock).unwrap_err();
    assert_eq!(error.kind, LlmErrorKind::Authentication);
    assert!(error.message.contains("aws_access_key_id"), "{error}");
    bedrock.aws_access_key_id = Some("AKID".into());
    bedrock.aws_secret_access_key = Some("secret".into());
    target(&bedrock).unwrap();
}

#[test]
fn an_api_version_of_the_users_own_is_asked_for() {
    let mut azure = llm("azure/dep", Some("https://x.openai.azure.com/"));
    azure.api_version = Some("2025-04-01-preview".to_owned());
    let (url, _) = url_and_headers(&target(&azure).unwrap());
    assert!(url.ends_with("/chat/completions?api-version=2025-04-01-preview"));
}

#[test]
fn a_name_that_looks_like_the_librarys_own_spelling_stays_whole() {
    let target = target(&llm("openai/anthropic::claude", Some("http://h/v1"))).unwrap();
    assert_eq!(
        (target.model.as_str(), target.protocol),
        ("anthropic::claude", Protocol::Chat)
    );
    assert!(target.service().is_none(), "the library never sees it");
}

#[test]
fn debug_shows_no_key() {
    assert!(!format!("{:?}", target(&llm("openai/gpt-4o", None)).unwrap()).contains("sk-secret"));
}
