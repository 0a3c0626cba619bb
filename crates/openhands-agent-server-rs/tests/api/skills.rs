//! Skills of all sources.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::git::Repository;
use crate::harness::World;
use crate::recording::recorded;

/// Writes files below a directory.
fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn project(world: &World) {
    write(
        &world.path().join("proj"),
        &[
            (".cursorrules", "cursor rules"),
            ("AGENTS.md", "# repo rules\nUse tabs.\n"),
            ("CLAUDE.md", "claude rules"),
            ("server/AGENTS.md", "nested rules"),
            (
                ".agents/skills/pdf/SKILL.md",
                "---\nname: pdf\ndescription: Work with PDFs\n---\nRead the PDF.",
            ),
            (".openhands/skills/always.md", "Always on text."),
            (
                ".openhands/skills/deploy.md",
                "---\ntriggers: [deploy, ship it]\n---\nHow to deploy.",
            ),
            (
                ".openhands/skills/pathy.md",
                "---\npaths: ['**/*.py']\n---\nPython rules.",
            ),
            (
                ".openhands/skills/tasky.md",
                "---\ninputs:\n- name: TARGET\n  description: what\n---\nDo ${TARGET}",
            ),
            (
                ".openhands/microagents/repo.md",
                "---\nname: legacyrepo\n---\nlegacy",
            ),
        ],
    );
}

fn user(world: &World) {
    write(
        &world.path().join("home"),
        &[
            (
                ".agents/skills/userskill/SKILL.md",
                "---\nname: userskill\ndescription: d\n---\nx",
            ),
            (
                ".openhands/skills/mine.md",
                "---\ntriggers: [mine]\n---\nuser skill",
            ),
        ],
    );
}

/// Public skills come from an empty directory, so that no test needs the network.
async fn world() -> World {
    let world = World::with(|config| {
        config.surroundings.extensions_path = Some(config.persistence_dir.join("no-extensions"));
    })
    .await;
    project(&world);
    user(&world);
    world
}

/// Texts of our own become the mark that the recording has in their place.
fn masked(mut body: Value) -> Value {
    for skill in body["skills"].as_array_mut().into_iter().flatten() {
        let content = skill["content"].as_str().unwrap();
        if skill["name"] == "tasky" {
            let (first, _) = content.split_once("\n\n").unwrap();
            skill["content"] = format!("{first}\n\n<text>").into();
        } else if skill["name"] == "work_hosts" {
            let (_, hosts) = content.split_once('\n').unwrap();
            skill["content"] = format!("<text>\n{hosts}").into();
        }
    }
    body
}

#[tokio::test]
async fn lists_are_as_recorded() {
    let world = world().await;
    let root = world.path().to_str().unwrap();
    let (project, home) = (format!("{root}/proj"), format!("{root}/home"));
    let texts = [
        ("/ws/proj", project.as_str()),
        ("/home/user", home.as_str()),
    ];
    let exchanges = recorded("skills-list");
    for exchange in &exchanges[..6] {
        let (status, body) = exchange.repeat(&world, &texts).await;
        assert_eq!(
            (status, masked(body)),
            exchange.expected(),
            "{}",
            exchange.0["request"]
        );
    }
}

