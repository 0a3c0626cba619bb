//! The catalog of models.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::harness::World;

fn full_lists() -> Value {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../openhands-protocol/tests/fixtures/transcripts/services/llm-catalog-full.json"
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[tokio::test]
async fn the_lists_are_as_recorded() {
    let world = World::new().await;
    let lists = full_lists();
    for (request, expected) in lists.as_object().unwrap() {
        let path = request.strip_prefix("GET ").unwrap();
        let (status, body) = world.get(path).await;
        assert_eq!((status.as_u16(), &body), (200, expected), "{request}");
    }
    assert_eq!(lists.as_object().unwrap().len(), 4);
}

#[tokio::test]
async fn all_models_are_there_and_no_provider_has_none() {
    let world = World::new().await;
    let (_, body) = world.get("/api/llm/models").await;
    let models = body["models"].as_array().unwrap();
    assert_eq!(models.len(), 3797);
    assert_eq!(models[0], "1024-x-1024/gpt-image-1.5");
    let (status, body) = world.get("/api/llm/models?provider=nope").await;
    assert_eq!((status.as_u16(), body), (200, json!({"models": []})));
    // A name that OpenRouter has verified belongs to another provider all the same.
    let (_, body) = world.get("/api/llm/models?provider=openrouter").await;
    let models = body["models"].as_array().unwrap();
    assert!(
        models
            .iter()
            .all(|model| model.as_str().unwrap().starts_with("openrouter/"))
    );
    assert!(models.contains(&json!("openrouter/anthropic/claude-opus-5")));
}
