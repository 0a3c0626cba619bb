use super::*;

#[test]
fn the_embedded_catalogue_can_be_read() {
    let models: HashMap<String, Entry> = serde_json::from_str(include_str!("models.json")).unwrap();
    assert!(models.len() > 40);
    for (name, entry) in &models {
        assert!(
            entry.prices.input > 0.0 && entry.prices.output > 0.0,
            "{name}"
        );
        assert!(entry.max_output_tokens <= entry.context_window, "{name}");
    }
}

#[test]
fn a_model_is_found_in_all_usual_spellings() {
    let sonnet = find("claude-sonnet-4-5").unwrap();
    for name in [
        "anthropic/claude-sonnet-4-5-20250929",
        "openrouter/anthropic/claude-sonnet-4.5",
        "litellm_proxy/claude-sonnet-4-5",
        "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "vertex_ai/claude-sonnet-4-5@20250929",
        "Anthropic/Claude-Sonnet-4-5-latest",
    ] {
        assert_eq!(find(name), Some(sonnet), "{name}");
    }
    assert_eq!(find("openai/gpt-4o-2024-08-06"), find("gpt-4o"));
    assert_eq!(find("gemini/gemini-3-pro-preview"), find("gemini-3-pro"));
}

#[test]
fn a_similar_name_is_not_the_same_model() {
    for name in [
        "openai/gpt-4o-audio",
        "gpt-5-ultra",
        "claude-sonnet-9",
        "",
        "/",
        "-latest",
    ] {
        assert_eq!(find(name), None, "{name}");
    }
}
