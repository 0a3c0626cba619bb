use super::*;
use openhands_protocol::skills::SkillTrigger;
use openhands_runtime::LocalWorkspace;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use tempfile::TempDir;

/// A directory with files in it.
fn with_files(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    directory
}

async fn loaded(directory: &TempDir) -> Loaded {
    let workspace = LocalWorkspace::new("/", &[]);
    load(&workspace, directory.path(), directory.path(), &[]).await
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded
        .skills
        .iter()
        .map(|skill| skill.name.as_str())
        .collect()
}

fn problems(loaded: &Loaded) -> String {
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    warnings.join("\n")
}

#[tokio::test]
async fn plain_files_are_named_by_their_path_or_themselves() {
    let directory = with_files(&[
        ("always.md", "Always."),
        ("deep/er/rule.md", "---\npaths: '*.py'\n---\nRule."),
        ("named.md", "---\nname: other\ntriggers: [x]\n---\nNamed."),
        ("number.md", "---\nname: 7\n---\nSeven."),
        ("dotted.name.md", "Dots."),
        ("README.md", "About."),
        ("notes.txt", "No skill."),
        ("UPPER.MD", "No skill."),
        ("node_modules/x.md", "No skill."),
        ("deep/er/skill.md", "Not at its place."),
    ]);
    let loaded = loaded(&directory).await;
    assert_eq!(
        names(&loaded),
        ["always", "dotted.name", "7", "deep/er/rule", "other"]
    );
    assert_eq!(loaded.warnings, []);
    let always = &loaded.skills[0];
    assert_eq!(
        (always.content.as_str(), &always.trigger),
        ("Always.", &None)
    );
    assert_eq!(
        always.source,
        Some(directory.path().join("always.md").display().to_string())
    );
    assert!(!always.is_agentskills_format);
}

#[tokio::test]
async fn a_skill_md_brings_its_directory_along() {
    let directory = with_files(&[
        (
            "pdf-tools/SKILL.md",
            "---\nname: pdf-tools\ndescription: PDFs\ntriggers: [pdf]\n---\nRead it.\n",
        ),
        (
            "pdf-tools/.mcp.json",
            "{\"mcpServers\": {\"pdf\": {\"command\": \"${SKILL_ROOT}/serve\"}}}",
        ),
        ("pdf-tools/scripts/a.py", ""),
        ("pdf-tools/scripts/lib/b.py", ""),
        ("pdf-tools/references/guide.md", "No skill of its own."),
        ("pdf-tools/other.md", "No skill of its own."),
        ("bare/skill.MD", "No head."),
    ]);
    let loaded = loaded(&directory).await;
    assert_eq!(names(&loaded), ["bare", "pdf-tools"]);
    assert_eq!(loaded.warnings, []);
    let bare = &loaded.skills[0];
    assert!(bare.is_agentskills_format && bare.trigger.is_none() && bare.resources.is_none());
    let pdf = &loaded.skills[1];
    assert!(
        matches!(&pdf.trigger, Some(SkillTrigger::Keyword(words)) if words.keywords == ["pdf"])
    );
    let root = directory.path().join("pdf-tools").display().to_string();
    assert_eq!(
        pdf.mcp_tools.as_ref().unwrap()["pdf"].command,
        Some(format!("{root}/serve"))
    );
    let resources = pdf.resources.as_ref().unwrap();
    assert_eq!(resources.skill_root, root);
    assert_eq!(resources.scripts, ["a.py", "lib/b.py"]);
    assert_eq!(resources.references, ["guide.md"]);
    assert!(resources.assets.is_empty());
}

