//! Secrets that the server keeps for all conversations.

use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::World;

const BAD_NAME: &str = "Invalid secret name format. Must start with a letter, contain only letters, numbers, and \
                        underscores, and be 1-64 characters long.";

#[tokio::test]
async fn a_secret_is_saved_read_and_removed() {
    let world = World::with(|config| config.secret_key = Some("k".to_owned())).await;
    let secrets = "/api/settings/secrets";
    assert_eq!(
        world.get(secrets).await,
        (StatusCode::OK, json!({"secrets": []}))
    );
    let put = json!({"name": "MY_TOKEN", "value": "v1", "description": "d"});
    assert_eq!(
        world.put(secrets, &put).await,
        (
            StatusCode::OK,
            json!({"name": "MY_TOKEN", "description": "d"})
        )
    );
    let put = json!({"name": "MY_TOKEN", "value": "v2"});
    assert_eq!(
        world.put(secrets, &put).await,
        (
            StatusCode::OK,
            json!({"name": "MY_TOKEN", "description": null})
        )
    );
    assert_eq!(
        world.get(secrets).await.1,
        json!({"secrets": [{"name": "MY_TOKEN", "description": null}]})
    );
    let value = world
        .request(Method::GET, "/api/settings/secrets/MY_TOKEN")
        .send()
        .await
        .unwrap();
    assert_eq!(value.headers()["content-type"], "text/plain; charset=utf-8");
    assert_eq!(value.text().await.unwrap(), "v2");

    let file = std::fs::read(world.path().join("home/.openhands/secrets.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    let stored = &file["custom_secrets"]["MY_TOKEN"];
    assert_eq!(stored["name"], "MY_TOKEN");
    assert!(stored["secret"].as_str().unwrap().starts_with("gAAAAA"));
    assert_eq!(file.as_object().unwrap().len(), 1);

    let one = "/api/settings/secrets/MY_TOKEN";
    assert_eq!(
        world.delete(one).await,
        (StatusCode::OK, json!({"deleted": true}))
    );
    let missing = (StatusCode::NOT_FOUND, json!({"detail": "Secret not found"}));
    assert_eq!(world.delete(one).await, missing);
    assert_eq!(world.get(one).await, missing);
}

#[tokio::test]
async fn bad_names_and_values_are_refused() {
    let world = World::new().await;
    let secrets = "/api/settings/secrets";
    for name in ["1bad", "has-dash", &"x".repeat(65), "", "a/b"] {
        let (status, said) = world
            .put(secrets, &json!({"name": name, "value": "v"}))
            .await;
        assert_eq!(
            (status, said["detail"].as_str()),
            (StatusCode::UNPROCESSABLE_ENTITY, Some(BAD_NAME))
        );
    }
    for value in ["", "  ", "**********"] {
        let (status, said) = world
            .put(secrets, &json!({"name": "E", "value": value}))
            .await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(said["detail"], "Secret value must not be empty or redacted");
    }
    let (status, said) = world.get("/api/settings/secrets/bad-name").await;
    assert_eq!(
        (status, said["detail"].as_str()),
        (StatusCode::UNPROCESSABLE_ENTITY, Some(BAD_NAME))
    );
    assert!(!world.path().join("home/.openhands/secrets.json").exists());
}

#[tokio::test]
async fn a_saved_agent_narrows_the_list() {
    let world = World::new().await;
    for name in ["A", "B"] {
        world
            .put(
                "/api/settings/secrets",
                &json!({"name": name, "value": "v"}),
            )
            .await;
    }
    let profile = json!({"llm_profile_ref": "x", "secret_refs": ["B", "C"]});
    world.post("/api/agent-profiles/narrow", &profile).await;
    let (_, profiles) = world.get("/api/agent-profiles").await;
    let id = |name: &str| {
        let profiles = profiles["profiles"].as_array().unwrap();
        let profile = profiles
            .iter()
            .find(|profile| profile["name"] == name)
            .unwrap();
        profile["id"].as_str().unwrap().to_owned()
    };
    let names = |answer: (StatusCode, Value)| -> Vec<String> {
        let secrets = answer.1["secrets"].as_array().unwrap().clone();
        secrets
            .iter()
            .map(|secret| secret["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let path = |id: &str| format!("/api/settings/secrets?agent_profile_id={id}");
    assert_eq!(names(world.get(&path(&id("narrow"))).await), ["B"]);
    assert_eq!(names(world.get(&path(&id("default"))).await), ["A", "B"]);
    assert_eq!(
        world.get(&path("none")).await,
        (
            StatusCode::NOT_FOUND,
            json!({"detail": "Agent profile not found"})
        )
    );
}
