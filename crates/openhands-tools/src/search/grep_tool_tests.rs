use std::fs;

use openhands_protocol::tool::{Action, GrepAction, GrepObservation, Observation, ObservationBody};
use openhands_protocol::{ConversationId, ToolCallId};
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

use super::{GrepExecutor, GrepTool};
use crate::arguments::Loc;
use crate::definition::ToolDefinition;
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::resources::Locks;

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap()
}

fn context() -> CallContext {
    CallContext::detached(ToolCallId::new("call"), ConversationId::random())
}

async fn run(dir: &tempfile::TempDir, arguments: Value) -> GrepObservation {
    let action = GrepTool::new(dir.path())
        .decode(&object(&arguments))
        .unwrap();
    let Observation::Grep(observation) = GrepExecutor::new(dir.path())
        .execute(action, context())
        .await
        .unwrap()
    else {
        panic!("another kind");
    };
    observation
}

fn text(observation: &GrepObservation) -> String {
    openhands_protocol::message::Content::join_text(observation.content())
}

#[tokio::test]
async fn empty_path_and_include_count_as_none() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().canonicalize().unwrap();
    fs::write(dir.path().join("a"), "word").unwrap();
    let observation = run(&dir, json!({"pattern": "word", "path": "", "include": ""})).await;
    let root = real.display();
    assert_eq!(
        text(&observation),
        format!("Found 1 file(s) containing pattern 'word' in '{root}':\n{root}/a")
    );
    assert_eq!(observation.include_pattern.as_deref(), Some(""));
    assert!(!observation.is_error);
}

#[tokio::test]
async fn a_file_is_no_directory_and_the_text_shows_the_path_as_given() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "word").unwrap();
    let given = format!("{}/x/../a", dir.path().display());
    let observation = run(&dir, json!({"pattern": "word", "path": given})).await;
    assert!(observation.is_error);
    assert_eq!(
        text(&observation),
        format!("Search path '{given}' is not a valid directory")
    );
    let real = dir.path().canonicalize().unwrap().join("a");
    assert_eq!(observation.search_path, real.display().to_string());
}

#[tokio::test]
async fn nothing_found_names_the_filter() {
    let dir = tempfile::tempdir().unwrap();
    let observation = run(&dir, json!({"pattern": "x", "include": "*.py"})).await;
    let root = dir.path().canonicalize().unwrap();
    let expected = format!(
        "No files found containing pattern 'x' in directory '{}' (filtered by '*.py')",
        root.display()
    );
    assert_eq!(text(&observation), expected);
}

#[tokio::test]
async fn a_cancelled_call_ends_as_cancelled() {
    let dir = tempfile::tempdir().unwrap();
    let action = Action::Grep(GrepAction {
        pattern: "x".into(),
        ..GrepAction::default()
    });
    let context = context();
    context.cancel.cancel();
    let outcome = GrepExecutor::new(dir.path()).execute(action, context).await;
    assert!(matches!(outcome, Err(ToolError::Cancelled)));
}

#[test]
fn arguments_are_checked_and_nothing_is_locked() {
    let tool = GrepTool::new(std::path::Path::new("/ws"));
    let action = tool
        .decode(&object(&json!({"pattern": "x", "path": null})))
        .unwrap();
    assert_eq!(tool.locks(&action), Locks::none());
    let invalid = tool
        .decode(&object(&json!({"path": 3, "more": 1})))
        .unwrap_err();
    let places: Vec<_> = invalid
        .errors
        .iter()
        .map(|error| (error.loc.clone(), error.kind))
        .collect();
    let field = |name: &str| vec![Loc::from(name)];
    assert_eq!(
        places,
        [
            (field("pattern"), "missing"),
            (field("path"), "string_type"),
            (field("more"), "extra_forbidden")
        ]
    );
    assert!(tool.spec().description.contains("/ws"));
}
