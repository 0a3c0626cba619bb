use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::{Form, Json};

fn pause() -> Event {
    PauseEvent {
        header: EventHeader::now(Source::User),
        extra: crate::Extra::EMPTY,
    }
    .into()
}

#[test]
fn the_header_is_part_of_the_events_own_object() {
    let event = pause();
    let header = event.header().unwrap();
    assert_eq!(
        Form::REST.to_value(&event).unwrap(),
        json!({
            "id": header.id, "timestamp": header.timestamp, "source": "user", "parent_id": null,
            "kind": "PauseEvent",
        })
    );
    let text = Form::SOCKET.to_vec(&event).unwrap();
    assert_eq!(Event::from_slice(&text).unwrap(), event);
    assert_eq!(serde_json::from_slice::<Event>(&text).unwrap(), event);
}

#[test]
fn an_event_without_source_takes_the_default_of_its_kind() {
    let event: Event = serde_json::from_value(json!({"kind": "PauseEvent"})).unwrap();
    assert_eq!(event.source(), Some(Source::User));
    let message = json!({"kind": "ServerErrorEvent", "code": "c", "detail": "d"});
    let event: Event = serde_json::from_value(message).unwrap();
    let Event::Unknown(raw) = event else {
        panic!("the source of this kind is required, but read as {event:?}");
    };
    assert_eq!(raw.problem(), Some("missing field `source`"));
}

#[test]
fn an_unknown_event_still_answers_for_its_header() {
    let event: Event = serde_json::from_value(json!({
        "kind": "FutureEvent", "id": "e1", "parent_id": "e0", "source": "hook",
        "timestamp": "2026-11-15T19:07:54.170425",
    }))
    .unwrap();
    assert_eq!(event.kind(), "FutureEvent");
    assert_eq!(event.header(), None);
    assert_eq!(event.id(), Some("e1".into()));
    assert_eq!(event.parent_id(), Some("e0".into()));
    assert_eq!(event.source(), Some(Source::Hook));
    assert_eq!(
        event.timestamp().unwrap().to_string(),
        "2026-11-15T19:07:54.170425"
    );
}

#[test]
fn an_unknown_action_inside_an_event_leaves_the_event_known() {
    let event: Event = serde_json::from_value(json!({
        "kind": "ActionEvent", "id": "e1", "timestamp": "2026-11-15T19:07:54", "source": "agent",
        "thought": [], "tool_name": "teleport", "tool_call_id": "c1", "llm_response_id": "r1",
        "tool_call": {"id": "c1", "name": "teleport", "arguments": "{}", "origin": "completion"},
        "action": {"kind": "TeleportAction", "to": null},
    }))
    .unwrap();
    let Event::Action(action) = &event else {
        panic!("read as {event:?}");
    };
    assert_eq!(action.action.as_ref().unwrap().kind(), "TeleportAction");
    assert_eq!(
        Form::SOCKET.to_value(&event).unwrap()["action"],
        json!({"kind": "TeleportAction", "to": null})
    );
}

#[test]
fn nulls_inside_a_state_update_are_a_value_of_their_own() {
    let event: Event = ConversationStateUpdateEvent {
        header: EventHeader::now(Source::Environment),
        key: "goal".to_owned(),
        value: Json(json!({"verdict": null})),
        extra: crate::Extra::EMPTY,
    }
    .into();
    let value = Form::SOCKET.to_value(&event).unwrap();
    assert_eq!(value["value"], json!({"verdict": null}));
    assert!(value.get("parent_id").is_none());
}

#[test]
fn a_misfit_deep_inside_is_kept_at_its_own_place() {
    let body = json!({
        "kind": "ObservationEvent", "id": "e1", "timestamp": "2026-11-15T19:07:54", "source": "environment",
        "tool_name": "terminal", "tool_call_id": "c1", "action_id": "e0", "extended_content": [],
        "observation": {
            "kind": "TerminalObservation", "is_error": false, "command": "ls", "timeout": false,
            "content": [{"type": "text", "text": 7}, {"type": "text", "text": "ok", "cache_prompt": false}],
            "metadata": {"exit_code": 0, "pid": -1, "prefix": "", "suffix": ""},
        },
    });
    let text = body.to_string();
    for event in [
        Event::from_slice(text.as_bytes()).unwrap(),
        crate::Reading::lenient()
            .from_slice(text.as_bytes())
            .unwrap(),
        serde_json::from_str(&text).unwrap(),
    ] {
        let Event::Observation(read) = &event else {
            panic!("read as {event:?}");
        };
        assert_eq!(read.observation.content().len(), 2);
        assert_eq!(read.observation.text(), "ok");
        assert_eq!(Form::SOCKET.to_value(&event).unwrap(), body);
    }
}

#[test]
fn the_whole_state_is_written_as_the_event_that_holds_it() {
    let state: crate::conversation::ConversationState = serde_json::from_value(json!({
        "id": "7c1b6b1e-6a0e-4a5e-9d6a-1f2e3d4c5b6a",
        "agent": {"kind": "Agent", "llm": {"model": "openai/scripted"}},
        "workspace": {"kind": "LocalWorkspace", "working_dir": "/tmp"},
        "agent_state": {"kept": null},
    }))
    .unwrap();
    let text = Form::SOCKET
        .to_vec(&crate::event::FullStateUpdate::new(&state))
        .unwrap();
    let event = Event::from_slice(&text).unwrap();
    let Event::StateUpdate(update) = &event else {
        panic!("read as {event:?}");
    };
    assert_eq!(update.full_state().unwrap().unwrap(), state);
    // As if a tree had been made of it first.
    let tree = Event::from(ConversationStateUpdateEvent {
        value: Form::SOCKET.to_value(&state).unwrap().into(),
        ..update.clone()
    });
    assert_eq!(
        String::from_utf8(text).unwrap(),
        Form::SOCKET.to_string(&tree).unwrap()
    );
}
