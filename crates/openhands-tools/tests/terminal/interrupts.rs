use crate::harness::{Terminal, context, text};
use openhands_tools::CallContext;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn cancelling_interrupts_the_command_and_the_shell_stays() {
    let terminal = Terminal::new();
    terminal.run("kept=yes").await;
    let cancel = CancellationToken::new();
    let cx = CallContext {
        cancel: cancel.clone(),
        ..context()
    };
    let running = terminal.path().join("running");
    let call = terminal.call_with(json!({"command": "touch running; sleep 1000"}), cx);
    let interrupt = async {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !running.exists() {
            assert!(Instant::now() < deadline);
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (observation, ()) = tokio::join!(call, interrupt);
    let observation = observation.unwrap();
    assert_eq!(observation.exit_code, Some(130), "{}", text(&observation));
    assert_eq!(terminal.run("echo $kept").await, (0, "yes".into()));
}

#[tokio::test]
async fn a_command_that_ignores_the_interrupt_is_killed() {
    let terminal = Terminal::new();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let cx = CallContext {
        cancel,
        ..context()
    };
    let stubborn = "bash -c 'trap \"\" INT; sleep 1000; sleep 1000'";
    let observation = terminal
        .call_with(json!({"command": stubborn}), cx)
        .await
        .unwrap();
    assert!(
        matches!(observation.exit_code, Some(130 | 137)),
        "{:?}",
        observation.exit_code
    );
    assert_eq!(terminal.run("echo alive").await, (0, "alive".into()));
}
