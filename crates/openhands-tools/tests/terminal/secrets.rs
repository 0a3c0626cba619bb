use crate::harness::{Terminal, context, text};
use openhands_protocol::Secret;
use openhands_tools::CallContext;
use pretty_assertions::assert_eq;
use serde_json::json;

#[tokio::test]
async fn secrets_of_a_call_are_variables_of_the_shell_from_then_on() {
    let terminal = Terminal::new();
    let value = "it's\n\"$HOME\" \\ \tü";
    let cx = CallContext {
        env: vec![
            ("TOKEN".into(), Secret::new(value)),
            ("not a name".into(), Secret::new("x")),
        ],
        ..context()
    };
    let first = terminal
        .call_with(json!({"command": "printf %s \"$TOKEN\" > seen"}), cx)
        .await
        .unwrap();
    assert_eq!((first.exit_code, text(&first)), (Some(0), String::new()));
    assert_eq!(
        std::fs::read_to_string(terminal.path().join("seen")).unwrap(),
        value
    );
    assert_eq!(
        terminal.run("bash -c 'printf %s \"$TOKEN\"' | wc -c").await,
        (0, value.len().to_string())
    );
}

#[tokio::test]
async fn the_servers_own_keys_never_reach_a_command() {
    let terminal = Terminal::with(&json!({"env": {"EXTRA": "e"}}), |machine| {
        for name in ["SESSION_API_KEY", "OH_SECRET_KEY", "OH_SESSION_API_KEYS_0"] {
            machine.env.push((name.into(), "hidden".into()));
        }
    });
    assert_eq!(terminal.run("env | grep -c hidden").await, (1, "0".into()));
    assert_eq!(
        terminal.run("echo $EXTRA $AI_AGENT $PAGER").await,
        (0, "e openhands cat".into())
    );
}
