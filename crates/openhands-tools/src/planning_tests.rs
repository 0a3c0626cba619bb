use openhands_protocol::tool::Tool;
use openhands_protocol::{ConversationId, ToolCallId};
use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::registry::{Machine, Place, Registry};

/// Runs one call of the tool in a fresh registry set.
async fn call(
    workspace: &Path,
    params: Value,
    arguments: Value,
) -> Result<PlanningFileEditorObservation, CreateError> {
    let Value::Object(params) = params else {
        panic!("params are an object")
    };
    let wanted = [Tool {
        params: JsonObject::from(params),
        ..Tool::new(NAME)
    }];
    let place = Place {
        working_dir: workspace.to_path_buf(),
        persistence_dir: None,
    };
    let registry = Registry::standard();
    let definitions = registry.definitions(&wanted, &place)?;
    let machine = Machine {
        place,
        ..Machine::default()
    };
    let tools = registry.executors(&wanted, &machine)?;
    let definition = definitions.get(NAME).unwrap();
    let action = definition.decode(arguments.as_object().unwrap()).unwrap();
    let context = CallContext::detached(ToolCallId::new("t"), ConversationId::random());
    let done = tools.execute(NAME, action, context).await.unwrap();
    let Observation::PlanningFileEditor(observation) = done else {
        panic!("{done:?}")
    };
    Ok(observation)
}

fn text(observation: &PlanningFileEditorObservation) -> String {
    openhands_protocol::message::Content::join_text(&observation.content)
}

#[tokio::test]
async fn a_new_plan_has_its_headers_and_can_be_edited() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let plan = root.join(".agents_tmp/PLAN.md");
    let edit = json!({
        "command": "str_replace", "path": plan, "old_str": "# 1. OBJECTIVE\n", "new_str": "# 1. OBJECTIVE\nWin.\n",
    });
    let observation = call(&root, json!({}), edit).await.unwrap();
    assert!(!observation.is_error, "{}", text(&observation));
    assert_eq!(
        (observation.old_content, observation.new_content),
        (None, None)
    );
    let written = fs::read_to_string(&plan).unwrap();
    assert!(
        written.starts_with("# 1. OBJECTIVE\nWin.\n\n# 2. CONTEXT SUMMARY\n"),
        "{written}"
    );
    assert!(
        written.ends_with("\n# 5. TESTING AND VALIDATION\n"),
        "{written}"
    );
}

#[tokio::test]
async fn other_files_can_be_viewed_but_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("a.txt"), "x\n").unwrap();
    let view = call(
        &root,
        json!({}),
        json!({"command": "view", "path": root.join("a.txt")}),
    )
    .await
    .unwrap();
    assert!(!view.is_error);
    for command in ["create", "str_replace", "insert", "undo_edit"] {
        let edit = json!({"command": command, "path": root.join("a.txt"), "old_str": "x", "new_str": "y", "insert_line": 0, "file_text": ""});
        let refused = call(&root, json!({}), edit).await.unwrap();
        assert!(refused.is_error);
        let root = root.display();
        assert_eq!(
            text(&refused),
            format!(
                "Operation '{command}' is not allowed on file '{root}/a.txt'. Only the following files can be edited: ['{root}/.agents_tmp/PLAN.md']"
            )
        );
    }
    assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "x\n");
}

#[tokio::test]
async fn a_link_or_dots_around_the_plan_do_not_open_other_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("secret"), "x\n").unwrap();
    let sneaky = root.join(".agents_tmp/../secret");
    let refused = call(
        &root,
        json!({}),
        json!({"command": "str_replace", "path": sneaky, "old_str": "x", "new_str": "y"}),
    )
    .await
    .unwrap();
    assert!(refused.is_error);
    // The plan under another name is still the plan.
    std::os::unix::fs::symlink(root.join(".agents_tmp/PLAN.md"), root.join("plan")).unwrap();
    let edit =
        json!({"command": "insert", "path": root.join("plan"), "insert_line": 0, "new_str": "top"});
    assert!(!call(&root, json!({}), edit).await.unwrap().is_error);
}

#[tokio::test]
async fn an_older_plan_in_the_workspace_stays_the_plan() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("PLAN.md"), "old plan\n").unwrap();
    let edit = json!({"command": "str_replace", "path": root.join("PLAN.md"), "old_str": "old", "new_str": "new"});
    assert!(!call(&root, json!({}), edit).await.unwrap().is_error);
    assert!(!root.join(".agents_tmp").exists());
}

#[tokio::test]
async fn the_plan_path_must_be_absolute() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let view = json!({"command": "view", "path": root});
    for bad in [json!("PLAN.md"), json!(3)] {
        let refused = call(&root, json!({"plan_path": bad}), view.clone())
            .await
            .unwrap_err();
        assert!(
            matches!(refused, CreateError::BadParameter { .. }),
            "{refused}"
        );
    }
    let plan = root.join("deep/er/my plan.md");
    call(&root, json!({"plan_path": plan}), view).await.unwrap();
    assert_eq!(fs::read_to_string(plan).unwrap(), plan_headers());
}

#[tokio::test]
async fn a_relative_path_is_refused_under_its_whole_name() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let create = json!({"command": "create", "path": "PLAN.md", "file_text": "x"});
    let refused = call(&root, json!({}), create).await.unwrap();
    let here = fs::canonicalize(".").unwrap();
    assert_eq!(
        refused.content[0].as_text(),
        Some(
            format!(
                "Operation 'create' is not allowed on file '{}/PLAN.md'. Only the following files can be edited: ['{}/.agents_tmp/PLAN.md']",
                here.display(),
                root.display()
            )
            .as_str()
        )
    );
}
