use super::*;
use openhands_protocol::v0::V0Action;
use serde_json::json;

fn read(action: &Value) -> Result<V0Action, String> {
    let request = json!({"action": action});
    super::action(request.as_object().unwrap())
        .map_err(|refusal| refusal.body()["detail"].as_str().unwrap().to_owned())
}

#[test]
fn arguments_of_older_clients_are_understood() {
    let V0Action::Run(run) = read(&json!({
        "action": "run",
        "args": {"command": "ls", "keep_prompt": true, "timestamp": "x", "is_confirmed": "rejected",
            "security_risk": "odd", "thought": null, "hidden": null},
        "id": 7, "source": "agent", "tool_call_metadata": {"a": 1}, "llm_metrics": null, "odd": [1],
    }))
    .unwrap() else {
        panic!();
    };
    assert_eq!(run.args.command, "ls");
    assert_eq!(run.args.confirmation_state.as_str(), "rejected");
    assert_eq!(run.args.security_risk, -1);
    let V0Action::Edit(edit) = read(&json!({
        "action": "edit",
        "args": {"path": "/a", "translated_ipython_code":
            r#"print(file_editor(**{'command': 'create', 'path': '/b', 'file_text': "it's\n\ttrue", 'old_str': None}))"#},
    }))
    .unwrap() else {
        panic!();
    };
    assert_eq!(
        (edit.args.path.as_str(), edit.args.command.as_str()),
        ("/b", "create")
    );
    assert_eq!(edit.args.file_text.as_deref(), Some("it's\n\ttrue"));
    assert_eq!(edit.args.old_str, None);
    for code in [
        json!("print(file_editor(**{'command': 'view', 'path': '/c', 'view_range': [1, 5]}))"),
        json!("print(file_editor(**{'command': broken"),
        Value::Null,
    ] {
        let V0Action::Read(view) = read(&json!({"action": "read", "args":
            {"path": "/c", "command": "view", "translated_ipython_code": code}}))
        .unwrap() else {
            panic!();
        };
        assert_eq!(view.args.path, "/c");
    }
}

#[test]
fn what_is_wrong_is_said_in_known_words() {
    for (action, part) in [
        (
            json!({"action": "write", "args": {}}),
            "missing 2 required positional arguments: 'path' and 'content'",
        ),
        (
            json!({"action": "read", "args": {"path": "a", "x": 1}}),
            "FileReadAction.__init__() got an unexpected keyword argument 'x'",
        ),
        (
            json!({"action": "run", "args": [1]}),
            "args must be an object, not [1]",
        ),
        (
            json!({"action": "run", "args": {"command": 5}}),
            "Internal server error: ",
        ),
        (
            json!({"action": "run", "args": {"command": "a"}, "source": "odd"}),
            "'odd' is not a valid EventSource",
        ),
        (
            json!({"action": "run", "args": {"command": "a"}, "timeout": "soon"}),
            "Internal server error: ",
        ),
        (
            json!({"action": "recall", "args": {}}),
            "'ActionExecutor' object has no attribute 'recall'",
        ),
        (
            json!({"action": null}),
            "'action['action']=None' is not defined.",
        ),
    ] {
        let said = read(&action).unwrap_err();
        assert!(said.contains(part), "{action}: {said}");
    }
}
