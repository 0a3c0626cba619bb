use openhands_protocol::Form;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Hooks;
use crate::hooks::HookOutcome;
use crate::hooks::scene::{Scene, action, conversation, message, observation};
use crate::secrets::HIDDEN;

fn shown(outcome: &HookOutcome, index: usize) -> Value {
    let mut event = Form::SOCKET.to_value(&outcome.events[index]).unwrap();
    for name in [
        "id",
        "timestamp",
        "source",
        "kind",
        "hook_event_type",
        "hook_input",
    ] {
        assert!(event.as_object_mut().unwrap().shift_remove(name).is_some());
    }
    event
}

/// What the reference (1.58.0) says of the same commands: exit code, success, blocked, standard output and error, and
/// what else the event has.
const JUDGED: [(&str, i32, bool, bool, &str, &str, &str); 13] = [
    ("exit 0", 0, true, false, "", "", "{}"),
    ("exit 1", 1, false, false, "", "", "{}"),
    ("exit 2", 2, false, true, "", "", "{}"),
    ("echo no >&2; exit 2", 2, false, true, "", "no\n", "{}"),
    (
        "echo '{\"decision\":\"deny\",\"reason\":\"r\"}'",
        0,
        true,
        true,
        "{\"decision\":\"deny\",\"reason\":\"r\"}\n",
        "",
        r#"{"reason": "r"}"#,
    ),
    (
        "echo '{\"decision\":\"Allow\",\"additionalContext\":\"c\"}'; exit 1",
        1,
        false,
        false,
        "{\"decision\":\"Allow\",\"additionalContext\":\"c\"}\n",
        "",
        r#"{"additional_context": "c"}"#,
    ),
    (
        "echo '{\"continue\":false}'",
        0,
        true,
        true,
        "{\"continue\":false}\n",
        "",
        "{}",
    ),
    (
        "echo '{\"reason\":\"why\"}'; echo err >&2; exit 2",
        2,
        false,
        true,
        "{\"reason\":\"why\"}\n",
        "err\n",
        r#"{"reason": "why"}"#,
    ),
    ("echo '{broken'", 0, true, false, "{broken\n", "", "{}"),
    ("echo '[1]'", 0, true, false, "[1]\n", "", "{}"),
    ("kill -9 $$", -9, false, false, "", "", "{}"),
    (r"printf 'a\r\nb'", 0, true, false, "a\nb", "", "{}"),
    ("echo $0", 0, true, false, "/bin/sh\n", "", "{}"),
];

/// Where ours is better: the reference drops the decision of a program whose output is no text, and waits for the
/// output of what a program left in the background.
const JUDGED_BETTER: [(&str, i32, bool, bool, &str, &str, &str); 2] = [
    (
        r"printf '\377'; exit 2",
        2,
        false,
        true,
        "\u{fffd}",
        "",
        "{}",
    ),
    ("sleep 600 & echo done", 0, true, false, "done\n", "", "{}"),
];

#[tokio::test]
async fn commands_are_judged_as_by_the_reference() {
    for (command, exit_code, success, blocked, stdout, stderr, more) in
        JUDGED.into_iter().chain(JUDGED_BETTER)
    {
        let scene = Scene::command("pre_tool_use", command);
        let outcome = scene.pre().await;
        let mut expected = json!({
            "hook_command": command, "tool_name": "terminal", "success": success, "blocked": blocked,
            "exit_code": exit_code, "stdout": stdout, "stderr": stderr, "action_id": "a1",
        });
        let more: Value = serde_json::from_str(more).unwrap();
        for (name, value) in more.as_object().unwrap() {
            expected[name] = value.clone();
        }
        assert_eq!(shown(&outcome, 0), expected);
        assert_eq!(outcome.blocked.is_some(), blocked, "{command}");
        assert_eq!(outcome.allows(), !blocked);
        assert_eq!(
            outcome.context, None,
            "no place for context before a tool call"
        );
    }
}

