//! Models that the user saved by name.

use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{World, answer};
use crate::scripted_llm::ScriptedLlm;

async fn keyed() -> World {
    World::with(|config| config.secret_key = Some("k".to_owned())).await
}

fn llm(model: &str) -> Value {
    json!({"llm": {"model": model, "api_key": "sk-abc123456789", "base_url": "http://127.0.0.1:9/v1"}})
}

async fn exposed(world: &World, path: &str, how: &str) -> (StatusCode, Value) {
    answer(
        world
            .request(Method::GET, path)
            .header("X-Expose-Secrets", how),
    )
    .await
}

fn said(status: StatusCode, detail: &str) -> (StatusCode, Value) {
    (status, json!({"detail": detail}))
}

#[tokio::test]
async fn a_model_is_saved_listed_shown_and_removed() {
    let world = keyed().await;
    assert_eq!(
        world.get("/api/profiles").await.1,
        json!({"profiles": [], "active_profile": null})
    );
    for _ in 0..2 {
        assert_eq!(
            world
                .post("/api/profiles/fast", &llm("openai/gpt-4o-mini"))
                .await,
            (
                StatusCode::CREATED,
                json!({"name": "fast", "message": "Profile 'fast' saved"})
            )
        );
    }
    let without =
        json!({"llm": {"model": "openai/gpt-4o", "api_key": "sk-abc"}, "include_secrets": false});
    world.post("/api/profiles/nokey", &without).await;
    let (_, list) = world.get("/api/profiles").await;
    assert_eq!(
        list["profiles"],
        json!([
            {"name": "fast", "model": "openai/gpt-4o-mini", "base_url": "http://127.0.0.1:9/v1",
             "provider_connection_id": null, "provider_connection_broken": false, "api_key_set": true},
            {"name": "nokey", "model": "openai/gpt-4o", "base_url": null,
             "provider_connection_id": null, "provider_connection_broken": false, "api_key_set": false}
        ])
    );
    let (_, shown) = world.get("/api/profiles/fast").await;
    assert_eq!(shown["config"]["api_key"], Value::Null);
    assert_eq!(shown["config"]["model"], "openai/gpt-4o-mini");
    assert!(shown["config"].get("schema_version").is_none());
    assert_eq!(shown["api_key_set"], true);
    let (_, plain) = exposed(&world, "/api/profiles/fast", "plaintext").await;
    assert_eq!(plain["config"]["api_key"], "sk-abc123456789");
    let (_, sealed) = exposed(&world, "/api/profiles/fast", "encrypted").await;
    let token = sealed["config"]["api_key"].clone();
    assert!(token.as_str().unwrap().starts_with("gAAAAA"));

    // What was given out sealed can be saved again.
    let again = json!({"llm": {"model": "openai/x", "api_key": token}});
    world.post("/api/profiles/again.json", &again).await;
    let (_, plain) = exposed(&world, "/api/profiles/again", "plaintext").await;
    assert_eq!(plain["config"]["api_key"], "sk-abc123456789");

    let file = world.path().join("home/.openhands/profiles/fast.json");
    let file: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(file["schema_version"], 1);
    assert!(file["api_key"].as_str().unwrap().starts_with("gAAAAA"));
    assert!(file.get("temperature").is_none(), "nulls are left out");
    assert_eq!(
        world.get("/api/profiles/none").await,
        said(StatusCode::NOT_FOUND, "Profile 'none' not found")
    );
    for _ in 0..2 {
        assert_eq!(
            world.delete("/api/profiles/again").await,
            (
                StatusCode::OK,
                json!({"name": "again", "message": "Profile 'again' deleted"})
            )
        );
    }
}

