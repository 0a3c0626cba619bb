use super::*;
use openhands_protocol::skills::{Skill, SkillTrigger};
use openhands_runtime::LocalWorkspace;
use pretty_assertions::assert_eq;
use std::process::Command;
use tempfile::TempDir;

fn with_files(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    directory
}

async fn loaded(root: &Path) -> Loaded {
    let env = [("PATH".to_owned(), "/usr/bin:/bin:/usr/local/bin".to_owned())];
    load_project(&LocalWorkspace::new(root, &env), &CancellationToken::new()).await
}

fn git(directory: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .status()
        .unwrap();
    assert!(status.success());
}

fn names(skills: &[Skill]) -> Vec<&str> {
    skills.iter().map(|skill| skill.name.as_str()).collect()
}

fn named<'a>(loaded: &'a Loaded, name: &str) -> &'a Skill {
    loaded
        .skills
        .iter()
        .find(|skill| skill.name == name)
        .unwrap()
}

/// The project of the recorded answer of `POST /api/skills`.
fn recorded_project() -> TempDir {
    with_files(&[
        (".cursorrules", "cursor rules"),
        ("AGENTS.md", "# repo rules\nUse tabs.\n"),
        ("CLAUDE.md", "claude rules"),
        ("server/AGENTS.md", "nested rules"),
        (
            ".agents/skills/pdf/SKILL.md",
            "---\nname: pdf\ndescription: Work with PDFs\n---\nRead the PDF.\n",
        ),
        (".openhands/skills/always.md", "Always on text.\n"),
        (
            ".openhands/skills/deploy.md",
            "---\ntriggers: [deploy, ship it]\n---\nHow to deploy.\n",
        ),
        (
            ".openhands/skills/pathy.md",
            "---\npaths: '*.py'\n---\nPython rules.\n",
        ),
        (
            ".openhands/skills/tasky.md",
            "---\ninputs:\n- name: TARGET\n  description: d\n---\nDo ${TARGET}\n",
        ),
        (
            ".openhands/microagents/repo.md",
            "---\nname: legacyrepo\n---\nlegacy\n",
        ),
    ])
}

#[tokio::test]
async fn a_project_gives_the_skills_that_were_recorded() {
    let project = recorded_project();
    let loaded = loaded(project.path()).await;
    assert_eq!(
        names(&loaded.skills),
        [
            "cursorrules",
            "agents",
            "claude",
            "agents:server",
            "pdf",
            "always",
            "deploy",
            "pathy",
            "tasky",
            "legacyrepo"
        ]
    );
    assert_eq!(loaded.warnings, []);
    assert_eq!(
        named(&loaded, "agents").content,
        "# repo rules\nUse tabs.\n"
    );
    let source = |name: &str| named(&loaded, name).source.clone().unwrap();
    assert_eq!(
        source("agents:server"),
        project
            .path()
            .join("server/AGENTS.md")
            .display()
            .to_string()
    );
    let hidden: Vec<&str> = loaded
        .skills
        .iter()
        .filter(|skill| skill.disable_model_invocation)
        .map(|skill| skill.name.as_str())
        .collect();
    assert_eq!(hidden, ["agents:server", "pathy"]);
    let rule = named(&loaded, "agents:server").trigger.clone();
    assert!(matches!(rule, Some(SkillTrigger::Path(rule)) if rule.paths == ["server/**"]));
}

#[tokio::test]
async fn names_are_known_in_any_case_and_the_same_text_is_given_once() {
    let project = with_files(&[
        ("Agents.MD", "rules"),
        ("gemini.md", "rules for gemini"),
        ("readme.md", "x"),
    ]);
    std::os::unix::fs::symlink("Agents.MD", project.path().join("CLAUDE.md")).unwrap();
    let loaded = loaded(project.path()).await;
    assert_eq!(names(&loaded.skills), ["agents", "gemini"]);
}

#[tokio::test]
async fn the_first_directory_wins() {
    let project = with_files(&[
        (".agents/skills/one.md", "from agents"),
        (".openhands/skills/one.md", "from openhands"),
        (".openhands/skills/two.md", "from openhands"),
        (".openhands/microagents/two.md", "from microagents"),
        (".openhands/microagents/three.md", "from microagents"),
    ]);
    let loaded = loaded(project.path()).await;
    let contents: Vec<&str> = loaded
        .skills
        .iter()
        .map(|skill| skill.content.as_str())
        .collect();
    assert_eq!(names(&loaded.skills), ["one", "two", "three"]);
    assert_eq!(
        contents,
        ["from agents", "from openhands", "from microagents"]
    );
    assert_eq!(loaded.warnings, []);
}

#[tokio::test]
async fn the_repository_adds_to_the_working_directory() {
    let project = with_files(&[
        ("AGENTS.md", "of the repository"),
        (".cursorrules", "of the repository"),
        (".agents/skills/shared.md", "of the repository"),
        ("sub/AGENTS.md", "of the directory"),
        ("sub/.agents/skills/shared.md", "of the directory"),
        ("sub/deep/AGENTS.md", "deeper"),
    ]);
    git(project.path(), &["init", "--quiet"]);
    let loaded = loaded(&project.path().join("sub")).await;
    assert_eq!(
        names(&loaded.skills),
        ["agents", "cursorrules", "agents:deep", "shared"]
    );
    assert_eq!(named(&loaded, "agents").content, "of the directory");
    assert_eq!(named(&loaded, "shared").content, "of the directory");
    assert_eq!(named(&loaded, "cursorrules").content, "of the repository");
}

#[tokio::test]
async fn nested_files_that_git_ignores_are_left_out() {
    let project = with_files(&[
        (".gitignore", "vendor/\n"),
        ("vendor/AGENTS.md", "ignored"),
        ("a/agents.md", "untracked"),
        ("b/AGENTS.md", "tracked"),
        ("gone/AGENTS.md", "removed"),
        ("b/CLAUDE.md", "tracked"),
        ("ü x/AGENTS.md", "odd name"),
    ]);
    git(project.path(), &["init", "--quiet"]);
    git(project.path(), &["add", "b", "gone"]);
    std::fs::remove_dir_all(project.path().join("gone")).unwrap();
    let loaded = loaded(project.path()).await;
    assert_eq!(
        names(&loaded.skills),
        ["agents:a", "agents:b", "agents:ü x"]
    );
    assert_eq!(loaded.warnings, []);
}

#[tokio::test]
async fn without_git_the_disk_is_searched() {
    let project = with_files(&[
        ("a/b/AGENTS.md", "nested"),
        ("a/.cursorrules", "nested"),
        (".hidden/AGENTS.md", "hidden"),
        ("node_modules/x/AGENTS.md", "foreign"),
    ]);
    std::os::unix::fs::symlink("..", project.path().join("a/loop")).unwrap();
    let loaded = loaded(project.path()).await;
    assert_eq!(names(&loaded.skills), ["cursorrules:a", "agents:a/b"]);
}

#[tokio::test]
async fn an_unreadable_file_is_reported() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("AGENTS.md"), [0xff]).unwrap();
    let loaded = loaded(project.path()).await;
    assert_eq!(loaded.skills, []);
    assert_eq!(loaded.warnings.len(), 1);
}

#[tokio::test]
async fn a_project_that_is_not_there_has_no_skills() {
    let loaded = loaded(Path::new("/nowhere/at/all")).await;
    assert_eq!((loaded.skills, loaded.warnings), (vec![], vec![]));
}
