use std::sync::Arc;

use openhands_protocol::Secret;
use openhands_protocol::llm::Llm;
use openhands_protocol::secrets::LookupSecret;
use openhands_sdk_rs::conversation::{ProfileError, Profiles as _};
use openhands_sdk_rs::secrets::{Cipher, Lookup as _};
use pretty_assertions::assert_eq;

use super::{SavedModels, SecretLookup};
use crate::services::settings::Stores;

async fn stores(directory: &tempfile::TempDir) -> Arc<Stores> {
    let cipher = Cipher::new(&Secret::new("k"), []);
    Stores::open(&directory.path().join("kept"), cipher).await
}

fn at(url: &str) -> LookupSecret {
    LookupSecret {
        url: url.to_owned(),
        ..LookupSecret::default()
    }
}

/// Nothing answers at that address: only a lookup inside of the server finds the value.
#[tokio::test]
async fn secrets_of_this_server_do_not_go_over_the_network() {
    let directory = tempfile::tempdir().unwrap();
    let stores = stores(&directory).await;
    stores
        .secrets
        .put("MY_TOKEN", Secret::new("found"), None)
        .unwrap();
    let lookup = SecretLookup::new(stores);
    lookup.set_own_address("http://127.0.0.1:1");
    for url in [
        "http://127.0.0.1:1/api/settings/secrets/MY_TOKEN",
        "http://localhost:1/api/settings/secrets/MY_TOKEN",
        "http://[::1]:1/api/settings/secrets/MY_TOKEN?x=1",
        "/api/settings/secrets/MY_TOKEN",
    ] {
        let value = lookup.fetch(&at(url)).await.unwrap();
        assert_eq!(value.expose(), Some("found"), "{url}");
    }
    for url in [
        "http://127.0.0.1:1/api/settings/secrets/OTHER",
        "http://127.0.0.1:2/api/settings/secrets/MY_TOKEN",
        "https://127.0.0.1:1/api/settings/secrets/MY_TOKEN",
        "http://127.0.0.1:1/api/settings/secrets/MY_TOKEN/more",
        "http://127.0.0.1:1/other",
    ] {
        assert!(lookup.fetch(&at(url)).await.is_err(), "{url}");
    }
}

#[tokio::test]
async fn conversations_find_what_is_saved_at_the_time() {
    let directory = tempfile::tempdir().unwrap();
    let stores = stores(&directory).await;
    let saved = SavedModels(Arc::clone(&stores));
    assert!(saved.names().await.is_empty() && saved.rule_names().await.is_empty());
    let llm = Llm {
        model: "openai/x".to_owned(),
        api_key: Some(Secret::new("sk-1")),
        ..Llm::default()
    };
    stores.llm_profiles.save("b", llm.clone(), true).unwrap();
    stores.llm_profiles.save("a", llm, true).unwrap();
    assert_eq!(saved.names().await, ["a", "b"]);
    let loaded = saved.load("a").await.unwrap();
    assert_eq!(loaded.api_key.unwrap().expose(), Some("sk-1"));
    assert_eq!(
        saved.load("c").await,
        Err(ProfileError::NotFound("c".to_owned()))
    );
    let rules = directory.path().join("kept/meta-profiles");
    std::fs::create_dir_all(&rules).unwrap();
    std::fs::write(rules.join("m.json"), r#"{"classifier_model": "a"}"#).unwrap();
    std::fs::write(rules.join("n.json"), "{").unwrap();
    assert_eq!(saved.rule_names().await, ["m", "n"]);
    assert_eq!(saved.load_rules("m").await.unwrap().classifier_model, "a");
    assert!(matches!(
        saved.load_rules("n").await,
        Err(ProfileError::Invalid(_))
    ));
}
