//! Settings, their forms, and what becomes of secrets.

use openhands_agent_server_rs::Config;
use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{World, answer};

const CORRUPT: &str = "Settings file is corrupted or encrypted with a different key: restore that key as OH_SECRET_KEY \
                       or add it to OH_PREVIOUS_SECRET_KEYS";

fn keyed(config: &mut Config) {
    config.secret_key = Some("h2secret".to_owned());
}

/// The recorded exchanges of the reference.
fn recording(name: &str) -> Vec<Value> {
    let path = format!(
        "{}/../openhands-protocol/tests/fixtures/transcripts/services/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

async fn exposed(world: &World, path: &str, how: &str) -> (StatusCode, Value) {
    answer(
        world
            .request(Method::GET, path)
            .header("X-Expose-Secrets", how),
    )
    .await
}

#[tokio::test]
async fn a_fresh_server_has_the_settings_of_the_reference() {
    let world = World::with(keyed).await;
    let (status, mut settings) = world.get("/api/settings").await;
    assert_eq!(status, StatusCode::OK);
    let time = settings["agent_settings"]["agent_context"]["current_datetime"].take();
    assert!(time.as_str().unwrap().ends_with('Z'), "{time}");
    let mut expected = recording("settings-get-patch")[0]["response"]["body"].clone();
    expected["agent_settings"]["agent_context"]["current_datetime"].take();
    assert_eq!(settings, expected);
    assert!(!world.path().join("home/.openhands/settings.json").exists());
}

#[tokio::test]
async fn the_forms_hold_the_facts_of_the_reference() {
    let world = World::new().await;
    for exchange in recording("settings-schemas") {
        let path = exchange["request"]["path"].as_str().unwrap();
        let (status, mut form) = world.get(path).await;
        assert_eq!(status, StatusCode::OK);
        for section in form["sections"].as_array_mut().unwrap() {
            for field in section["fields"].as_array_mut().unwrap() {
                field.as_object_mut().unwrap().remove("description");
            }
        }
        assert_eq!(form, exchange["response"]["body"]);
    }
}

#[tokio::test]
async fn a_key_is_shown_as_it_is_asked_for_and_sealed_on_disk() {
    let world = World::with(keyed).await;
    let change = json!({"agent_settings_diff": {"llm": {
        "model": "openai/gpt-4o", "api_key": "sk-test-1234567890abcdef", "base_url": "http://127.0.0.1:9/v1"
    }}});
    let (status, settings) = world.patch("/api/settings", &change).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(settings["agent_settings"]["llm"]["api_key"], "**********");
    assert_eq!(settings["llm_api_key_is_set"], true);

    let key = |settings: &Value| settings["agent_settings"]["llm"]["api_key"].clone();
    let (_, plain) = exposed(&world, "/api/settings", "plaintext").await;
    assert_eq!(key(&plain), "sk-test-1234567890abcdef");
    let (_, sealed) = exposed(&world, "/api/settings", "encrypted").await;
    let token = key(&sealed);
    assert!(token.as_str().unwrap().starts_with("gAAAAA"), "{token}");
    let (_, aliased) = exposed(&world, "/api/settings", "true").await;
    assert!(key(&aliased).as_str().unwrap().starts_with("gAAAAA"));
    let (status, refused) = exposed(&world, "/api/settings", "bogus").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(
        refused["detail"],
        "Invalid X-Expose-Secrets header value: 'bogus'. Valid values are: 'encrypted', 'plaintext'."
    );
    let file = std::fs::read_to_string(world.path().join("home/.openhands/settings.json")).unwrap();
    assert!(!file.contains("sk-test") && file.contains("gAAAAA"));
    assert!(file.starts_with("{\n  \"schema_version\": 6,\n"));

    // Stars clear the key; a token that was given out brings it back.
    let change = json!({"agent_settings_diff": {"llm": {"api_key": "**********", "model": "openai/gpt-4o-mini"}}});
    let (_, settings) = world.patch("/api/settings", &change).await;
    assert_eq!(key(&settings), Value::Null);
    assert_eq!(
        settings["agent_settings"]["llm"]["model"],
        "openai/gpt-4o-mini"
    );
    assert_eq!(settings["llm_api_key_is_set"], false);
    let change = json!({"agent_settings_diff": {"llm": {"api_key": token}}});
    world.patch("/api/settings", &change).await;
    let (_, plain) = exposed(&world, "/api/settings", "plaintext").await;
    assert_eq!(key(&plain), "sk-test-1234567890abcdef");
}

#[tokio::test]
async fn without_a_key_files_are_plain_and_nothing_can_be_sealed() {
    let world = World::new().await;
    let (status, _) = exposed(&world, "/api/settings", "encrypted").await;
    assert_eq!(status, StatusCode::OK, "there is nothing to seal yet");
    let change =
        json!({"agent_settings_diff": {"llm": {"model": "openai/x", "api_key": "sk-plain"}}});
    world.patch("/api/settings", &change).await;
    let (status, refused) = exposed(&world, "/api/settings", "encrypted").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(
        refused,
        json!({
            "detail": "Internal Server Error",
            "exception": "503: Encryption not available: OH_SECRET_KEY is not configured. \
                          Cannot return encrypted secrets."
        })
    );
    let file = std::fs::read(world.path().join("home/.openhands/settings.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(file["agent_settings"]["llm"]["api_key"], "sk-plain");
}

#[tokio::test]
async fn changes_are_merged_and_what_does_not_fit_is_refused() {
    let world = World::with(keyed).await;
    let refused = json!({"detail": "Settings validation failed"});
    for change in [
        json!({"agent_settings_diff": {"llm": {"model": 5}}}),
        json!({"agent_settings_diff": {"agent_kind": "zzz"}}),
        json!({"agent_settings_diff": {"agent_context": {"secrets": 5}}}),
        json!({"agent_settings_diff": {"mcp_config": {"a": {"strange": 1}}}}),
        json!({"agent_settings_diff": {"mcp_config": {"a": {"transport": "stdio"}}}}),
        json!({"agent_settings_diff": {"enable_sub_agents": true}}),
        json!({"conversation_settings_diff": {"max_iterations": "x"}}),
        json!({"conversation_settings_diff": {"confirmation_mode": null}}),
    ] {
        let (status, said) = world.patch("/api/settings", &change).await;
        assert_eq!(
            (status, said),
            (StatusCode::UNPROCESSABLE_ENTITY, refused.clone()),
            "{change}"
        );
    }
    for nothing in [
        json!({}),
        json!({"unknown_key": 1}),
        json!({"agent_settings_diff": null}),
    ] {
        let (status, said) = world.patch("/api/settings", &nothing).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{nothing}");
        assert_eq!(
            said["detail"],
            "At least one of agent_settings_diff, conversation_settings_diff, misc_settings_diff, active_profile, \
             active_agent_profile_id, or active_meta_profile must be provided"
        );
    }
    assert!(!world.path().join("home/.openhands/settings.json").exists());

    let (status, settings) = world
        .patch(
            "/api/settings",
            &json!({"agent_settings_diff": {"nope": 1, "llm": {"nope": 1}}}),
        )
        .await;
    assert_eq!(status, StatusCode::OK);
    assert!(!settings.to_string().contains("nope"), "{settings}");

    let (_, settings) = world
        .patch(
            "/api/settings",
            &json!({"conversation_settings_diff": {"max_iterations": 7}}),
        )
        .await;
    assert_eq!(settings["conversation_settings"]["max_iterations"], 7);
    assert_eq!(
        settings["conversation_settings"]["security_analyzer"],
        "llm"
    );
    let misc = |settings: (StatusCode, Value)| settings.1["misc_settings"].clone();
    let first = json!({"misc_settings_diff": {"a": {"b": 1, "l": [1, 2]}}});
    assert_eq!(
        misc(world.patch("/api/settings", &first).await),
        first["misc_settings_diff"]
    );
    let second = json!({"misc_settings_diff": {"a": {"c": 2, "b": null, "l": [3]}}});
    assert_eq!(
        misc(world.patch("/api/settings", &second).await),
        json!({"a": {"l": [3], "c": 2}})
    );
    let third = json!({"misc_settings_diff": {"a": null}});
    assert_eq!(
        misc(world.patch("/api/settings", &third).await),
        json!({"a": null})
    );
}

#[tokio::test]
async fn a_null_takes_agent_settings_back_to_their_defaults_and_a_kind_starts_from_its_own() {
    let world = World::with(keyed).await;
    let change = json!({"agent_settings_diff": {"llm": {"model": "openai/gpt-4o"}, "persona": "a pirate",
        "tools": [{"name": "terminal"}], "mcp_config": {"fs": {"command": "x"}}}});
    world.patch("/api/settings", &change).await;
    let change = json!({"agent_settings_diff": {"persona": null, "llm": null}});
    let (status, settings) = world.patch("/api/settings", &change).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(settings["agent_settings"]["persona"], Value::Null);
    assert_eq!(settings["agent_settings"]["llm"]["model"], "gpt-5.6");
    assert_eq!(
        settings["agent_settings"]["tools"],
        json!([{"name": "terminal", "params": {}}])
    );

    let change = json!({"agent_settings_diff": {"agent_kind": "acp", "acp_server": "codex"}});
    let (status, settings) = world.patch("/api/settings", &change).await;
    assert_eq!(status, StatusCode::OK);
    let agent = &settings["agent_settings"];
    assert_eq!(agent["acp_server"], "codex");
    assert_eq!(agent["mcp_config"], json!({}));
    assert_eq!(agent["acp_file_secrets"].as_array().unwrap().len(), 4);
    assert_eq!(settings["llm_api_key_is_set"], false);
}

#[tokio::test]
async fn pointers_must_lead_somewhere() {
    let world = World::with(keyed).await;
    for (change, said) in [
        (
            json!({"active_profile": "missing"}),
            "Profile 'missing' not found",
        ),
        (
            json!({"active_meta_profile": "missing"}),
            "Meta-profile 'missing' not found",
        ),
        (
            json!({"active_agent_profile_id": "11111111-1111-4111-8111-111111111111"}),
            "Agent profile with id '11111111-1111-4111-8111-111111111111' not found",
        ),
    ] {
        let (status, answer) = world.patch("/api/settings", &change).await;
        assert_eq!(
            (status, answer),
            (StatusCode::NOT_FOUND, json!({"detail": said}))
        );
    }
    let llm = json!({"llm": {"model": "openai/gpt-4o", "api_key": "sk-1", "temperature": 0.5}});
    world.post("/api/profiles/fast", &llm).await;
    let (status, settings) = world
        .patch("/api/settings", &json!({"active_profile": "fast"}))
        .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(settings["active_profile"], "fast");
    assert_eq!(settings["agent_settings"]["llm"]["model"], "openai/gpt-4o");
    assert_eq!(settings["agent_settings"]["llm"]["temperature"], 0.5);
    assert_eq!(settings["llm_api_key_is_set"], true);
    let both =
        json!({"active_profile": "fast", "agent_settings_diff": {"llm": {"model": "openai/own"}}});
    let (_, settings) = world.patch("/api/settings", &both).await;
    assert_eq!(settings["agent_settings"]["llm"]["model"], "openai/own");
    let (_, settings) = world
        .patch("/api/settings", &json!({"active_profile": null}))
        .await;
    assert_eq!(settings["active_profile"], Value::Null);
    assert_eq!(settings["agent_settings"]["llm"]["model"], "openai/own");
}

#[tokio::test]
async fn a_broken_file_reads_as_defaults_and_is_not_overwritten() {
    let world = World::with(keyed).await;
    let directory = world.path().join("home/.openhands");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("settings.json"), "{broken").unwrap();
    let (status, settings) = world.get("/api/settings").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(settings["agent_settings"]["llm"]["model"], "gpt-5.6");
    let llm = json!({"llm": {"model": "openai/x"}});
    world.post("/api/profiles/p", &llm).await;
    let refused = (StatusCode::CONFLICT, json!({"detail": CORRUPT}));
    let change = json!({"misc_settings_diff": {"a": 1}});
    assert_eq!(world.patch("/api/settings", &change).await, refused);
    assert_eq!(
        world.post("/api/profiles/p/activate", &Value::Null).await,
        refused
    );
    let text = std::fs::read_to_string(directory.join("settings.json")).unwrap();
    assert_eq!(text, "{broken");
}

#[tokio::test]
async fn a_key_that_is_not_known_hides_secrets_and_keeps_them_safe() {
    let mut world = World::with(keyed).await;
    let change = json!({"agent_settings_diff": {"llm": {"model": "openai/x", "api_key": "sk-1"},
        "mcp_config": {"fs": {"command": "x", "env": {"TOKEN": "t"}}}}});
    world.patch("/api/settings", &change).await;
    let put = json!({"name": "A", "value": "v"});
    world.put("/api/settings/secrets", &put).await;
    let before = std::fs::read(world.path().join("home/.openhands/settings.json")).unwrap();

    world
        .restart_with(|config| config.secret_key = Some("another".to_owned()))
        .await;
    let (_, settings) = world.get("/api/settings").await;
    assert_eq!(settings["agent_settings"]["llm"]["api_key"], Value::Null);
    assert_eq!(settings["agent_settings"]["llm"]["model"], "openai/x");
    assert_eq!(settings["llm_api_key_is_set"], false);
    let change = json!({"misc_settings_diff": {"a": 1}});
    assert_eq!(
        world.patch("/api/settings", &change).await,
        (StatusCode::CONFLICT, json!({"detail": CORRUPT}))
    );
    let (status, _) = world.get("/api/settings/secrets/A").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, said) = world.put("/api/settings/secrets", &put).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    let said = said["exception"].as_str().unwrap();
    assert!(
        said.starts_with("500: Secrets file is corrupted or encrypted"),
        "{said}"
    );
    let after = std::fs::read(world.path().join("home/.openhands/settings.json")).unwrap();
    assert_eq!(after, before);

    // With the old key at hand, all is moved to the new one at the start.
    world
        .restart_with(|config| {
            config.secret_key = Some("another".to_owned());
            config.previous_secret_keys = vec!["h2secret".to_owned()];
        })
        .await;
    world
        .restart_with(|config| config.previous_secret_keys.clear())
        .await;
    let (_, plain) = exposed(&world, "/api/settings", "plaintext").await;
    assert_eq!(plain["agent_settings"]["llm"]["api_key"], "sk-1");
    assert_eq!(
        plain["agent_settings"]["mcp_config"]["fs"]["env"]["TOKEN"],
        "t"
    );
    let value = world
        .request(Method::GET, "/api/settings/secrets/A")
        .send()
        .await
        .unwrap();
    assert_eq!(value.text().await.unwrap(), "v");
}