/// The events of a recorded conversation in which a hook blocks one command and lets another pass.
#[tokio::test]
async fn a_blocked_command_gives_the_recorded_events() {
    let command = "grep -q forbidden && { echo no >&2; exit 2; } || exit 0";
    let scene = Scene::new(json!({"pre_tool_use": [
        {"matcher": "terminal", "hooks": [{"type": "command", "command": command}]}]}));
    for (argument, blocked) in [("echo forbidden", true), ("echo fine", false)] {
        let outcome = scene
            .hooks
            .pre_tool_use(&action(argument), &scene.cancel)
            .await;
        let mut event = Form::SOCKET.to_value(&outcome.events[0]).unwrap();
        for masked in ["id", "timestamp"] {
            assert!(event[masked].take().is_string());
        }
        assert_eq!(
            event,
            json!({
                "id": null, "timestamp": null, "source": "hook", "hook_event_type": "PreToolUse",
                "hook_command": command, "tool_name": "terminal", "success": !blocked, "blocked": blocked,
                "exit_code": if blocked { 2 } else { 0 }, "stdout": "", "stderr": if blocked { "no\n" } else { "" },
                "action_id": "a1",
                "hook_input": {"tool_name": "terminal", "tool_input": {
                    "command": argument, "is_input": false, "timeout": null, "reset": false, "kind": "TerminalAction"}},
                "kind": "HookExecutionEvent",
            })
        );
        assert_eq!(outcome.blocked.as_deref(), blocked.then_some("no"));
    }
}

/// A conversation with a hook that tells what it was given, at each moment in turn.
async fn all_moments() -> (Scene, [HookOutcome; 6]) {
    let tell = r#"cat > "$OPENHANDS_EVENT_TYPE.json"
        echo "$OPENHANDS_PROJECT_DIR|$OPENHANDS_SESSION_ID|${OPENHANDS_TOOL_NAME-none}|$PWD|${SESSION_API_KEY-}""#;
    let all = json!([{"hooks": [{"command": tell}]}]);
    let scene = Scene::new(json!({
        "pre_tool_use": all, "post_tool_use": all, "user_prompt_submit": all, "session_start": all,
        "session_end": all, "stop": all,
    }));
    let (hooks, cancel) = (&scene.hooks, &scene.cancel);
    let outcomes = [
        hooks.session_start(cancel).await,
        hooks
            .user_prompt_submit(&message("user", "hi"), cancel)
            .await,
        hooks.pre_tool_use(&action("ls"), cancel).await,
        hooks
            .post_tool_use(&action("ls"), &observation("out"), cancel)
            .await,
        hooks.stop(Some("agent_finished"), cancel).await,
        hooks.session_end(cancel).await,
    ];
    (scene, outcomes)
}

