use openhands_protocol::hooks::{HookConfig, HookDefinition, HookMatcher, HookType};
use openhands_runtime::LocalWorkspace;
use pretty_assertions::assert_eq;

use super::{HookConfigError, check, is_empty, load, merge, read};

fn command(command: &str) -> HookMatcher {
    HookMatcher {
        hooks: vec![HookDefinition {
            command: command.to_owned(),
            ..HookDefinition::default()
        }],
        ..HookMatcher::default()
    }
}

#[test]
fn both_spellings_and_the_wrapper_are_read() {
    let expected = HookConfig {
        pre_tool_use: vec![command("a")],
        ..HookConfig::default()
    };
    for json in [
        r#"{"pre_tool_use": [{"hooks": [{"command": "a"}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"command": "a"}]}], "Stop": []}"#,
        r#"{"preToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "a"}]}]}"#,
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "a"}]}]}, "description": "ignored"}"#,
    ] {
        assert_eq!(read(json.as_bytes()).unwrap(), expected, "{json}");
    }
}

#[test]
fn members_are_read_as_the_reference_reads_them() {
    let json = r#"{"Stop": [{"matcher": "x", "hooks": [
        {"command": "c", "timeout": "5", "async": true}, {"command": "d", "async_": true, "timeout": -5},
        {"type": "prompt", "prompt": "p", "name": "n"}, {"type": "agent", "tools": ["terminal"]}]}]}"#;
    let config = read(json.as_bytes()).unwrap();
    let hooks = &config.stop[0].hooks;
    assert_eq!(config.stop[0].matcher, "x");
    assert!(hooks[0].is_async && hooks[1].is_async && !hooks[2].is_async);
    assert_eq!((hooks[0].timeout, hooks[1].timeout), (5, -5));
    assert_eq!((&hooks[2].kind, hooks[2].timeout), (&HookType::Prompt, 60));
    assert_eq!(
        (&hooks[3].kind, hooks[3].max_iterations),
        (&HookType::Agent, 3)
    );
}

#[test]
fn what_the_reference_refuses_is_refused() {
    for (json, message) in [
        ("{", "the hooks are not valid JSON"),
        ("[]", "the hooks must be an object"),
        ("null", "the hooks must be an object"),
        (r#"{"hooks": []}"#, "the hooks must be an object"),
        (r#"{"hooks": {"hooks": {}}}"#, "there is no event 'hooks'"),
        (
            r#"{"Foo": []}"#,
            "there is no event 'Foo'; the events are pre_tool_use, ",
        ),
        (r#"{"foo": []}"#, "there is no event 'foo'"),
        (r#"{"PRE": []}"#, "there is no event 'PRE'"),
        (
            r#"{"PreToolUse": [], "pre_tool_use": []}"#,
            "the event 'pre_tool_use' is given twice, the second time as 'pre_tool_use'",
        ),
        (r#"{"Stop": {}}"#, "the hooks of 'stop' cannot be read: "),
        (r#"{"Stop": null}"#, "the hooks of 'stop' cannot be read: "),
        (
            r#"{"Stop": [{"matcher": null}]}"#,
            "the hooks of 'stop' cannot be read: ",
        ),
        (
            r#"{"Stop": [{"hooks": [{"command": "c", "timeout": 1.5}]}]}"#,
            "the hooks of 'stop' cannot be read: ",
        ),
        (
            r#"{"Stop": [{"hooks": [{"command": "c"}]}, {"hooks": [{}]}]}"#,
            "hook 2 of 'stop': a command hook needs a 'command'",
        ),
        (
            r#"{"Stop": [{"hooks": [{"type": "prompt"}]}]}"#,
            "hook 1 of 'stop': a prompt hook needs a 'prompt'",
        ),
        (
            r#"{"Stop": [{"hooks": [{"type": "prompt", "prompt": "p", "command": "c"}]}]}"#,
            "hook 1 of 'stop': only a command hook can have a 'command'",
        ),
        (
            r#"{"Stop": [{"hooks": [{"type": "agent", "command": "c"}]}]}"#,
            "hook 1 of 'stop': only a command hook can have a 'command'",
        ),
        (
            r#"{"Stop": [{"hooks": [{"type": "prompt", "prompt": "p", "async": true}]}]}"#,
            "hook 1 of 'stop': only a command hook can be 'async'",
        ),
        (
            r#"{"Stop": [{"hooks": [{"type": "foo", "command": "c"}]}]}"#,
            "the hooks of 'stop' cannot be read: ",
        ),
    ] {
        let error = read(json.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{json}: {error}");
    }
}

#[test]
fn a_hook_of_unknown_type_that_came_with_a_state_is_refused_too() {
    let mut config = HookConfig {
        stop: vec![command("c")],
        ..HookConfig::default()
    };
    assert!(check(&config).is_ok());
    config.stop[0].hooks[0].kind = HookType::Other("foo".into());
    assert_eq!(
        check(&config).unwrap_err().to_string(),
        "hook 1 of 'stop': the type must be 'command', 'prompt' or 'agent'"
    );
}

#[test]
fn merging_keeps_all_in_order_and_nothing_gives_nothing() {
    let one = HookConfig {
        pre_tool_use: vec![command("a")],
        stop: vec![command("s")],
        ..HookConfig::default()
    };
    let two = HookConfig {
        pre_tool_use: vec![command("b"), command("c")],
        ..HookConfig::default()
    };
    let merged = merge([one, two]).unwrap();
    assert_eq!(
        merged.pre_tool_use,
        [command("a"), command("b"), command("c")]
    );
    assert_eq!(merged.stop, [command("s")]);
    assert!(merge([]).is_none());
    assert!(merge([HookConfig::default()]).is_none());
    assert!(is_empty(&HookConfig::default()) && !is_empty(&merged));
}

#[tokio::test]
async fn the_project_comes_before_the_user() {
    let (project, user) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = LocalWorkspace::new(project.path(), &[]);
    let load = async || load(&workspace, Some(user.path())).await;
    assert!(load().await.unwrap().is_none());
    assert!(super::load(&workspace, None).await.unwrap().is_none());

    let hooks = |name: &str| format!(r#"{{"Stop": [{{"hooks": [{{"command": "{name}"}}]}}]}}"#);
    std::fs::write(user.path().join("hooks.json"), hooks("of the user")).unwrap();
    assert_eq!(
        load().await.unwrap().unwrap().stop,
        [command("of the user")]
    );

    std::fs::create_dir(project.path().join(".openhands")).unwrap();
    let file = project.path().join(".openhands/hooks.json");
    std::fs::write(&file, hooks("of the project")).unwrap();
    assert_eq!(
        load().await.unwrap().unwrap().stop,
        [command("of the project")]
    );

    // A broken file is said, not passed over.
    std::fs::write(&file, "{").unwrap();
    assert!(matches!(load().await, Err(HookConfigError::Json(_))));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(matches!(load().await, Err(HookConfigError::Workspace(_))));
    std::fs::remove_dir(&file).unwrap();
    std::fs::remove_file(user.path().join("hooks.json")).unwrap();
    std::fs::create_dir(user.path().join("hooks.json")).unwrap();
    assert!(matches!(
        load().await,
        Err(HookConfigError::UserFile { .. })
    ));
}
