use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::json;

use crate::hooks::HookOutcome;
use crate::hooks::scene::{Scene, action, eventually, is_alive};

#[tokio::test]
async fn a_hook_that_takes_too_long_is_ended_and_does_not_block() {
    let scene = Scene::new(json!({"pre_tool_use": [{"hooks": [
        {"command": "echo $$ > pid; echo begun; sleep 600; exit 2", "timeout": 3}, {"command": "echo next"}]}]}));
    let outcome = scene.pre().await;
    assert!(outcome.allows());
    let event = &outcome.events[0];
    assert_eq!(
        event.error.as_deref(),
        Some("Hook timed out after 3 seconds")
    );
    assert_eq!(
        (event.exit_code, event.success, event.blocked),
        (-1, false, false)
    );
    assert_eq!(event.stdout, "begun\n");
    assert!(!is_alive(&scene.process("pid").await));
    assert_eq!(outcome.events[1].stdout, "next\n");
}

#[tokio::test]
async fn cancelling_ends_a_running_hook_at_once_and_runs_no_other() {
    let scene = Scene::new(json!({"pre_tool_use": [{"hooks": [
        {"command": "echo $$ > pid; sleep 600; exit 2"}, {"command": "touch other"}]}]}));
    let begun = Instant::now();
    let stop = async {
        let process = scene.process("pid").await;
        scene.cancel.cancel();
        process
    };
    let (outcome, process) = tokio::join!(scene.pre(), stop);
    assert!(outcome.cancelled && !outcome.allows());
    assert_eq!(outcome.blocked, None);
    assert_eq!(outcome.events.len(), 1);
    assert!(outcome.events[0].error.is_some());
    assert!(!is_alive(&process) && !scene.root().join("other").exists());
    assert!(begun.elapsed() < Duration::from_mins(5));

    // Nothing begins after that.
    let outcome = scene.pre().await;
    assert!(outcome.cancelled && outcome.events.is_empty());
}

#[tokio::test]
async fn a_large_output_is_cut_in_the_log_and_still_decides() {
    let scene = Scene::command(
        "pre_tool_use",
        "head -c 5000000 /dev/zero | tr '\\0' x; echo no >&2; exit 2",
    );
    let outcome = scene.pre().await;
    let event = &outcome.events[0];
    assert_eq!(event.stdout.chars().count(), 50_000);
    assert!(event.stdout.ends_with("x\n<TRUNCATED>"));
    assert_eq!(outcome.blocked.as_deref(), Some("no"));

    // A context of many characters reaches the model whole, but not the log.
    let long =
        r#"printf '{"additionalContext": "'; head -c 60000 /dev/zero | tr '\0' x; printf '"}'"#;
    let scene = Scene::command("session_start", long);
    let outcome = scene.hooks.session_start(&scene.cancel).await;
    assert_eq!(outcome.context.unwrap().len(), 60_000);
    assert_eq!(
        outcome.events[0].additional_context.as_ref().unwrap().len(),
        50_000
    );
}

#[tokio::test]
async fn a_hook_need_not_read_its_input() {
    let scene = Scene::command("pre_tool_use", "exit 2");
    let large = action(&"x".repeat(3 << 20));
    let outcome = scene.hooks.pre_tool_use(&large, &scene.cancel).await;
    assert_eq!(outcome.blocked.as_deref(), Some("Blocked by hook"));
}

#[tokio::test]
async fn what_cannot_run_does_not_block() {
    let scene = Scene::command("pre_tool_use", "no-such-program-here");
    let outcome = scene.pre().await;
    assert!(outcome.allows());
    let event = &outcome.events[0];
    assert_eq!(
        (event.exit_code, event.success, &event.error),
        (127, false, &None)
    );
    assert!(event.stderr.contains("no-such-program-here"));

    std::fs::remove_dir(scene.root()).unwrap();
    let outcome = scene.pre().await;
    let event = &outcome.events[0];
    assert!(outcome.allows() && !event.success);
    assert_eq!(event.exit_code, -1);
    let error = event.error.as_ref().unwrap();
    assert!(error.starts_with("Hook execution failed: "), "{error}");
    // The directory is gone already.
    let _ = scene.dir.close();
}

#[tokio::test]
async fn an_async_hook_is_not_waited_for_and_ends_with_the_session() {
    let scene = Scene::new(json!({"pre_tool_use": [{"hooks": [
        {"command": "cat > told; echo $$ > pid; sleep 600; exit 2", "async": true}]}]}));
    let outcome = scene.pre().await;
    assert!(outcome.allows());
    let event = &outcome.events[0];
    assert_eq!((event.success, event.exit_code), (true, 0));
    let process = scene.process("pid").await;
    assert!(is_alive(&process));
    assert!(
        std::fs::read_to_string(scene.root().join("told"))
            .unwrap()
            .contains(r#""tool_name":"terminal""#)
    );

    assert_eq!(
        scene.hooks.session_end(&scene.cancel).await,
        HookOutcome::default()
    );
    assert!(!is_alive(&process));
    assert_eq!(scene.hooks.background_count(), 0);

    // Another session can follow.
    std::fs::remove_file(scene.root().join("pid")).unwrap();
    scene.pre().await;
    let process = scene.process("pid").await;
    assert!(is_alive(&process));
    let Scene { hooks, dir, .. } = scene;
    drop(hooks);
    eventually("end of a dropped hook", || !is_alive(&process)).await;
    drop(dir);
}

#[tokio::test]
async fn an_async_hook_ends_at_its_time_limit_and_is_forgotten_when_done() {
    let scene = Scene::new(json!({"pre_tool_use": [{"hooks": [
        {"command": "echo $$ > pid; sleep 600", "async": true, "timeout": 3},
        {"command": "echo $$ > quick", "async": true}]}]}));
    scene.pre().await;
    let process = scene.process("pid").await;
    scene.process("quick").await;
    eventually("end at the time limit", || !is_alive(&process)).await;
    eventually("end of both", || scene.hooks.background_count() == 0).await;
}
