use super::*;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

struct Machine {
    directory: tempfile::TempDir,
}

impl Machine {
    fn new(user: Option<&[u8]>, project: Option<&[u8]>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        if let Some(user) = user {
            write(&directory.path().join("home/memory/MEMORY.md"), user);
        }
        if let Some(project) = project {
            write(
                &directory.path().join("ws/.openhands/memory/MEMORY.md"),
                project,
            );
        }
        Self { directory }
    }

    async fn load(&self) -> Option<String> {
        let user = UserMemory {
            persistence: self.directory.path().join("home"),
            shown_as: "~/.openhands".to_owned(),
        };
        let workspace = LocalWorkspace::new(self.directory.path().join("ws"), &[]);
        load(Some(&user), &workspace).await
    }
}

#[tokio::test]
async fn the_user_comes_first_and_the_project_second() {
    let both = Machine::new(Some(b"\nlikes tabs\n"), Some(b"uses make"));
    assert_eq!(
        both.load().await.unwrap(),
        "# User memory (~/.openhands/memory/MEMORY.md)\nlikes tabs\n\n# Project memory (.openhands/memory/MEMORY.md)\nuses make"
    );
    let project = Machine::new(Some(b" \n"), Some(b"uses make"));
    assert_eq!(
        project.load().await.unwrap(),
        "# Project memory (.openhands/memory/MEMORY.md)\nuses make"
    );
    assert_eq!(Machine::new(None, None).load().await, None);
    assert_eq!(Machine::new(Some(&[0xff]), None).load().await, None);
}

#[tokio::test]
async fn what_is_too_long_loses_whole_lines_from_the_top() {
    let lines: Vec<String> = (0..1_000)
        .map(|number| format!("user fact {number}"))
        .collect();
    let lines = lines.join("\n");
    let machine = Machine::new(Some(lines.as_bytes()), Some(b"short"));
    let memory = machine.load().await.unwrap();
    assert!(memory.chars().count() <= MAX_CHARS && memory.chars().count() > MAX_CHARS - 20);
    let mut shown = memory.lines().skip(1);
    assert_eq!(shown.next(), Some(TRUNCATED));
    assert!(shown.next().unwrap().starts_with("user fact "));
    assert!(
        memory.contains("user fact 999\n\n# Project memory (.openhands/memory/MEMORY.md)\nshort")
    );
}

#[test]
fn one_long_line_leaves_the_notice_alone() {
    assert_eq!(without_top(&"x".repeat(100), 50), TRUNCATED);
    assert_eq!(without_top("a\nb", 3), "a\nb");
    let long = format!("{}\nb", "a".repeat(50));
    assert_eq!(
        without_top(&long, TRUNCATED.len() + 2),
        format!("{TRUNCATED}\nb")
    );
    assert_eq!(without_top(&long, TRUNCATED.len() + 1), TRUNCATED);
    assert_eq!(without_top("", 0), "");
}

#[test]
fn characters_are_counted_and_not_bytes() {
    let body = "é".repeat(2_900);
    let tiers = [
        ("# a".to_owned(), body.clone()),
        ("# b".to_owned(), body.clone()),
    ];
    assert_eq!(
        combine(&tiers, MAX_CHARS),
        format!("# a\n{body}\n\n# b\n{body}")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn the_limit_holds_and_only_whole_lines_are_left(
        user in "([a-z\u{e9} ]{0,30}\n){0,300}[a-z]", project in "([a-z\u{e9} ]{0,30}\n){0,300}[a-z]"
    ) {
        let tiers = [("# u".to_owned(), user.clone()), ("# p".to_owned(), project.clone())];
        let memory = combine(&tiers, MAX_CHARS);
        prop_assert!(memory.chars().count() <= MAX_CHARS);
        prop_assert!(user.ends_with(memory.split_once("\n\n# p\n").unwrap().0.lines().last().unwrap()));
        let (_, kept) = memory.split_once("\n# p\n").unwrap();
        let kept = kept.strip_prefix(TRUNCATED).unwrap_or(kept).trim_start_matches('\n');
        let project_text = format!("\n{project}");
        let kept_text = format!("\n{kept}");
        prop_assert!(project_text.ends_with(&kept_text));
    }
}