#[tokio::test]
async fn bad_files_are_reported_and_the_others_load() {
    let directory = with_files(&[
        ("good.md", "Good."),
        ("yaml.md", "---\nname: [\n---\n"),
        ("types.md", "---\ntriggers: one\n---\n"),
        ("Upper/SKILL.md", "x"),
        ("other/SKILL.md", "---\nname: another\n---\n"),
        ("double--hyphen/SKILL.md", "x"),
        ("servers/SKILL.md", "x"),
        ("servers/.mcp.json", "{"),
        ("fine/SKILL.md", "Fine."),
        ("huge.md", &"x".repeat(files::MAX_FILE_BYTES + 1)),
    ]);
    std::fs::write(directory.path().join("binary.md"), [0xff, 0xfe, 0x00]).unwrap();
    std::fs::create_dir(directory.path().join("directory.md")).unwrap();
    std::os::unix::fs::symlink("nowhere", directory.path().join("dangling.md")).unwrap();
    let loaded = loaded(&directory).await;
    assert_eq!(names(&loaded), ["good", "fine"]);
    let problems = problems(&loaded);
    for expected in [
        "yaml.md: the front matter is not valid YAML",
        "types.md: 'triggers' must be a list of texts",
        "Upper/SKILL.md: invalid skill name 'Upper': it must be lower-case",
        "other/SKILL.md: invalid skill name 'another': its directory is named 'other'",
        "double--hyphen/SKILL.md: invalid skill name",
        "servers/SKILL.md: invalid MCP configuration",
        "huge.md: the file has 1048577 bytes",
        "binary.md: the file is not valid UTF-8",
    ] {
        assert!(
            problems.contains(expected),
            "{expected:?} is missing in\n{problems}"
        );
    }
    assert_eq!(loaded.warnings.len(), 8, "{problems}");
}

#[tokio::test]
async fn names_of_64_characters_are_the_longest() {
    let (long, longer) = ("a".repeat(64), "b".repeat(65));
    let directory = with_files(&[
        (&format!("{long}/SKILL.md"), "x"),
        (&format!("{longer}/SKILL.md"), "x"),
    ]);
    let loaded = loaded(&directory).await;
    assert_eq!(names(&loaded), [long.as_str()]);
    assert!(problems(&loaded).contains("more than 64 characters"));
}

#[tokio::test]
async fn of_two_with_one_name_the_first_is_taken() {
    let directory = with_files(&[
        ("a.md", "---\nname: same\n---\nFirst."),
        ("b.md", "---\nname: same\n---\nSecond."),
    ]);
    let loaded = loaded(&directory).await;
    assert_eq!(loaded.skills.len(), 1);
    assert_eq!(loaded.skills[0].content, "First.");
    assert!(problems(&loaded).ends_with("b.md: this directory has another skill named 'same'"));
}

#[tokio::test]
async fn a_link_in_a_circle_ends() {
    let directory = with_files(&[
        ("a.md", "Text."),
        ("sub/b.md", "---\ntriggers: [b]\n---\nB."),
    ]);
    std::os::unix::fs::symlink(directory.path(), directory.path().join("sub/loop")).unwrap();
    let loaded = loaded(&directory).await;
    assert_eq!(names(&loaded), ["a", "sub/b"]);
}

#[tokio::test]
async fn a_linked_skill_directory_is_followed() {
    let real = with_files(&[("SKILL.md", "Linked.")]);
    let directory = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(real.path(), directory.path().join("linked")).unwrap();
    let loaded = loaded(&directory).await;
    assert_eq!(names(&loaded), ["linked"]);
}

#[tokio::test]
async fn too_many_files_are_cut_with_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..=MAX_FILES {
        std::fs::write(
            directory.path().join(format!("{number:05}.md")),
            format!("{number}"),
        )
        .unwrap();
    }
    let loaded = loaded(&directory).await;
    assert_eq!(loaded.skills.len(), MAX_FILES);
    assert!(problems(&loaded).ends_with("too many files below it: the rest is left out"));
}

#[tokio::test]
async fn a_directory_that_is_not_there_is_empty() {
    let workspace = LocalWorkspace::new("/", &[]);
    let nowhere = Path::new("/nowhere/at/all");
    assert_eq!(
        load(&workspace, nowhere, nowhere, &[]).await,
        Loaded::default()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_content_makes_loading_fail(
        plain in prop::collection::vec(any::<u8>(), 0..200),
        head in "[a-z\\-]{0,12}: ?[\\PC\\n]{0,60}",
        servers in "[{}\"a-zA-Z:,\\[\\] 0-9]{0,60}",
    ) {
        let directory = with_files(&[
            ("good.md", "Good."),
            ("head.md", &format!("---\n{head}\n---\nBody")),
            ("skill/SKILL.md", &format!("---\n{head}\n---\nBody")),
            ("skill/.mcp.json", &servers),
        ]);
        std::fs::write(directory.path().join("plain.md"), &plain).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let loaded = runtime.block_on(loaded(&directory));
        prop_assert!(names(&loaded).contains(&"good"));
        prop_assert!(loaded.skills.len() + loaded.warnings.len() >= 4, "{:?}", loaded);
    }
}
