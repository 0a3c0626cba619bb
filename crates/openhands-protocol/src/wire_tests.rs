use pretty_assertions::assert_eq;
use serde_json::json;

use crate::tool::{FileEditorAction, FileEditorCommand, TaskItem, TaskStatus, TerminalAction};

#[test]
fn missing_fields_take_their_defaults() {
    let action: TerminalAction = serde_json::from_value(json!({"command": "ls"})).unwrap();
    assert_eq!(
        action,
        TerminalAction {
            command: "ls".to_owned(),
            ..TerminalAction::default()
        }
    );
}

#[test]
fn a_missing_required_field_is_named() {
    let error = serde_json::from_value::<TerminalAction>(json!({"reset": true})).unwrap_err();
    assert_eq!(error.to_string(), "missing field `command`");
}

#[test]
fn unknown_members_are_kept_in_order_and_written_before_the_tag() {
    let text = r#"{"command":"ls","is_input":false,"timeout":null,"reset":false,"z":{"y":null},"a":[1],"kind":"TerminalAction"}"#;
    let action: TerminalAction = serde_json::from_str(text).unwrap();
    assert_eq!(action.extra.keys().collect::<Vec<_>>(), ["z", "a"]);
    assert_eq!(serde_json::to_string(&action).unwrap(), text);
}

#[test]
fn a_body_of_another_kind_is_refused() {
    let body = json!({"command": "ls", "kind": "ThinkAction"});
    let error = serde_json::from_value::<TerminalAction>(body).unwrap_err();
    assert_eq!(
        error.to_string(),
        "is a \"ThinkAction\", not a \"TerminalAction\""
    );
}

#[test]
fn null_for_a_field_that_is_not_optional_is_refused() {
    let body = json!({"title": "t", "notes": null});
    assert!(serde_json::from_value::<TaskItem>(body).is_err());
}

#[test]
fn fixed_words_are_read_and_written() {
    let item: TaskItem =
        serde_json::from_value(json!({"title": "t", "status": "in_progress"})).unwrap();
    assert_eq!(item.status, TaskStatus::InProgress);
    let error =
        serde_json::from_value::<FileEditorAction>(json!({"command": "chmod", "path": "/x"}))
            .unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown word \"chmod\", expected one of: view, create, str_replace, insert, undo_edit"
    );
    assert_eq!(FileEditorCommand::StrReplace.to_string(), "str_replace");
}
