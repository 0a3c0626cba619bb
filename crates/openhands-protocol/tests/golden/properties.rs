//! Decoders never panic, and nothing that an event carries is lost.

use openhands_protocol::agent::{AgentProfile, AgentSpec};
use openhands_protocol::bash::BashEvent;
use openhands_protocol::conversation::{
    ConversationInfo, ConversationState, EventPage, SendMessageRequest, SessionFrame,
    StartConversationRequest, StoredConversation,
};
use openhands_protocol::event::Event;
use openhands_protocol::mcp::{McpServer, McpTestResponse};
use openhands_protocol::server::ErrorBody;
use openhands_protocol::settings::{AgentSettings, StoredSettings};
use openhands_protocol::tool::{Action, Observation};
use openhands_protocol::v0::{ExecuteActionRequest, V0Observation};
use openhands_protocol::{EventTime, Form, Reading, UtcTime};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Names that mean something to some type, so that random objects come near to real ones.
const NAMES: &[&str] = &[
    "kind",
    "type",
    "id",
    "timestamp",
    "source",
    "parent_id",
    "action",
    "args",
    "observation",
    "content",
    "is_error",
    "text",
    "command",
    "llm_message",
    "role",
    "tools",
    "llm",
    "api_key",
    "agent",
    "workspace",
    "detail",
    "items",
    "key",
    "value",
    "tool_call",
    "extras",
    "event",
    "ok",
    "headers",
    "env",
    "strategy",
    "agent_kind",
    "metadata",
    "timeout",
    "unheard_of",
];