#[tokio::test]
async fn the_active_model_follows_its_name_and_goes_with_it() {
    let world = keyed().await;
    world
        .post("/api/profiles/fast", &llm("openai/gpt-4o-mini"))
        .await;
    world
        .post("/api/profiles/other", &llm("openai/gpt-4o"))
        .await;
    assert_eq!(
        world
            .post("/api/profiles/fast/activate", &Value::Null)
            .await
            .1,
        json!({"name": "fast", "message": "Profile 'fast' activated and applied to current settings",
               "llm_applied": true})
    );
    let (_, settings) = world.get("/api/settings").await;
    assert_eq!(settings["active_profile"], "fast");
    assert_eq!(
        settings["agent_settings"]["llm"]["model"],
        "openai/gpt-4o-mini"
    );
    let rename = |to: &str| json!({"new_name": to});
    assert_eq!(
        world
            .post("/api/profiles/fast/rename", &rename("other"))
            .await,
        said(StatusCode::CONFLICT, "Profile 'other' already exists")
    );
    assert_eq!(
        world.post("/api/profiles/none/rename", &rename("y")).await,
        said(StatusCode::NOT_FOUND, "Profile 'none' not found")
    );
    assert_eq!(
        world
            .post("/api/profiles/none/activate", &Value::Null)
            .await,
        said(StatusCode::NOT_FOUND, "Profile 'none' not found")
    );
    assert_eq!(
        world
            .post("/api/profiles/fast/rename", &rename("fast"))
            .await
            .1["message"],
        "Profile 'fast' unchanged (same name)"
    );
    assert_eq!(
        world
            .post("/api/profiles/fast/rename", &rename("quick"))
            .await
            .1,
        json!({"name": "quick", "message": "Profile 'fast' renamed to 'quick'"})
    );
    assert_eq!(
        world.get("/api/profiles").await.1["active_profile"],
        "quick"
    );
    world.delete("/api/profiles/quick").await;
    assert_eq!(
        world.get("/api/profiles").await.1["active_profile"],
        Value::Null
    );

    let acp = json!({"agent_settings_diff": {"agent_kind": "acp"}});
    world.patch("/api/settings", &acp).await;
    assert_eq!(
        world
            .post("/api/profiles/other/activate", &Value::Null)
            .await
            .1,
        json!({"name": "other", "message": "Profile 'other' activated", "llm_applied": false})
    );
}

#[tokio::test]
async fn there_is_a_limit_and_broken_files_are_told() {
    let world = World::new().await;
    for number in 0..50 {
        let (status, _) = world
            .post(&format!("/api/profiles/p{number}"), &llm("openai/x"))
            .await;
        assert_eq!(status, StatusCode::CREATED);
    }
    assert_eq!(
        world.post("/api/profiles/one-more", &llm("openai/x")).await,
        said(
            StatusCode::CONFLICT,
            "Profile limit reached (50). Delete a profile before saving a new one."
        )
    );
    assert_eq!(
        world.post("/api/profiles/p1", &llm("openai/y")).await.0,
        StatusCode::CREATED
    );
    let directory = world.path().join("home/.openhands/profiles");
    std::fs::write(directory.join("p0.json"), "{sk-secret").unwrap();
    let (status, told) = world.get("/api/profiles/p0").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let told = told["detail"].as_str().unwrap();
    assert!(
        told.starts_with("Failed to load profile `p0`: ") && !told.contains("sk-secret"),
        "{told}"
    );
    let (_, list) = world.get("/api/profiles").await;
    assert_eq!(list["profiles"].as_array().unwrap().len(), 49);
}

#[tokio::test]
async fn a_model_is_tried_out_with_one_question() {
    let world = keyed().await;
    let provider = ScriptedLlm::start().await;
    let ask = |url: String, key: &str| json!({"llm": {"model": "openai/mock-model", "api_key": key, "base_url": url}});
    let validate = "/api/profiles/any/validate";
    assert_eq!(
        world.post(validate, &ask(provider.url(), "k")).await,
        (StatusCode::OK, json!({"valid": true, "error": null}))
    );
    let request = provider.requests().pop().unwrap();
    assert_eq!(
        request.body["max_tokens"]
            .as_i64()
            .or(request.body["max_completion_tokens"].as_i64()),
        Some(1)
    );
    assert_eq!(request.authorization.as_deref(), Some("Bearer k"));

    let (_, refused) = world
        .post(validate, &ask(provider.refusing(401), "sk-refused"))
        .await;
    assert_eq!(refused["valid"], false);
    assert_eq!(refused["error"]["type"], "LLMAuthenticationError");
    assert!(!refused.to_string().contains("sk-refused"), "{refused}");
    let (_, refused) = world
        .post(validate, &ask(provider.refusing(400), "k"))
        .await;
    assert_eq!(refused["error"]["type"], "LLMBadRequestError");
    let (_, busy) = world
        .post(validate, &ask(provider.refusing(429), "k"))
        .await;
    assert_eq!(busy, json!({"valid": true, "error": null}));
    let (_, gone) = world
        .post(validate, &ask("http://127.0.0.1:9/v1".to_owned(), "k"))
        .await;
    assert_eq!(gone["error"]["type"], "LLMServiceUnavailableError");
    assert_eq!(provider.requests().len(), 4, "nothing is tried twice");

    let linked = json!({"llm": {"model": "openai/x", "provider_connection_id": "nope"}});
    assert_eq!(
        world.post(validate, &linked).await,
        said(
            StatusCode::UNPROCESSABLE_ENTITY,
            "LLM config references provider connection 'nope', which does not exist. Update the profile or recreate \
             the connection."
        )
    );
}
