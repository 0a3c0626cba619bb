use pretty_assertions::assert_eq;

use super::*;

fn service(prefix: &str) -> Provider {
    Provider::Compatible(
        SERVICES
            .iter()
            .find(|service| service.prefix == prefix)
            .unwrap(),
    )
}

#[test]
fn names_are_taken_apart_at_the_first_slash() {
    let table = [
        ("openai/gpt-4o", Provider::OpenAi, "gpt-4o"),
        (
            "anthropic/claude-sonnet-4-5",
            Provider::Anthropic,
            "claude-sonnet-4-5",
        ),
        ("gemini/gemini-2.5-pro", Provider::Gemini, "gemini-2.5-pro"),
        (
            "openrouter/anthropic/claude-sonnet-4.5",
            Provider::OpenRouter,
            "anthropic/claude-sonnet-4.5",
        ),
        ("ollama/qwen3:8b", Provider::Ollama, "qwen3:8b"),
        (
            "litellm_proxy/anthropic/claude-opus-4",
            Provider::LitellmProxy,
            "anthropic/claude-opus-4",
        ),
        (
            "openhands/claude-sonnet-4-5",
            Provider::OpenHands,
            "claude-sonnet-4-5",
        ),
        ("azure/my-deployment", Provider::Azure, "my-deployment"),
        (
            "bedrock/us.anthropic.claude-opus-4-v1:0",
            Provider::Bedrock,
            "us.anthropic.claude-opus-4-v1:0",
        ),
        (
            "mistral/devstral-small",
            service("mistral"),
            "devstral-small",
        ),
        (
            "hosted_vllm/meta/llama",
            service("hosted_vllm"),
            "meta/llama",
        ),
        ("gpt-5.1", Provider::OpenAi, "gpt-5.1"),
        ("o3-mini", Provider::OpenAi, "o3-mini"),
        ("claude-opus-4-5", Provider::Anthropic, "claude-opus-4-5"),
        ("gemini-2.5-flash", Provider::Gemini, "gemini-2.5-flash"),
        (" openai/gpt-4o ", Provider::OpenAi, "gpt-4o"),
    ];
    for (name, provider, model) in table {
        let expected = ModelName {
            provider,
            model: model.to_owned(),
        };
        assert_eq!(ModelName::parse(name, false), Ok(expected), "{name}");
    }
}

#[test]
fn an_unknown_name_needs_a_base_url_and_is_sent_whole() {
    for name in ["meta-llama/Llama-3.3-70B", "qwen2.5-coder", "some::thing"] {
        let error = ModelName::parse(name, false).unwrap_err();
        assert_eq!(error.kind, LlmErrorKind::Configuration);
        assert!(error.message.contains(name), "{}", error.message);
        let expected = ModelName {
            provider: Provider::OpenAi,
            model: name.to_owned(),
        };
        assert_eq!(ModelName::parse(name, true), Ok(expected));
    }
}

#[test]
fn half_a_name_is_refused() {
    for name in ["", "  ", "openai/"] {
        assert_eq!(
            ModelName::parse(name, true).unwrap_err().kind,
            LlmErrorKind::Configuration,
            "{name:?}"
        );
    }
}
