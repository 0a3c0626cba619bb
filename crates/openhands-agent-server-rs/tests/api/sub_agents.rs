//! The sub-agents of a project, of the user, and the built-in ones.

use std::fs;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::harness::World;
use crate::recording::recorded;

fn files(world: &World) {
    for (path, content) in [
        (
            "proj/.agents/agents/reviewer.md",
            "---\nname: reviewer\ndescription: Reviews <example>please review</example>\ncolor: red\n\
             tools: [terminal, file_editor]\nskills: [pdf]\npermission_mode: always_confirm\n\
             max_iteration_per_run: 5\nextra_key: v\n---\nYou review.\n",
        ),
        (
            "home/.openhands/agents/userag.md",
            "---\nname: userag\ndescription: u\n---\nYou.\n",
        ),
    ] {
        let path = world.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

#[tokio::test]
async fn files_are_listed_as_recorded() {
    let world = World::new().await;
    files(&world);
    let root = world.path().to_str().unwrap();
    let (project, home) = (format!("{root}/proj"), format!("{root}/home"));
    let texts = [
        ("/ws/proj", project.as_str()),
        ("/home/user", home.as_str()),
    ];
    let exchanges = recorded("sub-agents");
    exchanges[0].check(&world, &texts).await;
    exchanges[2].check(&world, &texts).await;
}

#[tokio::test]
async fn built_in_ones_are_as_recorded_but_for_their_sentences() {
    let world = World::new().await;
    let exchange = &recorded("sub-agents")[1];
    let (_, ours) = exchange.repeat(&world, &[]).await;
    let (_, theirs) = exchange.expected();
    // The recording left out the members that are empty, and ours have no files.
    let members = |body: &Value| -> Vec<Value> {
        let agents = body["agents"].as_array().unwrap().iter();
        agents
            .map(|agent| {
                let wanted = [
                    "name",
                    "model",
                    "tools",
                    "level",
                    "is_builtin",
                    "mcp_config",
                    "mcp_servers",
                ];
                wanted.iter().map(|name| agent[*name].clone()).collect()
            })
            .collect()
    };
    assert_eq!(members(&ours), members(&theirs));
}

#[tokio::test]
async fn without_a_browser_nobody_researches_the_web() {
    let world = World::with(|config| config.enable_browser = false).await;
    let (_, body) = world.post("/api/sub-agents", &json!({})).await;
    let names: Vec<&str> = body["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| agent["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bash-runner", "code-explorer", "general-purpose"]);
}