fn input(scene: &Scene, kind: &str) -> Value {
    let text = std::fs::read_to_string(scene.root().join(format!("{kind}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn a_command_gets_its_variables_and_the_members_of_every_moment() {
    let (scene, outcomes) = all_moments().await;
    let root = scene.root().display().to_string();
    let real_root = scene.root().canonicalize().unwrap();
    for outcome in &outcomes {
        let event = &outcome.events[0];
        let tool = event.tool_name.as_deref().unwrap_or("none");
        let (id, real_root) = (conversation().dashed(), real_root.display());
        assert_eq!(event.stdout, format!("{root}|{id}|{tool}|{real_root}|\n"));
        let kind = event.hook_event_type.as_str();
        let read = input(&scene, kind);
        let names: Vec<_> = read.as_object().unwrap().keys().collect();
        assert_eq!(
            names,
            [
                "event_type",
                "tool_name",
                "tool_input",
                "tool_response",
                "message",
                "session_id",
                "working_dir",
                "metadata"
            ]
        );
        assert_eq!(read["event_type"], json!(kind));
        assert_eq!(read["session_id"], json!(id));
        assert_eq!(read["working_dir"], json!(root));
    }
}

#[tokio::test]
async fn a_command_reads_what_belongs_to_the_moment() {
    let (scene, outcomes) = all_moments().await;
    let call = json!({"command": "ls", "is_input": false, "timeout": null, "reset": false, "kind": "TerminalAction"});
    let response = json!({
        "content": [{"cache_prompt": false, "type": "text", "text": "out"}], "is_error": false,
        "kind": "ThinkObservation"});
    assert_eq!(input(&scene, "PreToolUse")["tool_input"], call);
    assert_eq!(input(&scene, "PreToolUse")["tool_response"], Value::Null);
    assert_eq!(input(&scene, "PostToolUse")["tool_input"], call);
    assert_eq!(input(&scene, "PostToolUse")["tool_response"], response);
    assert_eq!(input(&scene, "UserPromptSubmit")["message"], json!("hi"));
    assert_eq!(
        input(&scene, "Stop")["metadata"],
        json!({"reason": "agent_finished"})
    );
    assert_eq!(input(&scene, "SessionStart")["metadata"], json!({}));

    let event = |index: usize| outcomes[index].events[0].clone();
    let kept = |index: usize| event(index).hook_input.map(|kept| Value::Object(kept.0));
    assert_eq!(kept(0), None);
    assert_eq!(kept(1), Some(json!({"message": "hi"})));
    assert_eq!(
        kept(3),
        Some(json!({"tool_name": "terminal", "tool_input": call, "tool_response": response}))
    );
    assert_eq!(kept(4), Some(json!({"reason": "agent_finished"})));
    assert_eq!(event(1).message_id.unwrap().as_str(), "m1");
    assert_eq!(event(3).action_id.unwrap().as_str(), "a1");
}

#[tokio::test]
async fn hooks_run_in_order_up_to_the_first_block() {
    let hooks = json!([
        {"hooks": [{"command": r#"echo 1 >> order; echo '{"additionalContext": "one"}'"#}]},
        {"matcher": "never", "hooks": [{"command": "echo never >> order"}]},
        {"matcher": "*", "hooks": [
            {"command": r#"echo 2 >> order; echo '{"additionalContext": "two"}'; exit 2"#},
            {"command": "echo 3 >> order"}]},
    ]);
    let scene = Scene::new(
        json!({"user_prompt_submit": hooks, "post_tool_use": hooks, "session_start": hooks}),
    );
    let order = || std::fs::read_to_string(scene.root().join("order")).unwrap();

    let mut asked = message("user", "hi");
    let outcome = scene.hooks.user_prompt_submit(&asked, &scene.cancel).await;
    assert_eq!(order(), "1\n2\n");
    assert_eq!((outcome.events.len(), outcome.allows()), (2, false));
    assert_eq!(outcome.blocked.as_deref(), Some("Blocked by hook"));
    outcome.add_context_to(&mut asked);
    assert_eq!(asked.extended_content.len(), 1);
    assert_eq!(asked.extended_content[0].text, "one\ntwo");

    // Where nothing can be forbidden, all are asked.
    let outcome = scene
        .hooks
        .post_tool_use(&action("ls"), &observation(""), &scene.cancel)
        .await;
    assert_eq!(order(), "1\n2\n1\n2\n3\n");
    assert_eq!((outcome.events.len(), outcome.allows()), (3, true));
    assert!(outcome.events[1].blocked);
    assert_eq!(outcome.context, None);
    let outcome = scene.hooks.session_start(&scene.cancel).await;
    assert_eq!(outcome.events.len(), 3);
    assert_eq!(outcome.context.as_deref(), Some("one\ntwo"));
}

#[tokio::test]
async fn an_agent_that_may_not_stop_is_told_why() {
    for (command, feedback) in [
        (
            r#"echo '{"decision": "deny", "reason": "tests fail"}'"#,
            Some("tests fail"),
        ),
        (
            r#"echo '{"decision": "deny", "reason": "r", "additionalContext": "run them"}'"#,
            Some("run them"),
        ),
        ("echo later >&2; exit 2", Some("later")),
        (r#"echo '{"additionalContext": "unused"}'"#, None),
    ] {
        let scene = Scene::command("stop", command);
        let outcome = scene
            .hooks
            .stop(Some("agent_finished"), &scene.cancel)
            .await;
        assert_eq!(outcome.stop_feedback(), feedback, "{command}");
        assert_eq!(outcome.allows(), feedback.is_none());
    }
}

#[tokio::test]
async fn matchers_choose_by_the_name_of_the_tool() {
    for (matcher, runs) in [
        ("*", true),
        ("", true),
        ("terminal", true),
        ("Terminal", false),
        ("file_editor|terminal", true),
        ("/term.*/", true),
        ("term", false),
        ("term.", false),
    ] {
        let scene = Scene::new(
            json!({"pre_tool_use": [{"matcher": matcher, "hooks": [{"command": "exit 2"}]}]}),
        );
        assert_eq!(!scene.pre().await.allows(), runs, "{matcher}");
    }
    let scene =
        Scene::new(json!({"stop": [{"matcher": "terminal", "hooks": [{"command": "exit 2"}]}]}));
    assert!(scene.hooks.stop(None, &scene.cancel).await.allows());
}

#[tokio::test]
async fn secrets_are_hidden_in_all_that_hooks_say() {
    let command = r#"echo '{"reason": "r s3cr3t", "additionalContext": "c s3cr3t"}'; echo s3cr3t >&2; exit 2"#;
    let all = json!([{"hooks": [{"command": command}]}]);
    let scene = Scene::new(json!({"pre_tool_use": all, "user_prompt_submit": all}));
    scene.hide("s3cr3t");
    let pre = scene
        .hooks
        .pre_tool_use(&action("echo s3cr3t"), &scene.cancel)
        .await;
    let prompt = scene
        .hooks
        .user_prompt_submit(&message("user", "is it s3cr3t?"), &scene.cancel)
        .await;
    assert_eq!(pre.blocked, Some(format!("r {HIDDEN}")));
    assert_eq!(prompt.context, Some(format!("c {HIDDEN}")));
    for outcome in [pre, prompt] {
        let mut event = outcome.events[0].clone();
        // The command itself is the user's configuration.
        event.hook_command.clear();
        let shown = Form::SOCKET.to_string(&event).unwrap();
        assert!(!shown.contains("s3cr3t"), "{shown}");
    }
}

#[tokio::test]
async fn where_no_hook_is_meant_nothing_happens() {
    let cancel = CancellationToken::new();
    for hooks in [Hooks::none(), Hooks::default()] {
        assert!(hooks.is_empty());
        assert_eq!(
            hooks.pre_tool_use(&action("ls"), &cancel).await,
            HookOutcome::default()
        );
        assert_eq!(hooks.session_end(&cancel).await, HookOutcome::default());
    }
    assert!(Scene::new(json!({"stop": []})).hooks.is_empty());

    let scene = Scene::command("user_prompt_submit", "exit 2");
    assert_eq!(scene.pre().await, HookOutcome::default());
    for source in ["agent", "environment"] {
        let outcome = scene
            .hooks
            .user_prompt_submit(&message(source, "hi"), &scene.cancel)
            .await;
        assert_eq!(outcome, HookOutcome::default());
    }
    // A call that could not be read is not executed, so it is not asked about.
    let scene = Scene::command("pre_tool_use", "exit 2");
    let mut unreadable = action("ls");
    unreadable.action = None;
    assert_eq!(
        scene.hooks.pre_tool_use(&unreadable, &scene.cancel).await,
        HookOutcome::default()
    );
}

#[tokio::test]
async fn hooks_can_be_asked_from_tasks_and_side_by_side() {
    let scene = Scene::command("pre_tool_use", "cat > /dev/null; exit 2");
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (hooks, cancel) = (scene.hooks.clone(), scene.cancel.clone());
            tokio::spawn(async move { hooks.pre_tool_use(&action("ls"), &cancel).await })
        })
        .collect();
    for task in tasks {
        assert!(!task.await.unwrap().allows());
    }
}
