use crate::harness::{Terminal, context, text};
use openhands_tools::CallContext;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Cancels as soon as there is a file.
async fn cancel_when(file: &Path, cancel: &CancellationToken) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !file.exists() {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    cancel.cancel();
}

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
    let (observation, ()) = tokio::join!(call, cancel_when(&running, &cancel));
    let observation = observation.unwrap();
    assert_eq!(observation.exit_code, Some(130), "{}", text(&observation));
    assert_eq!(terminal.run("echo $kept").await, (0, "yes".into()));
}

#[tokio::test]
async fn a_command_that_ignores_the_interrupt_is_killed() {
    let terminal = Terminal::new();
    let cancel = CancellationToken::new();
    let cx = CallContext {
        cancel: cancel.clone(),
        ..context()
    };
    // Before it has begun to ignore it, the interrupt ends it in its own way.
    let running = terminal.path().join("running");
    let stubborn = "bash -c 'trap \"\" INT; touch running; sleep 1000; sleep 1000'";
    let call = terminal.call_with(json!({"command": stubborn}), cx);
    let (observation, ()) = tokio::join!(call, cancel_when(&running, &cancel));
    let observation = observation.unwrap();
    assert!(
        matches!(observation.exit_code, Some(130 | 137)),
        "{:?}",
        observation.exit_code
    );
    assert_eq!(terminal.run("echo alive").await, (0, "alive".into()));
}
