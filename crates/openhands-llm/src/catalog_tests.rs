use pretty_assertions::assert_eq;

use super::*;

fn find(name: &str) -> Option<Entry> {
    Catalog::default().find(name)
}

#[derive(Deserialize)]
struct Whole {
    sources: Vec<String>,
    models: HashMap<String, serde_json::Value>,
}

#[test]
fn every_entry_can_be_read_and_every_price_has_a_source() {
    let whole: Whole = serde_json::from_str(include_str!("../data/models.json")).unwrap();
    assert!(whole.models.len() > 1500);
    for (name, value) in &whole.models {
        let entry: Entry = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(
            Catalog::default().get(name).as_ref(),
            Some(&entry),
            "{name}"
        );
        assert!(
            entry
                .abilities
                .chars()
                .all(|letter| "vtarn".contains(letter))
        );
        if let Some(prices) = entry.prices {
            assert!(prices.input >= 0.0 && prices.output >= 0.0, "{name}");
            let source = usize::try_from(value["source"].as_u64().unwrap()).unwrap();
            assert!(whole.sources.get(source).is_some(), "{name}");
        }
    }
}

#[test]
fn well_known_prices() {
    let sonnet = find("anthropic/claude-sonnet-4-5").unwrap();
    assert_eq!(
        sonnet.prices,
        Some(Prices {
            input: 3.0,
            output: 15.0,
            cache_read: Some(0.3),
            cache_write: Some(3.75)
        })
    );
    assert_eq!(
        (sonnet.context_window, sonnet.max_output_tokens),
        (Some(200_000), Some(64_000))
    );
    let gemini = find("gemini/gemini-2.5-pro").unwrap();
    let long = Usage {
        prompt_tokens: 200_001,
        ..Usage::default()
    };
    assert_eq!(
        gemini.prices_for(&long).map(|prices| prices.input),
        Some(2.5)
    );
    let short = gemini.prices_for(&Usage::default());
    assert_eq!(short.map(|prices| prices.input), Some(1.25));
}

#[test]
fn a_model_is_found_in_all_usual_spellings() {
    let sonnet = find("claude-sonnet-4-5").unwrap();
    for name in [
        "anthropic/claude-sonnet-4-5-20250929",
        "openrouter/anthropic/claude-sonnet-4.5",
        "litellm_proxy/claude-sonnet-4-5",
        "openhands/claude-sonnet-4-5",
        "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "vertex_ai/claude-sonnet-4-5@20250929",
        "Anthropic/Claude-Sonnet-4-5-latest",
    ] {
        let found = find(name).unwrap();
        assert_eq!(found.context_window, sonnet.context_window, "{name}");
        assert!(found.prices.is_some(), "{name}");
    }
    let bare = find("deepseek/deepseek-chat");
    assert_eq!(find("openhands/deepseek-chat"), bare);
    assert_eq!(find("openai/gpt-4o"), find("gpt-4o"));
}

#[test]
fn what_another_provider_takes_for_a_model_is_not_known() {
    let local = find("ollama/gpt-oss:20b-cloud").unwrap();
    assert_eq!(local.prices, None);
    let hosted = find("hosted_vllm/gpt-4o").unwrap();
    assert_eq!(
        (hosted.prices, hosted.context_window),
        (None, Some(128_000))
    );
}

#[test]
fn a_similar_name_is_not_the_same_model() {
    for name in [
        "openai/gpt-4o-unheard-of",
        "gpt-5-ultra",
        "claude-sonnet-9",
        "",
        "/",
        "-latest",
    ] {
        assert_eq!(find(name), None, "{name}");
    }
}
