use crate::harness::{Terminal, context, text};
use openhands_tools::{CallContext, OutputSink};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_command_that_ends_the_shell_reports_its_code_and_the_shell_comes_back() {
    let terminal = Terminal::new();
    let observation = terminal
        .call(json!({"command": "export A=1; cd /; echo bye; exit 3"}))
        .await;
    assert_eq!(observation.exit_code, Some(3));
    assert_eq!(text(&observation), "bye");
    assert!(!observation.is_error);
    assert!(
        observation
            .metadata
            .suffix
            .starts_with("\n[The command completed with exit code 3.]\n")
    );
    assert!(
        observation
            .metadata
            .suffix
            .contains("new shell was started")
    );
    let directory = terminal.path().display().to_string();
    assert_eq!(observation.metadata.working_dir, Some(directory.clone()));
    assert_eq!(
        terminal.run("echo \"A=$A\"; pwd").await,
        (0, format!("A=\n{directory}"))
    );
}

#[tokio::test]
async fn commands_reach_bash_verbatim() {
    let terminal = Terminal::new();
    assert_eq!(terminal.run(r"echo a\&b").await, (0, "a&b".into()));
    assert_eq!(
        terminal.run(r"echo 'x\;y' a\;b").await,
        (0, r"x\;y a;b".into())
    );
    terminal.run("cat > f <<'EOF'\n\tone\n\t\ttwo\nEOF").await;
    assert_eq!(
        std::fs::read_to_string(terminal.path().join("f")).unwrap(),
        "\tone\n\t\ttwo\n"
    );
}

#[tokio::test]
async fn output_is_seen_while_the_command_runs() {
    let terminal = Terminal::new();
    let gate = terminal.path().join("gate");
    let (output, mut live) = OutputSink::channel(16);
    let cx = CallContext {
        output,
        ..context()
    };
    let call = terminal.call_with(
        json!({"command": "echo first; while [ ! -e gate ]; do sleep 0.02; done; echo second", "timeout": 30}),
        cx,
    );
    let watch = async {
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("first") {
            seen.extend(live.recv().await.expect("output comes before the end"));
        }
        assert!(!String::from_utf8_lossy(&seen).contains("second"));
        std::fs::write(gate, "").unwrap();
    };
    let (observation, ()) = tokio::join!(call, watch);
    assert_eq!(text(&observation.unwrap()), "first\nsecond");
}

#[tokio::test]
async fn what_a_command_printed_after_its_timeout_comes_with_the_next_one() {
    let terminal = Terminal::new();
    let first = terminal.call(json!({"command": "echo one; while [ ! -e gate ]; do sleep 0.02; done; echo two; touch done", "timeout": 0.3})).await;
    assert_eq!((first.exit_code, text(&first)), (Some(-1), "one".into()));
    assert_eq!(first.metadata.working_dir, None);
    let path = terminal.path();
    std::fs::write(path.join("gate"), "").unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !path.join("done").exists() {
        assert!(
            Instant::now() < deadline,
            "the command goes on after its timeout"
        );
        tokio::task::yield_now().await;
    }
    // Waiting for the end and starting anew are both fine; here it is started anew, perhaps a moment too early.
    let next = loop {
        let next = terminal.call(json!({"command": "echo three"})).await;
        if !next.is_error {
            break next;
        }
        assert!(Instant::now() < deadline);
    };
    assert!(text(&next).ends_with("three"), "{}", text(&next));
    assert_eq!(next.exit_code, Some(0));
}

#[tokio::test]
async fn the_end_of_a_shell_is_told_with_the_next_command() {
    let terminal = Terminal::new();
    let first = terminal.call(json!({"command": "while [ ! -e gate ]; do sleep 0.02; done; echo bye; exit 3", "timeout": 0.1})).await;
    assert_eq!(first.exit_code, Some(-1));
    std::fs::write(terminal.path().join("gate"), "").unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    let next = loop {
        let next = terminal.call(json!({"command": "echo three"})).await;
        if !next.is_error {
            break next;
        }
        assert!(Instant::now() < deadline, "the shell goes on");
    };
    assert!(text(&next).ends_with("three"), "{}", text(&next));
    assert!(
        next.metadata
            .prefix
            .starts_with("[The shell ended with exit code 3 before this command. A new shell"),
        "{:?}",
        next.metadata
    );
    let after = terminal.call(json!({"command": "true"})).await;
    assert_eq!(after.metadata.prefix, "");
}

#[tokio::test]
async fn input_for_a_program_that_has_ended_is_not_run_as_a_command() {
    let terminal = Terminal::new();
    let path = terminal.path();
    terminal.call(json!({"command": "while [ ! -e gate ]; do sleep 0.02; done; touch ended", "timeout": 0.1})).await;
    std::fs::write(path.join("gate"), "").unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !path.join("ended").exists() {
        assert!(Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    terminal
        .call(json!({"command": "touch typed", "is_input": true, "timeout": 5}))
        .await;
    terminal.run("true").await;
    assert!(!path.join("typed").exists());
}

#[tokio::test]
async fn a_limit_beyond_the_hosts_idle_limit_is_refused() {
    let terminal = Terminal::with(&json!({}), |machine| machine.idle_timeout = Some(100.0));
    let refused = terminal
        .call(json!({"command": "echo x", "timeout": 91}))
        .await;
    assert!(refused.is_error);
    assert_eq!(refused.exit_code, None);
    assert!(
        text(&refused).starts_with("Refusing to run foreground terminal command with timeout=91s")
    );
    let taken = terminal
        .call(json!({"command": "echo x", "timeout": 90}))
        .await;
    assert_eq!(taken.exit_code, Some(0));
}

#[tokio::test]
async fn reset_gives_a_fresh_shell_even_while_a_command_runs() {
    let terminal = Terminal::new();
    terminal
        .call(json!({"command": "sleep 1000", "timeout": 0.1}))
        .await;
    let reset = terminal.call(json!({"command": "", "reset": true})).await;
    assert_eq!(reset.command.as_deref(), Some("[RESET]"));
    assert_eq!(reset.exit_code, Some(0));
    assert_eq!(terminal.run("echo fresh").await, (0, "fresh".into()));
}

#[tokio::test]
async fn the_metadata_says_who_and_where() {
    let terminal = Terminal::new();
    let observation = terminal
        .call(json!({"command": "sleep 0.01 & wait; cd /usr"}))
        .await;
    let metadata = observation.metadata;
    assert_eq!(metadata.working_dir.as_deref(), Some("/usr"));
    assert!(metadata.pid > 1);
    assert!(!metadata.hostname.unwrap().is_empty());
    let (_, whoami) = terminal.run("id -un").await;
    assert_eq!(metadata.username, Some(whoami));
}

#[tokio::test]
async fn a_closed_terminal_leaves_no_process_and_can_be_used_again() {
    let terminal = Terminal::new();
    let (_, pid) = terminal.run("sleep 1000 >/dev/null & echo $!").await;
    let pid = pid.lines().last().unwrap().to_owned();
    terminal.close().await;
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    assert_eq!(terminal.run("echo again").await, (0, "again".into()));
}
