//! How often a command asks the kernel for something.

use serde_json::json;

use crate::budget::judge;
use crate::conversation;
use crate::counts::{Counts, asked, can_trace, system_calls_of};
use crate::harness::World;

#[test]
fn a_command_takes_no_more_system_calls_than_it_did() {
    if !can_trace() {
        return;
    }
    judge(&Counts::from([
        (
            "system calls per step with a terminal command".to_owned(),
            system_calls_of("shell::terminal_commands"),
        ),
        (
            "system calls per bash command".to_owned(),
            system_calls_of("shell::bash_commands"),
        ),
    ]));
}

/// Not a check of its own: an agent's commands in its persistent shell.
#[tokio::test]
async fn terminal_commands() {
    let Some((directory, commands)) = asked() else {
        return;
    };
    let command =
        |number| json!({"name": "terminal", "args": {"command": format!("echo {number}")}});
    let tools = json!([{"name": "terminal"}]);
    let conversation = conversation::that_calls(&directory, &tools, command, &[commands]).await;
    conversation::run(&conversation).await;
    conversation.close().await.unwrap();
}

/// Not a check of its own: commands in a bash of their own, over HTTP.
#[tokio::test]
async fn bash_commands() {
    let Some((_, commands)) = asked() else {
        return;
    };
    let world = World::new().await;
    for number in 0..commands {
        let command = json!({"command": format!("echo {number}")});
        let (status, output) = world.post("/api/bash/execute_bash_command", &command).await;
        assert_eq!((status.as_u16(), &output["exit_code"]), (200, &json!(0)));
    }
    world.app().stop().await;
}
