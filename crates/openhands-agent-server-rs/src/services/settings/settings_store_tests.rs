use openhands_protocol::Secret;
use openhands_protocol::settings::AgentSettings;
use openhands_sdk_rs::secrets::Cipher;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Changes, SettingsStore};
use crate::services::settings::error::StoreError;
use crate::services::settings::sealing::Sealing;

fn sealing() -> Sealing {
    Sealing::new(Cipher::new(&Secret::new("k"), []))
}

fn store(directory: &tempfile::TempDir) -> SettingsStore {
    SettingsStore::new(directory.path(), sealing())
}

fn write(directory: &tempfile::TempDir, file: &Value) {
    std::fs::write(directory.path().join("settings.json"), file.to_string()).unwrap();
}

fn misc(key: &str, value: impl Into<Value>) -> Changes {
    Changes {
        misc: Some([(key.to_owned(), value.into())].into_iter().collect()),
        ..Changes::default()
    }
}

#[test]
fn an_older_file_is_read_and_what_a_newer_one_has_besides_stays() {
    let directory = tempfile::tempdir().unwrap();
    write(
        &directory,
        &json!({
            "schema_version": 1,
            "agent_settings": {"agent_kind": "llm", "llm": {"model": "openai/x", "api_key": "plain", "new": 1},
                "enable_switch_llm_tool": true, "new_member": [1]},
            "conversation_settings": {"max_iterations": 3},
            "new_part": {"a": null}
        }),
    );
    let store = store(&directory);
    let settings = store.load().unwrap();
    let AgentSettings::OpenHands(agent) = &settings.agent_settings else {
        panic!("{settings:?}");
    };
    assert_eq!(agent.llm.model, "openai/x");
    assert_eq!(agent.schema_version, 9);
    assert_eq!(settings.conversation_settings.max_iterations, 3);
    store
        .update(|settings| misc("a", 1).apply(settings, &sealing()))
        .unwrap();
    let file = std::fs::read(directory.path().join("settings.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    assert_eq!(file["schema_version"], 6);
    assert_eq!(file["agent_settings"]["new_member"], json!([1]));
    assert_eq!(file["agent_settings"]["llm"]["new"], 1);
    assert_eq!(file["new_part"], json!({"a": null}));
    assert!(
        file["agent_settings"]["llm"]["api_key"]
            .as_str()
            .unwrap()
            .starts_with("gAAAAA")
    );
}

#[test]
fn what_cannot_be_understood_is_not_overwritten() {
    for file in [
        json!({"schema_version": 7}),
        json!({"schema_version": "x"}),
        json!({"agent_settings": 5}),
        json!({"agent_settings": {"agent_kind": "strange"}}),
        json!({"agent_settings": {"schema_version": 10}}),
        json!({"agent_settings": {"llm": {"model": ""}}}),
        json!([1]),
    ] {
        let directory = tempfile::tempdir().unwrap();
        write(&directory, &file);
        let store = store(&directory);
        assert_eq!(
            store.load().unwrap().agent_settings.kind(),
            "openhands",
            "{file}"
        );
        let refused = store.update(|_| Ok(())).unwrap_err();
        assert!(
            matches!(refused, StoreError::Corrupt("Settings")),
            "{file}: {refused}"
        );
    }
}

#[test]
fn a_token_in_what_belongs_to_the_client_is_no_secret() {
    let directory = tempfile::tempdir().unwrap();
    let foreign = Cipher::new(&Secret::new("other"), []).unwrap().seal("x");
    let store = store(&directory);
    store
        .update(|settings| misc("token", foreign.clone()).apply(settings, &sealing()))
        .unwrap();
    let (settings, ()) = store
        .update(|settings| misc("b", 1).apply(settings, &sealing()))
        .unwrap();
    assert_eq!(settings.misc_settings["token"], foreign);
}

#[test]
fn no_change_is_lost_among_several_writers() {
    let directory = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let directory = &directory;
            scope.spawn(move || {
                // Each with a lock of its own, as if in processes of their own.
                let store = store(directory);
                for number in 0..5 {
                    let changes = misc(&format!("{writer}-{number}"), number);
                    store
                        .update(|settings| changes.apply(settings, &sealing()))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(store(&directory).load().unwrap().misc_settings.len(), 20);
}
