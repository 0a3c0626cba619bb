use super::{Params, is_usable};
use crate::registry::{CreateError, Machine, Place};
use openhands_protocol::JsonObject;
use serde_json::{Value, json};
use std::time::Duration;

fn with_program(params: &Value) -> Result<Params, CreateError> {
    with_variables(params, &[])
}

fn with_variables(params: &Value, variables: &[(&str, &str)]) -> Result<Params, CreateError> {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("chromium");
    std::fs::write(&program, "").unwrap();
    let machine = Machine {
        place: Place {
            working_dir: "/workspace".into(),
            persistence_dir: Some("/kept".into()),
        },
        env: variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .chain([("PATH".to_owned(), directory.path().display().to_string())])
            .collect(),
        ..Machine::default()
    };
    Params::new(
        &machine,
        &JsonObject::from(params.as_object().unwrap().clone()),
    )
}

#[test]
fn without_parameters_the_defaults_hold() {
    let params = with_program(&json!({"headless": true, "allowed_domains": []})).unwrap();
    assert_eq!(params.action_timeout, Duration::from_mins(5));
    assert_eq!(params.browser.start_timeout, Duration::from_secs(30));
    assert_eq!(
        params.save_dir.unwrap().to_str(),
        Some("/kept/observations")
    );
    assert_eq!(
        params.recordings.to_str(),
        Some("/workspace/.agent_tmp/browser_observations")
    );
    assert!(params.browser.executable.unwrap().ends_with("chromium"));
}

#[test]
fn parameters_are_taken_or_refused_by_name() {
    let params = with_program(&json!({
        "action_timeout_seconds": 2.5, "init_timeout_seconds": 9, "viewport": {"width": 800, "height": 600},
        "inject_scripts": ["1"], "user_agent": "me", "proxy": "http://127.0.0.1:1", "permissions": ["geolocation"],
        "max_memory_mb": 512,
    }))
    .unwrap();
    assert_eq!(params.browser.permissions, ["geolocation"]);
    assert_eq!(params.browser.max_memory, Some(512 << 20));
    assert_eq!(params.action_timeout, Duration::from_millis(2500));
    assert_eq!(params.browser.viewport, (800, 600));
    assert_eq!(params.scripts, ["1"]);
    assert_eq!(params.browser.user_agent.as_deref(), Some("me"));
    for (name, value) in [
        ("action_timeout_seconds", json!(0)),
        ("init_timeout_seconds", json!("x")),
        ("viewport", json!({"width": 0, "height": 5})),
        ("inject_scripts", json!("1")),
        ("executable", json!(5)),
        ("permissions", json!("geolocation")),
        ("max_memory_mb", json!(-1)),
        ("headless", json!(false)),
        ("allowed_domains", json!(["example.com"])),
    ] {
        let refused = with_program(&json!({name: value})).unwrap_err();
        assert!(
            matches!(&refused, CreateError::BadParameter { parameter, .. } if parameter == name),
            "{refused}"
        );
    }
}

#[test]
fn parameters_are_stronger_than_variables() {
    let variables = [
        ("OH_BROWSER_PROXY", "http://127.0.0.1:1"),
        ("OH_BROWSER_USER_AGENT", "theirs"),
        ("OH_BROWSER_MAX_MEMORY_MB", "9"),
    ];
    let given = json!({"user_agent": "ours", "max_memory_mb": 0});
    let browser = with_variables(&given, &variables).unwrap().browser;
    assert_eq!(browser.proxy.as_deref(), Some("http://127.0.0.1:1"));
    assert_eq!(browser.user_agent.as_deref(), Some("ours"));
    assert_eq!(browser.max_memory, None);
    let refused = with_variables(&json!({}), &[("OH_BROWSER_VIEWPORT", "wide")]).unwrap_err();
    assert!(
        matches!(&refused, CreateError::Unusable(text) if text.contains("OH_BROWSER_VIEWPORT")),
        "{refused}"
    );
}

#[test]
fn a_missing_browser_is_unusable_and_says_how_to_get_one() {
    let empty = tempfile::tempdir().unwrap();
    let env = vec![
        ("PATH".to_owned(), empty.path().display().to_string()),
        ("HOME".to_owned(), empty.path().display().to_string()),
    ];
    assert!(!is_usable(env.clone()));
    let machine = Machine {
        env,
        ..Machine::default()
    };
    let refused = Params::new(&machine, &JsonObject::default()).unwrap_err();
    let CreateError::Unusable(text) = refused else {
        panic!("{refused}")
    };
    assert!(text.contains("playwright install chromium"), "{text}");
}
