use openhands_protocol::Secret;
use openhands_sdk_rs::secrets::Cipher;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::SecretsStore;
use crate::services::settings::error::StoreError;
use crate::services::settings::sealing::Sealing;

fn store(directory: &tempfile::TempDir, key: &str) -> SecretsStore {
    let cipher = Cipher::new(&Secret::new(key), []);
    SecretsStore::new(directory.path(), Sealing::new(cipher))
}

fn file(directory: &tempfile::TempDir) -> Value {
    let text = std::fs::read(directory.path().join("secrets.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn write(directory: &tempfile::TempDir, file: &Value) {
    std::fs::write(directory.path().join("secrets.json"), file.to_string()).unwrap();
}

fn value(store: &SecretsStore, name: &str) -> Option<String> {
    let value = store.value(name).unwrap();
    value.and_then(|value| value.expose().map(str::to_owned))
}

#[test]
fn a_file_written_by_hand_is_read_and_sealed_at_the_next_write() {
    let directory = tempfile::tempdir().unwrap();
    write(
        &directory,
        &json!({"custom_secrets": {"A": "bare", "B": {"secret": "plain"}}}),
    );
    let store = store(&directory, "k");
    assert_eq!(value(&store, "A").as_deref(), Some("bare"));
    assert_eq!(value(&store, "B").as_deref(), Some("plain"));
    store.put("C", Secret::new("c"), None).unwrap();
    let file = file(&directory);
    for name in ["A", "B", "C"] {
        let secret = &file["custom_secrets"][name];
        assert_eq!(secret["name"], name);
        assert!(secret["secret"].as_str().unwrap().starts_with("gAAAAA"));
    }
}

#[test]
fn the_version_of_a_credential_changes_with_its_value() {
    let directory = tempfile::tempdir().unwrap();
    write(
        &directory,
        &json!({"custom_secrets": {"A": "a", "B": "b"}, "_credential_versions": {"A": "1", "B": "2"}}),
    );
    let store = store(&directory, "k");
    store.put("A", Secret::new("new"), None).unwrap();
    let versions = file(&directory)["_credential_versions"].clone();
    assert_ne!(versions["A"], "1");
    assert_eq!(versions["B"], "2");
    assert!(store.delete("B").unwrap() && store.delete("A").unwrap());
    assert_eq!(file(&directory), json!({"custom_secrets": {}}));
    assert!(!store.delete("A").unwrap());
}

#[test]
fn nothing_is_written_over_secrets_of_another_key() {
    let directory = tempfile::tempdir().unwrap();
    store(&directory, "k")
        .put("A", Secret::new("a"), None)
        .unwrap();
    let before = file(&directory);
    let other = store(&directory, "other");
    assert_eq!(value(&other, "A"), None);
    assert_eq!(other.list().unwrap(), [("A".to_owned(), None)]);
    for refused in [
        other.put("B", Secret::new("b"), None).unwrap_err(),
        other.delete("A").unwrap_err(),
    ] {
        assert!(
            matches!(refused, StoreError::Corrupt("Secrets")),
            "{refused}"
        );
    }
    assert!(!other.reseal().unwrap());
    assert_eq!(file(&directory), before);
}
