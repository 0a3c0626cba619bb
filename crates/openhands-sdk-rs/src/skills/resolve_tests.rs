use super::*;
use openhands_protocol::skills::TaskTrigger;
use openhands_runtime::LocalWorkspace;
use pretty_assertions::assert_eq;
use std::path::Path;

use crate::skills::public::PublicSource;

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

fn given(name: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        content: "given".to_owned(),
        ..Skill::default()
    }
}

#[tokio::test]
async fn each_source_yields_to_those_before_it() {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    let project = at.join("project");
    for (number, directory) in ["project/.agents/skills", "user/skills", "public/skills"]
        .iter()
        .enumerate()
    {
        for skill in number..4 {
            write(
                &at.join(directory).join(format!("s{skill}/SKILL.md")),
                directory,
            );
        }
        write(&at.join(directory).join("off/SKILL.md"), "off");
    }
    let sources = SkillSources {
        user: Some(UserDirectories {
            home: None,
            persistence: at.join("user"),
        }),
        public: Some(Arc::new(PublicSkills::new(
            PublicSource::Directory(at.join("public")),
            &[],
        ))),
    };
    let workspace = LocalWorkspace::new(&project, &[]);
    let cancel = CancellationToken::new();
    let mut context = AgentContext {
        skills: vec![given("s0"), given("own"), given("off")],
        load_project_skills: true,
        load_user_skills: true,
        load_public_skills: true,
        disabled_skills: vec!["off".to_owned(), "unknown".to_owned()],
        ..AgentContext::default()
    };
    let contents = |loaded: Loaded| -> Vec<(String, String)> {
        loaded
            .skills
            .into_iter()
            .map(|skill| (skill.name, skill.content))
            .collect()
    };
    let pair = |name: &str, content: &str| (name.to_owned(), content.to_owned());
    let from_project = |name| pair(name, "project/.agents/skills");
    assert_eq!(
        contents(sources.resolve(&context, &workspace, &cancel).await),
        [
            from_project("s0"),
            from_project("s1"),
            from_project("s2"),
            from_project("s3"),
            pair("own", "given")
        ]
    );
    context.load_project_skills = false;
    assert_eq!(
        contents(sources.resolve(&context, &workspace, &cancel).await),
        [
            pair("s0", "given"),
            pair("own", "given"),
            pair("s1", "user/skills"),
            pair("s2", "user/skills"),
            pair("s3", "user/skills"),
        ]
    );
    context.load_user_skills = false;
    assert_eq!(
        contents(sources.resolve(&context, &workspace, &cancel).await),
        [
            pair("s0", "given"),
            pair("own", "given"),
            pair("s2", "public/skills"),
            pair("s3", "public/skills")
        ]
    );
    context.load_public_skills = false;
    assert_eq!(
        contents(sources.resolve(&context, &workspace, &cancel).await).len(),
        2
    );
}

#[tokio::test]
async fn skills_that_the_client_gave_follow_the_same_rules() {
    let task = Skill {
        content: "Do ${X}".to_owned(),
        trigger: Some(TaskTrigger::default().into()),
        ..given("task")
    };
    let context = AgentContext {
        skills: vec![task],
        ..AgentContext::default()
    };
    let workspace = LocalWorkspace::new("/nowhere", &[]);
    let loaded = SkillSources::default()
        .resolve(&context, &workspace, &CancellationToken::new())
        .await;
    assert!(loaded.skills[0].content.contains("Ask the user"));
}
