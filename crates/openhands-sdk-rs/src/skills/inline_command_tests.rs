use super::*;
use openhands_runtime::LocalWorkspace;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::sync::LazyLock;

fn joined(text: &str) -> String {
    let pieces = pieces(text).into_iter().map(|piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Command(command) => format!("<{command}>"),
    });
    pieces.collect()
}

#[test]
fn commands_are_told_from_code() {
    for (text, expected) in [
        ("", ""),
        ("plain", "plain"),
        ("a !`date` b", "a <date> b"),
        ("!`a`!`b`", "<a><b>"),
        ("`code` !`run`", "`code` <run>"),
        ("`!` !`run`", "`!` <run>"),
        ("```\n!`no`\n``` !`yes`", "```\n!`no`\n``` <yes>"),
        ("!`yes` ```\n!`no`", "<yes> ```\n!`no`"),
        ("\\!`no` !`yes`", "!`no` <yes>"),
        ("\\!`a`\\!`b`", "!`a`!`b`"),
        ("!`two\nlines`", "<two\nlines>"),
        ("!`open", "!`open"),
        ("!`` x", "!`` x"),
        ("a`b!`c`", "a`b!`c`"),
        ("é!`ü`é", "é<ü>é"),
        ("!!`a`", "!<a>"),
    ] {
        assert_eq!(joined(text), expected, "{text:?}");
    }
}

static TOKEN: LazyLock<fancy_regex::Regex> = LazyLock::new(|| {
    fancy_regex::Regex::new(
        r"(?s)(?<f>```.*?(?:```|\z))|\\(?<e>!`[^`]+`)|(?<!!)(?<i>`[^`]+`)|!`(?<c>[^`]+)`",
    )
    .unwrap()
});

proptest! {
    #[test]
    fn pieces_agree_with_a_regular_expression(text in "[`!a\\\\\\n]{0,24}") {
        let expected = TOKEN.replace_all(&text, |found: &fancy_regex::Captures<'_>| {
            match found.name("c") {
                Some(command) => format!("<{}>", command.as_str()),
                None => ["f", "e", "i"].iter().find_map(|name| found.name(name)).unwrap().as_str().to_owned(),
            }
        });
        prop_assert_eq!(joined(&text), expected.into_owned());
    }

    #[test]
    fn any_text_comes_apart(text in "\\PC{0,80}") {
        pieces(&text);
    }
}

async fn rendered(text: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("here"), "").unwrap();
    let workspace = LocalWorkspace::new(
        directory.path(),
        &[("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
    );
    render(text, &workspace, &CancellationToken::new())
        .await
        .unwrap()
}

#[tokio::test]
async fn commands_run_in_the_workspace() {
    assert_eq!(
        rendered("Files: !`ls`. Sum: !`echo $((1+2))`").await,
        "Files: here. Sum: 3"
    );
}

#[tokio::test]
async fn a_failure_is_part_of_the_text() {
    assert_eq!(
        rendered("!`echo no >&2; exit 3`").await,
        "[Error: Command `echo no >&2; exit 3` exited with code 3: no\n]"
    );
    assert_eq!(
        rendered("!`kill -9 $$`").await,
        "[Error: Command `kill -9 $$` exited with code -9: ]"
    );
}

#[tokio::test]
async fn long_output_is_cut() {
    let text = rendered("!`yes é | head -c 150000`").await;
    assert!(text.ends_with("\n... [output truncated]"));
    assert!(text.len() <= MAX_OUTPUT_BYTES + 32 && text.len() > MAX_OUTPUT_BYTES - 8);
}

#[tokio::test]
async fn only_so_many_commands_run() {
    let text = rendered(&"!`echo x`".repeat(MAX_COMMANDS + 1)).await;
    assert!(text.starts_with(&"x".repeat(MAX_COMMANDS)));
    assert!(text.ends_with("was not run: a skill may run 32 commands]"));
}

#[tokio::test]
async fn a_cancelled_rendering_gives_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = LocalWorkspace::new(
        directory.path(),
        &[("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
    );
    let cancel = CancellationToken::new();
    let started = directory.path().join("started");
    let (text, ()) = tokio::join!(
        render("!`touch started; sleep 600`", &workspace, &cancel),
        async {
            while !started.exists() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cancel.cancel();
        }
    );
    assert_eq!(text, None);
}

#[test]
fn a_command_that_takes_too_long_says_so() {
    let output = ExecOutput {
        exit: None,
        timed_out: true,
        stdout: vec![],
        stderr: vec![],
    };
    assert_eq!(
        shown("sleep 60", Ok(output)),
        "[Error: Command `sleep 60` timed out after 10.0s]"
    );
}
