use serde_json::json;

use super::*;

#[test]
fn a_log_grows_by_whole_steps_that_follow_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let events = directory.path().join("events");
    fs::create_dir(&events).unwrap();
    let first = [
        json!({"id": "a1", "kind": "ActionEvent", "tool_call_id": "c", "tool_call": {"id": "c"}}),
        json!({"id": "o1", "kind": "ObservationEvent", "action_id": "a1", "parent_id": "a1"}),
        json!({"id": "s1", "kind": "ConversationStateUpdateEvent", "key": "stats", "parent_id": "o1"}),
    ];
    for (number, event) in first.iter().enumerate() {
        let name = format!("event-{number:05}-{}.json", event["id"].as_str().unwrap());
        fs::write(events.join(name), event.to_string()).unwrap();
    }
    fs::write(events.join(".eventlog-len-3.marker"), "").unwrap();
    let state =
        json!({"leaf_event_id": "o1", "stats": {"usage_to_metrics": {"agent": {"costs": [1]}}}});
    fs::write(directory.path().join("base_state.json"), state.to_string()).unwrap();

    grow(directory.path(), 10).unwrap();

    let grown = stored_events(&events).unwrap();
    assert_eq!(grown.len(), 9);
    assert_eq!(grown[3]["parent_id"], "o1");
    assert_eq!(grown[6]["parent_id"], grown[4]["id"]);
    assert_eq!(grown[7]["action_id"], grown[6]["id"]);
    assert!(events.join(".eventlog-len-9.marker").exists());
    let state: Value =
        serde_json::from_slice(&fs::read(directory.path().join("base_state.json")).unwrap())
            .unwrap();
    assert_eq!(state["leaf_event_id"], grown[7]["id"]);
    assert_eq!(
        state["stats"]["usage_to_metrics"]["agent"]["costs"],
        json!([1, 1, 1])
    );
}
