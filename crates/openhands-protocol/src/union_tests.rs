use pretty_assertions::assert_eq;
use serde_json::json;

use crate::tool::{Action, Observation, ThinkAction};
use crate::{Reading, strictly};

#[test]
fn the_kind_chooses_the_type_and_is_written_last() {
    let text = r#"{"thought":"hm","kind":"ThinkAction"}"#;
    let action: Action = serde_json::from_str(text).unwrap();
    assert_eq!(
        action,
        Action::Think(ThinkAction {
            thought: "hm".to_owned(),
            ..ThinkAction::default()
        })
    );
    assert_eq!(action.kind(), "ThinkAction");
    assert_eq!(serde_json::to_string(&action).unwrap(), text);
    assert_eq!(Action::from_slice(text.as_bytes()).unwrap(), action);
}

#[test]
fn an_unknown_kind_is_kept_whole() {
    let body = json!({"kind": "TeleportAction", "to": {"x": null, "y": [1, 2.5]}});
    let action: Action = serde_json::from_value(body.clone()).unwrap();
    assert_eq!(action.kind(), "TeleportAction");
    assert!(matches!(&action, Action::Unknown(raw) if raw.problem().is_none()));
    assert_eq!(crate::Form::SOCKET.to_value(&action).unwrap(), body);
    assert_eq!(
        Action::from_slice(body.to_string().as_bytes()).unwrap(),
        action
    );
}

#[test]
fn a_known_kind_of_wrong_shape_is_kept_whole_with_the_reason() {
    let body = json!({"kind": "ThinkAction", "thought": 7, "more": null});
    for action in [
        serde_json::from_value(body.clone()).unwrap(),
        Action::from_slice(body.to_string().as_bytes()).unwrap(),
    ] {
        let Action::Unknown(raw) = &action else {
            panic!("read as {action:?}");
        };
        assert_eq!(raw.kind(), "ThinkAction");
        assert!(raw.problem().unwrap().contains("invalid type"));
        assert_eq!(serde_json::to_value(&action).unwrap(), body);
    }
}

#[test]
fn a_strict_read_refuses_what_a_lenient_one_keeps() {
    for body in [
        json!({"kind": "TeleportAction"}),
        json!({"kind": "ThinkAction", "thought": 7}),
        json!({"thought": "no kind"}),
        json!({"kind": 7}),
    ] {
        assert!(matches!(
            serde_json::from_value(body.clone()).unwrap(),
            Action::Unknown(_)
        ));
        assert!(
            Reading::strict()
                .from_value::<Action>(body.clone())
                .is_err()
        );
        assert!(strictly(|| Action::from_slice(body.to_string().as_bytes())).is_err());
        assert!(
            matches!(serde_json::from_value(body).unwrap(), Action::Unknown(_)),
            "strictness ended"
        );
    }
    let error = Reading::strict()
        .from_value::<Action>(json!({"kind": "Nope"}))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Unknown kind 'Nope' for Action; Expected one of: [\"TerminalAction\"")
    );
}

#[test]
fn what_is_no_object_is_an_error() {
    for text in ["7", "[]", "\"x\"", "null", "{", "{} {}"] {
        assert!(Action::from_slice(text.as_bytes()).is_err(), "{text}");
        assert!(serde_json::from_str::<Action>(text).is_err(), "{text}");
    }
}

#[test]
fn client_actions_are_free_form_and_pass_a_strict_read() {
    let body = json!({"question": "Colour?", "kind": "ClientAction_ask_ui"});
    let action: Action = Reading::strict().from_value(body.clone()).unwrap();
    assert!(matches!(&action, Action::Client(_)));
    assert_eq!(serde_json::to_value(&action).unwrap(), body);
    let arguments = json!({"question": "Colour?"});
    assert_eq!(
        Action::client("ask_ui", arguments.as_object().unwrap().clone()),
        action
    );
}

#[test]
fn observations_share_content_and_error() {
    let observation: Observation = serde_json::from_value(json!({
        "kind": "ThinkObservation", "is_error": true,
        "content": [{"type": "text", "text": "a"}, {"type": "image", "image_urls": []}, {"type": "text", "text": "b"}],
    }))
    .unwrap();
    assert_eq!(observation.text(), "ab");
    assert_eq!(observation.content().len(), 3);
    assert!(observation.is_error());
    let unknown: Observation =
        serde_json::from_value(json!({"kind": "X", "is_error": true})).unwrap();
    assert!(unknown.is_error());
    assert_eq!(unknown.text(), "");
}
