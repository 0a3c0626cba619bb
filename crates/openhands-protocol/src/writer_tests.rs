use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::message::Content;
use crate::tool::{McpToolAction, TerminalObservation};
use crate::{Observation, Secret};

fn observation() -> Observation {
    TerminalObservation {
        command: Some("ls".to_owned()),
        ..TerminalObservation::with_text("a.txt")
    }
    .into()
}

#[test]
fn omitting_drops_null_fields_of_nested_objects_too() {
    assert_eq!(
        Form::SOCKET.to_value(&observation()).unwrap(),
        json!({
            "content": [{"cache_prompt": false, "text": "a.txt", "type": "text"}],
            "is_error": false, "command": "ls", "timeout": false,
            "metadata": {"exit_code": -1, "pid": -1, "prefix": "", "suffix": ""},
            "kind": "TerminalObservation",
        })
    );
}

#[test]
fn keeping_writes_every_null_field() {
    let value = Form::REST.to_value(&observation()).unwrap();
    assert_eq!(value["exit_code"], json!(null));
    assert_eq!(value["metadata"]["hostname"], json!(null));
    assert_eq!(value, serde_json::to_value(observation()).unwrap());
}

#[test]
fn nulls_inside_free_form_json_and_unknown_members_survive_omitting() {
    let text = json!({"data": {"a": null, "b": [null, {"c": null}]}, "newer": null, "kind": "MCPToolAction"});
    let action: McpToolAction = serde_json::from_value(text.clone()).unwrap();
    assert_eq!(Form::SOCKET.to_value(&action).unwrap(), text);
    assert_eq!(Form::SOCKET.to_string(&action).unwrap(), text.to_string());
}

#[test]
fn nulls_in_a_list_keep_their_place() {
    let list = vec![Some(Content::text("x")), None];
    assert_eq!(Form::SOCKET.to_value(&list).unwrap()[1], json!(null));
}

#[test]
fn a_nulled_secret_is_omitted_where_nulls_are() {
    let form = Form::new(Nulls::Omit, Secrets::Null, Names::Public);
    let map = std::collections::BTreeMap::from([("key", Secret::new("x"))]);
    assert_eq!(form.to_value(&map).unwrap(), json!({}));
}

#[test]
fn text_and_tree_are_the_same_json() {
    for form in [Form::REST, Form::SOCKET, Form::PEER] {
        let text: serde_json::Value =
            serde_json::from_slice(&form.to_vec(&observation()).unwrap()).unwrap();
        assert_eq!(text, form.to_value(&observation()).unwrap());
    }
}

#[test]
fn a_sealer_runs_once_for_each_secret() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let form = Form::disk(Arc::new(move |text| {
        counted.fetch_add(1, Ordering::Relaxed);
        text.to_owned()
    }));
    let map = std::collections::BTreeMap::from([("key", Some(Secret::new("x")))]);
    assert_eq!(form.to_string(&map).unwrap(), r#"{"key":"x"}"#);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_member_with_two_names_is_read_under_both_and_written_as_the_channel_wants() {
    use crate::hooks::HookDefinition;
    for name in ["async", "async_"] {
        let hook: HookDefinition =
            serde_json::from_value(json!({"command": "true", name: true})).unwrap();
        assert!(hook.is_async);
        assert_eq!(Form::REST.to_value(&hook).unwrap()["async"], json!(true));
        assert_eq!(Form::SOCKET.to_value(&hook).unwrap()["async_"], json!(true));
        assert_eq!(serde_json::to_value(&hook).unwrap()["async"], json!(true));
    }
}