fn names(body: &Value) -> Vec<&str> {
    body["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["name"].as_str().unwrap())
        .collect()
}

/// A repository with skills, a plugin and a list of both.
fn organisation(world: &World) -> Repository {
    let repository = Repository::init(world.path().join("orgrepo"));
    write(
        &repository.0,
        &[
            (
                "skills/orgs/SKILL.md",
                "---\nname: orgs\ndescription: o\n---\norg",
            ),
            ("microagents/m.md", "---\ntriggers: [m]\n---\nmm"),
            ("plugins/pp/.claude-plugin/plugin.json", r#"{"name": "pp"}"#),
            (
                "plugins/pp/skills/pps/SKILL.md",
                "---\nname: pps\ndescription: x\n---\nx",
            ),
            (
                ".claude-plugin/marketplace.json",
                r#"{"name": "mk", "owner": {"name": "o"},
                    "plugins": [{"name": "pp", "source": "./plugins/pp"}],
                    "skills": [{"name": "orgs", "source": "./skills/orgs"}]}"#,
            ),
        ],
    );
    repository.commit("all");
    repository
}

#[tokio::test]
async fn organisations_and_marketplaces_are_as_recorded() {
    let world = world().await;
    let repository = organisation(&world);
    let texts = [("/ws/orgrepo", repository.path())];
    let exchanges = recorded("skills-org-marketplace");
    for (number, exchange) in exchanges[..5].iter().enumerate() {
        let (status, mut body) = exchange.repeat(&world, &texts).await;
        if number == 0 {
            // The clone is gone, and was somewhere else.
            for skill in body["skills"].as_array_mut().unwrap() {
                let source = skill["source"].as_str().unwrap();
                assert!(!Path::new(source).exists());
                let (_, inside) = source.split_once("/repository/").unwrap();
                skill["source"] = format!("<temp clone>/{inside}").into();
            }
        }
        assert_eq!((status, body), exchange.expected(), "exchange {number}");
    }
}

#[tokio::test]
async fn a_marketplace_may_be_a_repository_and_a_plugin_may_have_commands() {
    let world = world().await;
    let repository = organisation(&world);
    write(
        &repository.0,
        &[(
            "plugins/pp/commands/now.md",
            "---\ndescription: Says it\nargument-hint: [place]\n---\nSay the weather.\n",
        )],
    );
    repository.commit("a command");
    let source = format!("file://{}", repository.path());
    let registered = json!([{"name": "mk", "source": source, "auto_load": ["pp"]}]);
    let body =
        json!({"load_user": false, "load_project": false, "registered_marketplaces": registered});
    let (_, body) = world.post("/api/skills", &body).await;
    assert_eq!(names(&body), ["pps", "pp:now"]);
    let command = &body["skills"][1];
    assert_eq!(
        (&command["type"], &command["triggers"], &command["content"]),
        (
            &json!("knowledge"),
            &json!(["/pp:now"]),
            &json!(
                "## now\n\nSays it\n\n**Arguments**: `$ARGUMENTS` - place\n\n\nSay the weather."
            )
        )
    );
}

#[tokio::test]
async fn a_repository_without_a_list_is_a_folder_of_skills() {
    let world = world().await;
    let root = world.path().join("plain");
    write(
        &root,
        &[
            ("README.md", "not a skill"),
            ("one/SKILL.md", "---\nname: one\ndescription: d\n---\n1"),
            ("two/SKILL.md", "---\nname: two\ndescription: d\n---\n2"),
        ],
    );
    let registered = json!([{"name": "mk", "source": root, "auto_load": true}]);
    let body =
        json!({"load_user": false, "load_project": false, "registered_marketplaces": registered});
    let (_, body) = world.post("/api/skills", &body).await;
    assert_eq!(names(&body), ["one", "two"]);
}

#[tokio::test]
async fn a_broken_source_costs_the_others_nothing() {
    let world = world().await;
    let registered = json!([
        {"name": "gone", "source": "/nowhere/at/all", "auto_load": true},
        {"name": "odd", "source": "no source", "auto_load": true},
    ]);
    let body = json!({
        "load_project": false,
        "registered_marketplaces": registered,
        "org_configs": [{
            "repository": "o/r", "provider": "github", "org_repo_url": "file:///nowhere", "org_name": "o",
        }],
    });
    let (status, body) = world.post("/api/skills", &body).await;
    assert_eq!(status.as_u16(), 200);
    assert_eq!(names(&body), ["userskill", "mine"]);
}

#[tokio::test]
async fn a_later_source_wins() {
    let world = world().await;
    write(
        &world.path().join("proj"),
        &[(".openhands/skills/mine.md", "of the project")],
    );
    let project = world.path().join("proj");
    let body = json!({"load_public": false, "project_dir": project});
    let (_, body) = world.post("/api/skills", &body).await;
    let mine: Vec<&Value> = body["skills"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|skill| skill["name"] == "mine")
        .collect();
    assert_eq!(mine.len(), 1);
    assert_eq!(mine[0]["content"], "of the project");
}

#[tokio::test]
async fn public_skills_come_from_a_copy_and_are_told_apart_in_the_catalog() {
    let copy = tempfile::tempdir().unwrap();
    write(
        copy.path(),
        &[
            (
                "skills/pub/SKILL.md",
                "---\nname: pub\ndescription: d\n---\np",
            ),
            (
                "skills/hidden/SKILL.md",
                "---\nname: hidden\ndescription: d\n---\nh",
            ),
            ("skills/mine.md", "a public one of the same name"),
            (
                "marketplaces/default.json",
                r#"{"plugins": [{"name": "pub"}, {"name": "mine"}]}"#,
            ),
        ],
    );
    let world = World::with(|config| {
        config.surroundings.extensions_path = Some(copy.path().to_owned());
    })
    .await;
    user(&world);
    let (_, body) = world.get("/api/skills/catalog").await;
    let origins: Vec<(&str, &str)> = body["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| {
            (
                skill["name"].as_str().unwrap(),
                skill["origin"].as_str().unwrap(),
            )
        })
        .collect();
    assert!(origins.contains(&("pub", "public")), "{origins:?}");
    assert!(origins.contains(&("mine", "user")), "{origins:?}");
    assert!(!origins.iter().any(|(name, _)| *name == "hidden"));
    // Without a list, everything is public.
    let body = json!({"load_user": false, "marketplace_path": null});
    let (_, body) = world.post("/api/skills", &body).await;
    assert!(names(&body).contains(&"hidden"));
}
