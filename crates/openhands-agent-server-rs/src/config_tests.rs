use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::*;

/// Settings that the reference does not have.
const OURS: &[&str] = &[
    "max_upload_bytes",
    "allowed_upload_extensions",
    "event_durability",
    "log_format",
    "metrics",
    "otlp_endpoint",
    "vscode_program",
    "conversation_warm_containers",
    "conversation_container_network",
    "conversation_container_path_map",
    "conversation_container_gpu",
    "conversation_container_read_only",
    "conversation_container_bind",
    "conversation_image_build",
];

/// Our image and that of the reference.
const IMAGES: (&str, &str) = (
    "openhands-agent-server-rs:latest",
    "ghcr.io/openhands/agent-server:latest-python",
);

/// Cases in which this server does better, with what it does.
const BETTER: &[(&str, &str)] = &[
    // The reference ends with an IndexError.
    ("more keys than the file", r#"["k0","k1"]"#),
];

#[derive(Debug, serde::Deserialize)]
struct Case {
    name: String,
    env: BTreeMap<String, String>,
    file: Option<Value>,
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/config")
        .join(name)
}

fn cases() -> Vec<Case> {
    serde_json::from_slice(&std::fs::read(fixture("cases.json")).unwrap()).unwrap()
}

fn recorded() -> BTreeMap<String, Value> {
    serde_json::from_slice(&std::fs::read(fixture("recorded.json")).unwrap()).unwrap()
}

fn sources(directory: &Path, case: &Case) -> Sources {
    if let Some(file) = &case.file {
        let path = directory.join(DEFAULT_CONFIG_PATH);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.to_string()).unwrap();
    }
    Sources {
        environment: case.env.clone().into_iter().collect(),
        directory: directory.to_owned(),
        file: None,
    }
}

fn load(env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let directory = tempfile::tempdir().unwrap();
    Config::load(&Sources {
        environment: env.iter().copied().collect(),
        directory: directory.path().to_owned(),
        file: None,
    })
}

/// Numbers as floats, so that 2 and 2.0 are the same.
fn normal(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.into_iter().map(normal).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (name, normal(value)))
            .collect(),
        other => other,
    }
}

#[test]
fn every_case_gives_what_the_reference_gives() {
    let recorded = recorded();
    for case in cases() {
        let directory = tempfile::tempdir().unwrap();
        let found = settings_of(&sources(directory.path(), &case));
        let expected = &recorded[&case.name];
        if let Some((_, keys)) = BETTER.iter().find(|(name, _)| *name == case.name) {
            assert!(expected.get("error").is_some(), "{}", case.name);
            let (settings, _, _) = found.unwrap();
            assert_eq!(settings["session_api_keys"].to_string(), *keys);
            continue;
        }
        if expected.get("error").is_some() {
            assert!(found.is_err(), "{}: {found:?}", case.name);
            continue;
        }
        let (mut settings, blank, _) = found.unwrap();
        let members = settings.as_object_mut().unwrap();
        for name in OURS {
            members.remove(*name).unwrap();
        }
        if members["conversation_image"] == IMAGES.0 {
            members.insert("conversation_image".to_owned(), IMAGES.1.into());
        }
        members.insert("blank".to_owned(), blank.into());
        assert_eq!(normal(settings), normal(expected.clone()), "{}", case.name);
    }
}

#[test]
fn the_recorded_answers_are_still_those_of_the_reference() {
    let Some(python) = std::env::var_os("OPENHANDS_REFERENCE_PYTHON") else {
        assert!(
            std::env::var_os("CI").is_none(),
            "OPENHANDS_REFERENCE_PYTHON is not set, and nothing may be skipped here"
        );
        eprintln!("skipped: no reference");
        return;
    };
    let answer = Command::new(python)
        .arg(fixture("record.py"))
        .output()
        .unwrap();
    assert!(answer.status.success());
    let found: BTreeMap<String, Value> = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(found, recorded());
}

