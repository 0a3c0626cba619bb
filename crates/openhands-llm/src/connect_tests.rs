use pretty_assertions::assert_eq;

use super::*;

fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        base_url: Some("http://127.0.0.1:1/v1".to_owned()),
        ..Llm::default()
    }
}

fn refusal(connector: &Connector, llm: &Llm) -> Option<LlmErrorKind> {
    connector.connect(llm).err().map(|error| error.kind)
}

#[test]
fn a_window_that_is_too_short_is_refused_unless_it_is_allowed() {
    let connector = Connector::new(Http::new().unwrap());
    let short = Llm {
        max_input_tokens: Some(8192),
        ..llm("openai/some-model")
    };
    let too_small = Some(LlmErrorKind::ContextWindowTooSmall);
    assert_eq!(refusal(&connector, &short), too_small);
    assert_eq!(refusal(&connector, &llm("ollama/llama3")), too_small);
    let allowing = connector.clone().allowing_short_windows(true);
    assert_eq!(refusal(&allowing, &short), None);
    let just = Llm {
        max_input_tokens: Some(16_384),
        ..short
    };
    assert_eq!(refusal(&connector, &just), None);
    // Nothing is known about it, so nothing is held against it.
    assert_eq!(refusal(&connector, &llm("openai/some-model")), None);
}

#[test]
fn a_file_laid_over_the_catalogue_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("models.json");
    let facts = r#"{"openai/Our-Model": {"max_input_tokens": 9000, "supports_vision": true},
        "gpt-4o": {"max_input_tokens": 64000, "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}"#;
    std::fs::write(&path, facts).unwrap();
    let catalog = Catalog::with_file(&path).unwrap();
    let features = ModelFeatures::with_catalog(&llm("openai/our-model"), &catalog);
    assert_eq!(
        (features.context_window, features.vision),
        (Some(9000), true)
    );
    let features = ModelFeatures::with_catalog(&llm("openai/gpt-4o"), &catalog);
    assert_eq!(features.context_window, Some(64_000));
    let connector = Connector::new(Http::new().unwrap()).with_catalog(catalog);
    assert_eq!(
        refusal(&connector, &llm("openai/our-model")),
        Some(LlmErrorKind::ContextWindowTooSmall)
    );
    std::fs::write(&path, "[]").unwrap();
    let unusable = Catalog::with_file(&path).unwrap_err();
    assert_eq!(unusable.kind, LlmErrorKind::Configuration);
}
