use openhands_protocol::llm::Llm;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;

fn of(model: &str) -> ModelFeatures {
    ModelFeatures::of(&Llm {
        model: model.to_owned(),
        ..Llm::default()
    })
}

#[test]
#[allow(clippy::too_many_lines, reason = "one table")]
fn the_table_of_names() {
    type Feature = fn(&ModelFeatures) -> bool;
    let table: [(Feature, &[&str], &[&str]); 9] = [
        (
            |f| f.explicit_prompt_cache,
            &[
                "anthropic/claude-3-5-sonnet-20241022",
                "openrouter/anthropic/claude-sonnet-4.5",
                "litellm_proxy/claude-opus-4-1",
                "anthropic/claude-haiku-4-5",
                "anthropic/claude-3-haiku-20240307",
                "anthropic/claude-fable-5",
            ],
            &[
                "anthropic/claude-2.1",
                "gemini/gemini-2.5-pro",
                "openai/gpt-5",
            ],
        ),
        (
            |f| f.thinking == Thinking::Manual,
            &[
                "anthropic/claude-sonnet-4-5-20250929",
                "anthropic/claude-sonnet-4-6",
                "anthropic/claude-haiku-4-5",
            ],
            &[
                "anthropic/claude-opus-4-5",
                "anthropic/claude-sonnet-4-20250514",
            ],
        ),
        (
            |f| f.responses_api,
            &[
                "openai/gpt-5",
                "openai/gpt-5.1-codex",
                "gpt-6",
                "openai/codex-mini-latest",
                // The catalogue lists the endpoint for these.
                "openai/gpt-4.1",
                "openai/o3",
            ],
            &["openai/gpt-4o", "openai/o1"],
        ),
        (
            |f| f.cache_retention,
            &[
                "openai/gpt-5",
                "openai/gpt-4.1",
                "openai/gpt-5.1-codex-mini",
            ],
            &[
                "openai/gpt-5-mini",
                "azure/gpt-5",
                "openai/gpt-4o",
                "azure/gpt-5.1-codex-mini",
            ],
        ),
        (
            |f| f.stop_words,
            &["openai/gpt-4o", "mistral/devstral-small"],
            &[
                "openai/o1",
                "openai/o3-mini",
                "xai/grok-4-0709",
                "xai/grok-code-fast-1",
                "deepseek/deepseek-r1-0528",
            ],
        ),
        (
            |f| f.echoes_reasoning,
            &[
                "moonshot/kimi-k2-thinking",
                "deepseek/deepseek-reasoner",
                "openrouter/minimax-m2",
            ],
            &["deepseek/deepseek-chat", "minimax/minimax-m2"],
        ),
        (
            |f| f.inline_images,
            &["moonshot/kimi-k2.6", "openhands/kimi-k3"],
            &["moonshot/kimi-k2.5"],
        ),
        (
            |f| f.string_content,
            &[
                "deepseek/deepseek-v3.2",
                "zai/glm-4.6",
                "groq/kimi-k2-instruct",
                "openrouter/minimax/minimax-m2",
            ],
            &["openai/gpt-4o"],
        ),
        (
            |f| f.sampling,
            &["openai/gpt-4o", "gemini/gemini-2.5-pro"],
            &["openai/gpt-5", "openai/o3", "anthropic/claude-sonnet-4-5"],
        ),
    ];
    for (index, (feature, with, without)) in table.iter().enumerate() {
        for model in *with {
            assert!(feature(&of(model)), "feature {index} of {model}");
        }
        for model in *without {
            assert!(!feature(&of(model)), "feature {index} of {model}");
        }
    }
}

#[test]
fn overrides_win_over_everything() {
    let llm = Llm {
        model: "openai/gpt-5".to_owned(),
        capability_overrides: json!({
            "supports_responses_api": false,
            "supports_vision": false,
            "supports_sampling_params": true,
            "max_input_tokens": 50_000,
        })
        .as_object()
        .cloned()
        .unwrap()
        .into(),
        ..Llm::default()
    };
    let features = ModelFeatures::of(&llm);
    assert_eq!(
        (
            features.responses_api,
            features.vision,
            features.sampling,
            features.context_window
        ),
        (false, false, true, Some(50_000))
    );
}

#[test]
fn the_canonical_name_stands_in_for_a_name_that_says_nothing() {
    let llm = Llm {
        model: "litellm_proxy/our-best".to_owned(),
        model_canonical_name: Some("anthropic/claude-sonnet-4-5".to_owned()),
        ..Llm::default()
    };
    assert!(ModelFeatures::of(&llm).explicit_prompt_cache);
}

#[test]
fn the_settings_switch_features_off() {
    let llm = Llm {
        model: "anthropic/claude-sonnet-4-5".to_owned(),
        caching_prompt: false,
        disable_vision: Some(true),
        native_tool_calling: false,
        ..Llm::default()
    };
    let features = ModelFeatures::of(&llm);
    assert_eq!(
        (
            features.explicit_prompt_cache,
            features.vision,
            features.native_tools
        ),
        (false, false, false)
    );
}

#[test]
fn limits_come_from_the_catalogue() {
    let features = of("anthropic/claude-sonnet-4-5-20250929");
    assert_eq!(
        (features.context_window, features.max_output_tokens),
        (Some(200_000), Some(64_000))
    );
    assert_eq!(of("openai/no-such-model").context_window, None);
}
