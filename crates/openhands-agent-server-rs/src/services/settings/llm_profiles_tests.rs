use openhands_protocol::Secret;
use openhands_protocol::llm::{FallbackStrategy, Llm, LlmAuthType};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::LlmProfiles;
use crate::services::settings::error::StoreError;
use crate::services::settings::provider_connections::ProviderConnections;
use crate::services::settings::sealing::Sealing;

fn stores(directory: &tempfile::TempDir) -> (LlmProfiles, ProviderConnections) {
    let root = directory.path();
    let profiles = LlmProfiles::new(root, Sealing::default());
    (profiles, ProviderConnections::new(root, Sealing::default()))
}

fn llm(model: &str) -> Llm {
    Llm {
        model: model.to_owned(),
        api_key: Some(Secret::new("sk-1")),
        ..Llm::default()
    }
}

fn file(directory: &tempfile::TempDir, name: &str) -> Value {
    let path = directory.path().join("profiles").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_list_is_in_the_order_of_the_files_and_leaves_out_what_is_no_profile() {
    let directory = tempfile::tempdir().unwrap();
    let (profiles, connections) = stores(&directory);
    for name in ["a", "a-b", "A", "a.b"] {
        profiles.save(name, llm("openai/x"), true).unwrap();
    }
    let path = directory.path().join("profiles");
    std::fs::write(path.join("bad name.json"), "{}").unwrap();
    std::fs::write(path.join("list.json"), "[1]").unwrap();
    std::fs::write(path.join("note.txt"), "{}").unwrap();
    let names: Vec<String> = profiles
        .list(&connections)
        .unwrap()
        .into_iter()
        .map(|info| info.name)
        .collect();
    assert_eq!(names, ["A", "a-b", "a.b", "a"]);
}

#[test]
fn a_file_holds_what_can_be_kept() {
    let directory = tempfile::tempdir().unwrap();
    let (profiles, _) = stores(&directory);
    let strategy = FallbackStrategy {
        fallback_llms: vec!["b".to_owned()],
        ..FallbackStrategy::default()
    };
    let with_fallback = Llm {
        fallback_strategy: Some(strategy),
        ..llm("openai/x")
    };
    profiles.save("a", with_fallback, true).unwrap();
    let kept = file(&directory, "a.json");
    assert_eq!(kept["api_key"], "sk-1");
    assert_eq!(kept["schema_version"], 1);
    assert!(kept.get("fallback_strategy").is_none() && kept.get("temperature").is_none());
    profiles.save("b", llm("openai/x"), false).unwrap();
    assert_eq!(file(&directory, "b.json")["api_key"], "**********");
    assert_eq!(profiles.load("b").unwrap().api_key, None);
    let plan = Llm {
        auth_type: LlmAuthType::Subscription,
        base_url: Some("http://x".to_owned()),
        ..llm("openai/x")
    };
    profiles.save("c", plan, true).unwrap();
    let kept = file(&directory, "c.json");
    assert!(kept.get("api_key").is_none() && kept.get("base_url").is_none());
}

#[test]
fn older_files_and_short_ones_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let (profiles, _) = stores(&directory);
    profiles.save("x", llm("openai/x"), true).unwrap();
    let path = directory.path().join("profiles/x.json");
    let read = |value: Value| {
        std::fs::write(&path, value.to_string()).unwrap();
        profiles.load("x.json")
    };
    let short = read(json!({"model": "azure/gpt", "timeout": 60})).unwrap();
    assert_eq!(short.stream_idle_timeout, Some(60.0));
    assert_eq!(short.api_version.as_deref(), Some("2024-12-01-preview"));
    let proxied = json!({"model": "litellm_proxy/gpt-5.6", "base_url": "https://llm-proxy.app.all-hands.dev/"});
    let proxied = read(proxied).unwrap();
    assert_eq!(
        (proxied.model.as_str(), proxied.base_url),
        ("openhands/gpt-5.6", None)
    );
    let direct = read(json!({"model": "openai/x", "base_url": "https://api.openai.com/"})).unwrap();
    assert_eq!(direct.base_url, None);
    for broken in [
        json!({}),
        json!({"model": "m", "schema_version": 2}),
        json!({"model": ["sk-1"]}),
        json!([]),
    ] {
        let refused = read(broken.clone()).unwrap_err();
        assert!(
            matches!(refused, StoreError::Unreadable(_)),
            "{broken}: {refused}"
        );
        assert!(!refused.to_string().contains("sk-1"), "{refused}");
    }
}
