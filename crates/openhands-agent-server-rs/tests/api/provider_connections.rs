//! Credentials that several saved models share.

use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{World, answer};

const CONNECTIONS: &str = "/api/llm/provider-connections";

async fn add(world: &World, key: &str) -> String {
    let connection = json!({"display_name": "My key", "provider": "openai", "api_key": key,
        "base_url": "http://127.0.0.1:9/v1"});
    let (status, added) = world.post(CONNECTIONS, &connection).await;
    assert_eq!(status, StatusCode::CREATED);
    added["id"].as_str().unwrap().to_owned()
}

fn refused(detail: &str) -> (StatusCode, Value) {
    (StatusCode::UNPROCESSABLE_ENTITY, json!({"detail": detail}))
}

#[tokio::test]
async fn a_connection_is_added_changed_used_and_removed() {
    let world = World::with(|config| config.secret_key = Some("k".to_owned())).await;
    assert_eq!(world.get(CONNECTIONS).await, (StatusCode::OK, json!([])));
    let id = add(&world, "sk-prov-111").await;
    assert_eq!(id.len(), 32);
    let (_, list) = world.get(CONNECTIONS).await;
    assert_eq!(list[0]["api_key_set"], true);
    assert!(list[0]["created_at"].is_i64() && list[0].get("api_key").is_none());
    let one = format!("{CONNECTIONS}/{id}");
    assert_eq!(
        world.patch(&one, &json!({})).await,
        refused("Provide at least one provider connection field to update")
    );
    assert_eq!(
        world.patch(&one, &json!({"api_key": null})).await,
        refused("api_key cannot be cleared; provide a new key to rotate it")
    );
    assert_eq!(
        world
            .patch(
                &format!("{CONNECTIONS}/none"),
                &json!({"display_name": "z"})
            )
            .await,
        (
            StatusCode::NOT_FOUND,
            json!({"detail": "Provider connection 'none' not found"})
        )
    );
    let (status, changed) = world
        .patch(&one, &json!({"base_url": null, "api_key": "sk-prov-222"}))
        .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(changed["base_url"], Value::Null);
    assert_eq!(changed["display_name"], "My key");

    let linked = json!({"llm": {"model": "openai/gpt-4o", "provider_connection_id": id, "api_key": "inline"}});
    world.post("/api/profiles/linked", &linked).await;
    let (_, shown) = world.get("/api/profiles/linked").await;
    assert_eq!(shown["api_key_set"], true);
    let plain = world
        .request(Method::GET, "/api/profiles/linked")
        .header("X-Expose-Secrets", "plaintext");
    assert_eq!(answer(plain).await.1["config"]["api_key"], "sk-prov-222");
    let file = world.path().join("home/.openhands/profiles/linked.json");
    let file: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(file.get("api_key").is_none(), "{file}");
    let file = world
        .path()
        .join("home/.openhands/provider-connections/provider_connections.json");
    assert!(!std::fs::read_to_string(file).unwrap().contains("sk-prov"));

    world
        .post("/api/profiles/linked/activate", &Value::Null)
        .await;
    assert_eq!(
        world.delete(&one).await,
        (
            StatusCode::CONFLICT,
            json!({"detail": "Provider connection cannot be deleted while it is referenced by LLM profile(s): linked \
                              and referenced by the active agent settings. Update those references before deleting \
                              it."})
        )
    );
    world.delete("/api/profiles/linked").await;
    world
        .patch(
            "/api/settings",
            &json!({"agent_settings_diff": {"llm": null}}),
        )
        .await;
    let (status, deleted) = world.delete(&one).await;
    assert_eq!(
        (status, &deleted["api_key_set"]),
        (StatusCode::OK, &json!(false))
    );
    assert_eq!(
        world.delete(&one).await.1["detail"],
        format!("Provider connection '{id}' not found")
    );
}

#[tokio::test]
async fn a_model_without_its_connection_is_told_and_not_used() {
    let world = World::new().await;
    let dangling = json!({"llm": {"model": "openai/gpt-4o", "provider_connection_id": "deadbeef"}});
    assert_eq!(
        world.post("/api/profiles/dang", &dangling).await.0,
        StatusCode::CREATED
    );
    let (_, list) = world.get("/api/profiles").await;
    assert_eq!(list["profiles"][0]["provider_connection_broken"], true);
    assert_eq!(
        world
            .post("/api/profiles/dang/activate", &Value::Null)
            .await,
        refused(
            "Profile 'dang' references provider connection 'deadbeef', which does not exist. Update the profile or \
             recreate the connection."
        )
    );
}

#[tokio::test]
async fn there_are_at_most_64() {
    let world = World::new().await;
    for number in 0..64 {
        add(&world, &format!("k{number}")).await;
    }
    let (status, said) = world
        .post(CONNECTIONS, &json!({"display_name": "x", "api_key": "k"}))
        .await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(
        said["detail"],
        "Provider connection limit reached (64). Delete one before adding another."
    );
}
