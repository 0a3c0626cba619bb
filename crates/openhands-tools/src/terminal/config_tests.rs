use super::*;
use crate::registry::Place;
use pretty_assertions::assert_eq;
use serde_json::json;

fn config(params: &Value) -> Result<TerminalConfig, CreateError> {
    let machine = Machine {
        place: Place {
            working_dir: "/".into(),
            persistence_dir: Some("/p".into()),
        },
        env: vec![
            ("SESSION_API_KEY".into(), "s".into()),
            ("KEEP".into(), "k".into()),
        ],
        ..Machine::default()
    };
    TerminalConfig::new(&machine, &params.as_object().unwrap().clone().into())
}

#[test]
fn defaults_are_those_of_the_contract() {
    let config = config(&json!({})).unwrap();
    assert_eq!(config.no_change_timeout, Duration::from_secs(30));
    assert_eq!(config.save_dir, Some("/p/observations".into()));
    assert_eq!(config.shell.nice, 10);
    let names: Vec<_> = config.shell.environment.keys().collect();
    assert_eq!(names, ["AI_AGENT", "GIT_PAGER", "KEEP", "PAGER"]);
}

#[test]
fn parameters_are_taken() {
    let config = config(&json!({
        "no_change_timeout_seconds": 2, "terminal_type": "tmux", "shell_path": "/bin/bash", "env": {"A_1": "x"},
    }))
    .unwrap();
    assert_eq!(config.no_change_timeout, Duration::from_secs(2));
    assert_eq!(config.shell.bash, PathBuf::from("/bin/bash"));
    assert_eq!(
        config.shell.environment["A_1".as_ref() as &std::ffi::OsStr],
        "x"
    );
}

#[test]
fn bad_parameters_are_named() {
    for (params, parameter) in [
        (json!({"env": {"1A": "x"}}), "env"),
        (json!({"env": {"A": 1}}), "env"),
        (json!({"env": []}), "env"),
        (json!({"terminal_type": "powershell"}), "terminal_type"),
        (json!({"terminal_type": 1}), "terminal_type"),
        (
            json!({"no_change_timeout_seconds": -1}),
            "no_change_timeout_seconds",
        ),
        (
            json!({"no_change_timeout_seconds": "x"}),
            "no_change_timeout_seconds",
        ),
        (json!({"username": "no such account"}), "username"),
    ] {
        match config(&params) {
            Err(CreateError::BadParameter {
                parameter: named, ..
            }) => assert_eq!(named, parameter, "{params}"),
            other => panic!("{params}: {other:?}"),
        }
    }
}

#[test]
fn a_missing_directory_is_an_error_at_creation() {
    let machine = Machine {
        place: Place {
            working_dir: "/no/such/directory".into(),
            persistence_dir: None,
        },
        ..Machine::default()
    };
    let problem = TerminalConfig::new(&machine, &JsonObject::new()).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "working_dir '/no/such/directory' is not a valid directory"
    );
}
