use pretty_assertions::assert_eq;
use serde_json::json;

use crate::Reading;
use crate::bash::ExecuteBashRequest;
use crate::conversation::StartConversationRequest;
use crate::tool::{Action, TerminalAction};

fn terminal(arguments: serde_json::Value) -> Result<TerminalAction, serde_json::Error> {
    Reading::strict().coercing().from_value(arguments)
}

#[test]
fn numbers_and_booleans_given_as_text_are_taken() {
    let action =
        terminal(json!({"command": "ls", "timeout": " 1.5 ", "is_input": "Yes", "reset": 0}))
            .unwrap();
    assert_eq!(
        (action.timeout, action.is_input, action.reset),
        (Some(1.5), true, false)
    );
    for timeout in [json!("2"), json!(2.0), json!(2)] {
        let body = json!({"command": "x", "timeout": timeout}).to_string();
        let request: ExecuteBashRequest = Reading::strict()
            .coercing()
            .from_slice(body.as_bytes())
            .unwrap();
        assert_eq!(request.timeout, 2);
    }
}

#[test]
fn text_stays_text_and_nonsense_stays_an_error() {
    assert_eq!(terminal(json!({"command": "1"})).unwrap().command, "1");
    for bad in [
        json!({"command": 1}),
        json!({"command": "ls", "timeout": "soon"}),
        json!({"command": "ls", "timeout": "NaN"}),
        json!({"command": "ls", "is_input": 2}),
        json!({"command": "ls", "is_input": "maybe"}),
        json!({"command": ["ls"]}),
    ] {
        assert!(terminal(bad.clone()).is_err(), "{bad}");
    }
    let fraction = json!({"command": "x", "timeout": 2.5});
    assert!(
        Reading::strict()
            .coercing()
            .from_value::<ExecuteBashRequest>(fraction)
            .is_err()
    );
}

#[test]
fn coercion_reaches_into_unions_and_lists() {
    let action: Action = Reading::strict()
        .coercing()
        .from_value(json!({"kind": "FileEditorAction", "command": "view", "path": "/x", "view_range": ["1", "2"]}))
        .unwrap();
    let Action::FileEditor(action) = action else {
        panic!("read as {action:?}");
    };
    assert_eq!(action.view_range, Some(vec![1, 2]));
    let request: StartConversationRequest = Reading::strict()
        .coercing()
        .from_value(json!({
            "workspace": {"working_dir": "/w"}, "max_iterations": "7",
            "agent": {"llm": {"model": "m", "num_retries": "3", "stream": "on"}},
        }))
        .unwrap();
    assert_eq!(request.max_iterations, 7);
    let crate::agent::AgentSpec::Agent(agent) = request.agent.unwrap() else {
        panic!("not an agent");
    };
    assert_eq!((agent.llm.num_retries, agent.llm.stream), (3, true));
}

#[test]
fn without_coercion_a_number_as_text_is_refused() {
    let body = json!({"command": "x", "timeout": "2"});
    assert!(serde_json::from_value::<ExecuteBashRequest>(body).is_err());
}

#[test]
fn null_is_no_empty_object() {
    let request = json!({"action": null});
    let read = Reading::lenient().from_value::<crate::v0::ExecuteActionRequest>(request);
    assert_eq!(
        read.unwrap_err().to_string(),
        "invalid type: null, expected a map"
    );
}