/// Words that mean something to some type.
const WORDS: &[&str] = &[
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "TerminalAction",
    "TerminalObservation",
    "Agent",
    "LocalWorkspace",
    "text",
    "image",
    "run",
    "sync",
    "durable",
    "user",
    "agent",
    "**********",
    "2026-11-15T19:07:54.170425",
    "10f30742-0c8f-4410-8821-003aae4a7859",
    "openhands",
    "",
    "ClientAction_x",
    "__root__",
];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(WORDS).prop_map(Value::from),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(NAMES).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Reads in every way and writes in every form; what reads must write, and read again.
fn exercise<T: Serialize + DeserializeOwned>(value: &Value) {
    let _ = Reading::strict().from_value::<T>(value.clone());
    let _ = Reading::strict()
        .known_members_only()
        .from_value::<T>(value.clone());
    let _ = Reading::strict().coercing().from_value::<T>(value.clone());
    // All ways of reading agree on what can be read.
    let by_serde = serde_json::from_value::<T>(value.clone()).is_ok();
    let text = value.to_string();
    assert_eq!(
        Reading::lenient().from_value::<T>(value.clone()).is_ok(),
        by_serde
    );
    assert_eq!(
        Reading::lenient().from_slice::<T>(text.as_bytes()).is_ok(),
        by_serde
    );
    assert_eq!(serde_json::from_str::<T>(&text).is_ok(), by_serde);
    if let Ok(read) = serde_json::from_value::<T>(value.clone()) {
        for form in [Form::REST, Form::SOCKET, Form::PEER] {
            let text = form.to_vec(&read).unwrap();
            let tree = form.to_value(&read).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&text).unwrap(), tree);
        }
        let again = Form::PEER.to_value(&read).unwrap();
        serde_json::from_value::<T>(again).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_json_never_panics_a_decoder(value in json_value()) {
        exercise::<Event>(&value);
        exercise::<Action>(&value);
        exercise::<Observation>(&value);
        exercise::<EventPage>(&value);
        exercise::<ConversationInfo>(&value);
        exercise::<ConversationState>(&value);
        exercise::<StoredConversation>(&value);
        exercise::<StartConversationRequest>(&value);
        exercise::<SendMessageRequest>(&value);
        exercise::<SessionFrame>(&value);
        exercise::<AgentSpec>(&value);
        exercise::<AgentProfile>(&value);
        exercise::<AgentSettings>(&value);
        exercise::<StoredSettings>(&value);
        exercise::<McpServer>(&value);
        exercise::<McpTestResponse>(&value);
        exercise::<BashEvent>(&value);
        exercise::<ErrorBody>(&value);
        exercise::<ExecuteActionRequest>(&value);
        exercise::<V0Observation>(&value);
    }

    #[test]
    fn arbitrary_bytes_never_panic_a_decoder(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Event::from_slice(&bytes);
        let _ = serde_json::from_slice::<Event>(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let _ = text.parse::<EventTime>();
        let _ = text.parse::<UtcTime>();
    }

    #[test]
    fn a_time_keeps_its_spelling(text in "[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|\\+0[0-9]:00)?") {
        if let Ok(time) = text.parse::<EventTime>() {
            prop_assert_eq!(time.to_string(), text.clone());
        }
        if let Ok(time) = text.parse::<UtcTime>() {
            prop_assert_eq!(time.to_string(), text);
        }
    }

    #[test]
    fn an_event_of_unknown_kind_is_written_as_it_was_read(
        kind in "[A-Z][a-z]{3,9}Event",
        members in prop::collection::vec((name(), json_value()), 0..8),
    ) {
        prop_assume!(!Event::KINDS.contains(&kind.as_str()));
        let mut body: Map<String, Value> = members.into_iter().collect();
        body.insert("kind".to_owned(), Value::from(kind));
        let body = Value::Object(body);
        let event: Event = serde_json::from_value(body.clone()).unwrap();
        let is_unknown = matches!(event, Event::Unknown(_));
        prop_assert!(is_unknown);
        for form in [Form::REST, Form::SOCKET, Form::WEBHOOK] {
            prop_assert_eq!(form.to_value(&event).unwrap(), body.clone());
        }
    }

    #[test]
    fn unknown_members_of_an_event_survive_every_form(
        members in prop::collection::vec(("x_[a-z]{1,8}", json_value()), 0..6),
        inner in prop::collection::vec(("y_[a-z]{1,8}", json_value()), 0..6),
    ) {
        let (outer, inner): (Map<_, _>, Map<_, _>) = (members.into_iter().collect(), inner.into_iter().collect());
        let mut action = json!({"command": "ls", "is_input": false, "reset": false, "kind": "TerminalAction"});
        action.as_object_mut().unwrap().extend(inner);
        let mut body = json!({
            "id": "e1", "timestamp": "2026-11-15T19:07:54.170425", "source": "agent",
            "thought": [], "thinking_blocks": [], "action": action, "tool_name": "terminal", "tool_call_id": "c1",
            "tool_call": {"id": "c1", "name": "terminal", "arguments": "{}", "origin": "completion"},
            "llm_response_id": "r1", "security_risk": "LOW", "kind": "ActionEvent",
        });
        body.as_object_mut().unwrap().extend(outer);
        let event = Event::from_slice(body.to_string().as_bytes()).unwrap();
        let is_action = matches!(event, Event::Action(_));
        prop_assert!(is_action);
        prop_assert_eq!(Form::SOCKET.to_value(&event).unwrap(), body);
    }

    #[test]
    fn a_malformed_event_of_a_known_kind_is_written_as_it_was_read(
        kind in prop::sample::select(Event::KINDS),
        members in prop::collection::vec((name(), json_value()), 0..8),
    ) {
        let mut body: Map<String, Value> = members.into_iter().collect();
        body.insert("kind".to_owned(), Value::from(kind));
        // No kind has a source of this name.
        body.insert("source".to_owned(), Value::from("nowhere"));
        let body = Value::Object(body);
        let event = Event::from_slice(body.to_string().as_bytes()).unwrap();
        prop_assert_eq!(event.kind(), kind);
        prop_assert!(event.raw().is_some_and(|raw| raw.problem().is_some()));
        prop_assert_eq!(Form::SOCKET.to_value(&event).unwrap(), body);
    }
}
