use std::fs;

use openhands_protocol::tool::{GlobObservation, Observation, ObservationBody};
use openhands_protocol::{ConversationId, ToolCallId};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{GlobExecutor, GlobTool};
use crate::definition::ToolDefinition;
use crate::executor::{CallContext, ToolExecutor};

async fn run(dir: &tempfile::TempDir, arguments: Value) -> GlobObservation {
    let arguments = arguments.as_object().cloned().unwrap();
    let action = GlobTool::new(dir.path()).decode(&arguments).unwrap();
    let executor = GlobExecutor::new(dir.path(), Some(dir.path().join("home")));
    let context = CallContext::detached(ToolCallId::new("call"), ConversationId::random());
    let Observation::Glob(observation) = executor.execute(action, context).await.unwrap() else {
        panic!("another kind");
    };
    observation
}

fn workspace() -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    for path in ["home/notes/a.md", "src/b.md", "src/c.rs"] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    let root = dir.path().canonicalize().unwrap().display().to_string();
    (dir, root)
}

#[tokio::test]
async fn a_tilde_means_the_home_directory() {
    let (dir, root) = workspace();
    let observation = run(&dir, json!({"pattern": "~/**/*.md"})).await;
    assert_eq!(observation.files, [format!("{root}/home/notes/a.md")]);
    assert_eq!(observation.search_path, format!("{root}/home"));
    assert_eq!(observation.pattern, "~/**/*.md");
}

#[tokio::test]
async fn an_absolute_pattern_works_with_and_without_a_path() {
    let (dir, root) = workspace();
    let pattern = format!("{root}/src/*.md");
    let alone = run(&dir, json!({"pattern": pattern})).await;
    assert_eq!(
        (alone.files, alone.search_path),
        (vec![format!("{root}/src/b.md")], format!("{root}/src"))
    );
    let with_path = run(&dir, json!({"pattern": pattern, "path": root})).await;
    assert_eq!(with_path.files, [format!("{root}/src/b.md")]);
    let elsewhere = run(
        &dir,
        json!({"pattern": pattern, "path": format!("{root}/home")}),
    )
    .await;
    assert_eq!(elsewhere.files, Vec::<String>::new());
    assert!(!elsewhere.is_error);
}

#[tokio::test]
async fn an_absolute_directory_lists_everything_below_it() {
    let (dir, root) = workspace();
    let observation = run(&dir, json!({"pattern": format!("{root}/home")})).await;
    assert_eq!(observation.files, [format!("{root}/home/notes/a.md")]);
}

#[tokio::test]
async fn a_missing_directory_is_told_resolved() {
    let (dir, root) = workspace();
    let observation = run(
        &dir,
        json!({"pattern": "*", "path": format!("{root}/src/../nope")}),
    )
    .await;
    assert!(observation.is_error);
    let text = openhands_protocol::message::Content::join_text(observation.content());
    assert_eq!(
        text,
        format!("Search path '{root}/nope' is not a valid directory")
    );
}

#[tokio::test]
async fn a_hundred_files_are_not_truncated_and_one_more_is() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..100 {
        fs::write(dir.path().join(format!("f{i}.txt")), "x").unwrap();
    }
    let observation = run(&dir, json!({"pattern": "*.txt"})).await;
    assert_eq!(
        (observation.files.len(), observation.truncated),
        (100, false)
    );
    fs::write(dir.path().join("g.txt"), "x").unwrap();
    let observation = run(&dir, json!({"pattern": "*.txt"})).await;
    assert_eq!(
        (observation.files.len(), observation.truncated),
        (100, true)
    );
    let text = openhands_protocol::message::Content::join_text(observation.content());
    assert!(text.starts_with("Found 100 file(s) matching pattern '*.txt' in '"));
    assert!(text.ends_with(
        "\n\n[Results truncated to first 100 files. Consider using a more specific pattern.]"
    ));
}
