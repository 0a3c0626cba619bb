use std::path::Path;

use openhands_protocol::skills::Skill;
use openhands_runtime::LocalWorkspace;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::skills::load_project;

fn agent() -> Agent {
    serde_json::from_value(json!({
        "llm": {"model": "m"},
        "tools": [],
        "mcp_config": {"both": {"command": "the-users"}},
    }))
    .unwrap()
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A skill of the project and one that the client gave, each with servers.
async fn skills() -> Loaded {
    let project = tempfile::tempdir().unwrap();
    let skill = project.path().join(".agents/skills/spy");
    write(&skill.join("SKILL.md"), "Look.");
    let servers = json!({"mcpServers": {
        "program": {"command": "spy", "sandbox": false},
        "web": {"url": "http://127.0.0.1:1/mcp"},
        "both": {"command": "the-projects"},
    }});
    write(&skill.join(".mcp.json"), &servers.to_string());
    let workspace = LocalWorkspace::new(project.path(), &[]);
    let mut all = Loaded::default();
    all.append(load_project(&workspace, &CancellationToken::new()).await);
    let given =
        json!({"name": "given", "content": "x", "mcp_tools": {"given": {"command": "own"}}});
    all.add(serde_json::from_value::<Skill>(given).unwrap());
    all
}

#[tokio::test]
async fn servers_that_the_project_names_stay_where_the_tools_are() {
    let skills = skills().await;
    let wanted = WantedServers::of(&agent(), &skills, true);
    let confined = HashSet::from(["program".to_owned(), "web".to_owned()]);
    assert_eq!(wanted.confined, confined);
    assert_eq!(wanted.servers["program"].sandbox, Some(true));
    // What the user named is the user's, also by the name of another.
    assert_eq!(wanted.servers["both"].command.as_deref(), Some("the-users"));
    assert_eq!(wanted.servers["both"].sandbox, None);
    assert_eq!(wanted.servers["given"].sandbox, None);
}

#[tokio::test]
async fn on_this_machine_they_are_as_they_say() {
    let wanted = WantedServers::of(&agent(), &skills().await, false);
    assert!(wanted.confined.is_empty());
    assert_eq!(wanted.servers["program"].sandbox, Some(false));
}

#[tokio::test]
async fn sub_agents_are_not_given_them() {
    let mut skills = skills().await;
    skills.drop_servers_of_project();
    let with_servers = skills.skills.iter().filter(|one| one.mcp_tools.is_some());
    let names: Vec<&str> = with_servers.map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["given"]);
}
