use super::*;

#[test]
fn no_more_may_watch_than_are_allowed_and_one_who_goes_makes_room() {
    let meta = serde_json::json!({
        "id": ConversationId::random().to_string(),
        "workspace": {"kind": "LocalWorkspace", "working_dir": "/w"},
    });
    let entry = Entry::new(serde_json::from_value(meta).unwrap(), ExecutionStatus::Idle);
    let mut watching: Vec<_> = (0..MAX_WATCHERS).map(|_| entry.watch().unwrap()).collect();
    assert!(entry.watch().is_none());
    watching.pop();
    assert!(entry.watch().is_some());
}
