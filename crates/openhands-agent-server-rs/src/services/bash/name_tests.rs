use openhands_protocol::BashEventId;
use openhands_protocol::bash::{BashCommand, BashOutput};
use serde_json::json;

use super::*;

#[test]
fn names_are_those_of_the_recording() {
    let command: BashCommand = serde_json::from_value(json!({
        "command": "pwd", "cwd": "workspace/project", "timeout": 300,
        "id": "6e14e6c50d12438abebc2588cfcc6e9a", "timestamp": "2026-11-15T19:14:39.275684Z", "kind": "BashCommand"
    }))
    .unwrap();
    let output: BashOutput = serde_json::from_value(json!({
        "id": "218384fed6cf46d5bd6470d61c9db886", "timestamp": "2026-11-15T19:14:39.297212Z",
        "command_id": "6e14e6c50d12438abebc2588cfcc6e9a", "order": 0, "exit_code": 0,
        "stdout": "x", "stderr": null, "kind": "BashOutput"
    }))
    .unwrap();
    assert_eq!(
        of_command(&command),
        "20261115191439275684_BashCommand_6e14e6c50d12438abebc2588cfcc6e9a"
    );
    let name = of_output(&output);
    assert_eq!(
        name,
        "20261115191439297212_BashOutput_6e14e6c50d12438abebc2588cfcc6e9a_218384fed6cf46d5bd6470d61c9db886"
    );
    assert_eq!(time_of(&name), Some(output.timestamp.timestamp()));
    assert_eq!(kind_of(&name), Some("BashOutput"));
    assert!(is_output_of(&name, command.id));
    assert!(!is_output_of(&name, output.id));
    assert!(!is_output_of(&of_command(&command), command.id));
    assert!(has_id(&name, &output.id.hex()));
    assert!(!has_id(&name, &output.id.dashed()));
    assert!(!has_id(&name, "0d61c9db886"));
}

#[test]
fn a_name_that_is_no_events_tells_nothing() {
    assert_eq!(time_of("notes.txt"), None);
    assert_eq!(time_of("2026111519143929721"), None);
    assert_eq!(time_of("20269915191439297212_BashOutput"), None);
    assert_eq!(kind_of("notes"), None);
    assert!(!is_output_of("a_b_c", BashEventId::random()));
}
