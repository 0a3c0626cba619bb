use super::*;
use crate::subagents::Catalog;
use pretty_assertions::assert_eq;
use std::fs;

fn file(directory: &Path, name: &str, text: &str) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn the_built_in_ones_have_the_tools_of_the_contract() {
    let all = builtin_definitions(|_| true);
    let facts: Vec<_> = all
        .iter()
        .map(|it| (it.name.as_str(), it.tools.join(" ")))
        .collect();
    assert_eq!(
        facts,
        [
            ("bash-runner", "terminal".to_owned()),
            ("code-explorer", "terminal".to_owned()),
            (
                "general-purpose",
                "terminal file_editor task_tracker".to_owned()
            ),
            ("web-researcher", "browser_tool_set".to_owned()),
        ]
    );
    for definition in &all {
        assert_eq!(definition.level, Some(AgentLevel::Builtin));
        assert!(!definition.description.is_empty() && !definition.system_prompt.is_empty());
    }
    let servers = all[3].mcp_config.as_ref().unwrap();
    assert_eq!(servers.keys().collect::<Vec<_>>(), ["fetch", "tavily"]);
}

#[test]
fn what_has_no_tools_here_is_left_out() {
    let some = builtin_definitions(|tool| tool != "browser_tool_set");
    assert!(some.iter().all(|it| it.name != "web-researcher"));
    assert_eq!(some.len(), 3);
}

#[tokio::test]
async fn project_files_are_read_in_their_order() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    file(root, ".agents/agents/b.md", "---\nname: same\n---\nfirst");
    file(root, ".agents/agents/README.md", "about");
    file(
        root,
        ".agents/agents/broken.md",
        "---\nmax_budget_per_run: 0\n---\nx",
    );
    file(root, ".agents/agents/notes.txt", "no");
    file(root, ".agents/agents/sub/deep.md", "no");
    file(root, ".agents/agents/loud.MD", "loud");
    file(
        root,
        ".openhands/agents/a.md",
        "---\nname: same\n---\nsecond",
    );
    file(root, ".openhands/agents/other.md", "other");
    let found = project_definitions(&LocalWorkspace::new(root, &[])).await;
    let facts: Vec<_> = found
        .iter()
        .map(|it| (it.name.as_str(), it.system_prompt.as_str()))
        .collect();
    assert_eq!(
        facts,
        [("same", "first"), ("loud", "loud"), ("other", "other")]
    );
    assert!(found.iter().all(|it| it.level == Some(AgentLevel::Project)));
    let source = root.join(".agents/agents/b.md");
    assert_eq!(
        found[0].source.as_deref(),
        Some(source.to_string_lossy().as_ref())
    );
}

#[tokio::test]
async fn user_files_come_from_home_and_from_the_persistence_directory() {
    let home = tempfile::tempdir().unwrap();
    let persistence = tempfile::tempdir().unwrap();
    file(home.path(), ".agents/agents/x.md", "from home");
    file(persistence.path(), "agents/x.md", "hidden");
    file(persistence.path(), "agents/y.md", "from persistence");
    let found = user_definitions(Some(home.path()), Some(persistence.path())).await;
    let prompts: Vec<_> = found.iter().map(|it| it.system_prompt.as_str()).collect();
    assert_eq!(prompts, ["from home", "from persistence"]);
    assert!(user_definitions(None, None).await.is_empty());
}

#[tokio::test]
async fn the_first_of_a_name_wins_over_built_in_ones() {
    let project = tempfile::tempdir().unwrap();
    file(project.path(), ".agents/agents/bash-runner.md", "ours");
    let mut all = project_definitions(&LocalWorkspace::new(project.path(), &[])).await;
    all.extend(builtin_definitions(|_| true));
    let catalog = Catalog::new(all);
    assert_eq!(catalog.get("bash").unwrap().system_prompt, "ours");
}