#[test]
fn what_is_wrong_is_named() {
    for (name, value, expected) in [
        (
            "OH_VSCODE_PORT",
            "many",
            "OH_VSCODE_PORT: expected a whole number from 1 to 65535, found \"many\"",
        ),
        (
            "OH_LEASE_TTL_SECONDS",
            "inf",
            "OH_LEASE_TTL_SECONDS: expected a number that is not negative, found \"inf\"",
        ),
        (
            "OH_WEBHOOKS",
            r#"[{"base_url":"http://w","retry_delay":-1}]"#,
            "OH_WEBHOOKS[0].retry_delay: expected a whole number, at least 0, found -1",
        ),
        (
            "OH_WEBHOOKS_0_FLUSH_DELAY",
            "1",
            "webhooks[0].base_url: is missing",
        ),
        (
            "OH_ALLOW_CORS_ORIGIN_REGEX",
            "(",
            "OH_ALLOW_CORS_ORIGIN_REGEX: expected a regular expression, found \"(\"",
        ),
        (
            "OH_SESSION_API_KEYS",
            "x,y",
            "OH_SESSION_API_KEYS: is not valid JSON: expected value at line 1 column 1",
        ),
        (
            "OH_SESSION_API_KEYS",
            "100000000000",
            "OH_SESSION_API_KEYS: expected a JSON list or the number of its items, found \"100000000000\"",
        ),
    ] {
        assert_eq!(load(&[(name, value)]).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_wrong_key_is_not_shown() {
    let error = load(&[("OH_SESSION_API_KEYS", "[12345]")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "OH_SESSION_API_KEYS[0]: expected a text, found something else"
    );
    let config = load(&[("OH_SESSION_API_KEYS_0", "hush"), ("OH_SECRET_KEY", "hush")]).unwrap();
    assert!(!format!("{config:?}").contains("hush"));
}

#[test]
fn a_file_that_is_named_must_be_there_and_be_json() {
    let directory = tempfile::tempdir().unwrap();
    let mut sources = Sources::of_directory(directory.path());
    sources.file = Some("mine.json".into());
    let place = directory.path().join("mine.json");
    let error = Config::load(&sources).unwrap_err().to_string();
    assert!(error.starts_with(&place.display().to_string()), "{error}");
    for (text, problem) in [
        ("[]", "must contain a JSON object"),
        ("{", "is not JSON"),
        (r#"{"vscode_port": "x"}"#, ".vscode_port: expected a whole"),
    ] {
        std::fs::write(&place, text).unwrap();
        let error = Config::load(&sources).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
    std::fs::write(&place, r#"{"vscode_port": 5, "vscode_prot": 6}"#).unwrap();
    let config = Config::load(&sources).unwrap();
    assert_eq!(config.vscode_port, 5);
    assert_eq!(
        config.warnings,
        ["vscode_prot is ignored: there is no such setting"]
    );
}

#[test]
fn words_that_are_not_known_are_passed_over_with_a_warning() {
    let config = load(&[("OH_CONVERSATION_RUNTIME", "moon"), ("LOG_LEVEL", "loud")]).unwrap();
    assert_eq!(config.conversation_runtime, RuntimeKind::Local);
    assert_eq!(config.surroundings.log_filter, "info");
    assert_eq!(
        config.warnings,
        [
            "OH_CONVERSATION_RUNTIME is ignored: expected one of local, docker, found \"moon\"",
            "LOG_LEVEL is ignored: \"loud\" is neither a level nor a filter"
        ]
    );
}

#[test]
fn paths_start_at_the_working_directory() {
    let directory = tempfile::tempdir().unwrap();
    let mut sources = Sources::of_directory(directory.path());
    let config = Config::load(&sources).unwrap();
    let below = |path: &str| directory.path().join(path);
    assert_eq!(config.conversations_path, below("workspace/conversations"));
    assert_eq!(config.bash_events_dir, below("workspace/bash_events"));
    assert_eq!(
        config.conversation_worktree_root,
        Path::new("/tmp/conversation-worktrees")
    );
    sources.environment = [("HOME", "/home/u"), ("OH_STATIC_FILES_PATH", "s")]
        .into_iter()
        .collect();
    let config = Config::load(&sources).unwrap();
    assert_eq!(config.static_files_path, Some(below("s")));
    assert_eq!(config.persistence_dir, Path::new("/home/u/.openhands"));
    sources.environment = [("HOME", "/home/u"), ("OH_PERSISTENCE_DIR", "p")]
        .into_iter()
        .collect();
    assert_eq!(Config::load(&sources).unwrap().persistence_dir, below("p"));
}

#[test]
fn logs_and_traces_follow_their_variables() {
    let config = load(&[
        ("DEBUG", "yes"),
        ("LOG_JSON", "True"),
        ("LOG_TO_FILE", "1"),
        ("LOG_BACKUP_COUNT", "3"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/"),
        (
            "OTEL_EXPORTER_OTLP_HEADERS",
            "authorization=Bearer x, a = b",
        ),
        ("OH_RUNTIME_IDLE_TIMEOUT_SECONDS", "100"),
    ])
    .unwrap();
    let around = &config.surroundings;
    assert_eq!(around.log_filter, "debug");
    assert_eq!(config.log_format(), LogFormat::Json);
    assert!(around.log_dir.as_ref().unwrap().ends_with("logs"));
    assert_eq!(around.log_files, 3);
    assert_eq!(
        config.otlp_traces_endpoint(),
        Some("http://c:4318/v1/traces")
    );
    let names: Vec<&str> = around
        .otlp_headers
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["authorization", "a"]);
    assert_eq!(around.max_foreground_timeout_seconds(), Some(90.0));
    let config = load(&[
        ("LOG_JSON", "1"),
        ("OH_LOG_FORMAT", "text"),
        ("LOG_LEVEL", "Warning"),
    ])
    .unwrap();
    assert_eq!(config.log_format(), LogFormat::Text);
    assert_eq!(config.surroundings.log_filter, "warn");
    let config = load(&[("LOG_LEVEL", "info,openhands_llm=debug")]).unwrap();
    assert_eq!(config.surroundings.log_filter, "info,openhands_llm=debug");
}

#[test]
fn the_defaults_are_those_of_an_empty_environment() {
    let directory = tempfile::tempdir().unwrap();
    let loaded = Config::load(&Sources::of_directory(directory.path())).unwrap();
    let default = Config::default();
    assert_eq!(loaded.max_concurrent_runs, default.max_concurrent_runs);
    assert_eq!(loaded.lease_ttl, Duration::from_secs(45));
    assert_eq!(default.conversation_idle_ttl, Some(Duration::from_mins(20)));
    assert_eq!(
        default.conversations_path,
        Path::new("workspace/conversations")
    );
}

#[test]
fn what_the_server_starts_learns_where_it_is() {
    let mut config = load(&[("OH_INTERNAL_SERVER_URL", "http://old"), ("A", "b")]).unwrap();
    config.session_api_keys = vec!["k".to_owned()];
    config.announce("http://127.0.0.1:1");
    let env: BTreeMap<_, _> = config.env.iter().cloned().collect();
    assert_eq!(env["OH_INTERNAL_SERVER_URL"], "http://127.0.0.1:1");
    assert_eq!(env["OH_SESSION_API_KEYS_0"], "k");
    assert_eq!(env["A"], "b");
    assert_eq!(env.len(), config.env.len());
}

/// With `UPDATE_DOCS` set the tables in the document are written anew.
#[test]
fn the_document_has_every_variable() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let mut document = std::fs::read_to_string(&path).unwrap();
    for (table, text) in document::tables() {
        let (begin, end) = (
            format!("<!-- {table} -->\n"),
            format!("<!-- end of {table} -->"),
        );
        let start = document.find(&begin).unwrap_or_else(|| panic!("{begin}")) + begin.len();
        let stop = document.find(&end).unwrap_or_else(|| panic!("{end}"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            document.replace_range(start..stop, &text);
        } else {
            assert_eq!(
                document.get(start..stop),
                Some(text.as_str()),
                "run `just docs`"
            );
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, document).unwrap();
    }
}
