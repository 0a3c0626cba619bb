use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::*;
use crate::file_editor::MAX_FILE_BYTES;

/// An editor on a directory of its own.
struct Fixture {
    editor: FileEditor,
    dir: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self {
            editor: FileEditor::new(dir.path()),
            dir,
        }
    }

    fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let fixture = Self::new();
        fs::write(fixture.path(name), content).unwrap();
        fixture
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).display().to_string()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn run(
        &self,
        command: Command,
        name: &str,
        fill: impl FnOnce(&mut Request),
    ) -> Result<Outcome, String> {
        let mut request = Request::new(command, self.path(name));
        fill(&mut request);
        self.editor
            .run(&request)
            .map_err(|error| error.to_string().replace(&self.path(""), "/"))
    }

    fn view(&self, name: &str, range: &[i64]) -> Result<String, String> {
        let outcome = self.run(Command::View, name, |request| {
            request.view_range = Some(range.to_vec());
        });
        outcome.map(|outcome| outcome.text.replace(&self.path(""), "/"))
    }

    fn replace(&self, name: &str, old: &str, new: &str) -> Result<Outcome, String> {
        self.run(Command::StrReplace, name, |request| {
            request.old_str = Some(old.to_owned());
            request.new_str = Some(new.to_owned());
        })
    }

    fn insert(&self, name: &str, line: i64, text: &str) -> Result<Outcome, String> {
        self.run(Command::Insert, name, |request| {
            request.insert_line = Some(line);
            request.new_str = Some(text.to_owned());
        })
    }

    fn undo(&self, name: &str) -> Result<Outcome, String> {
        self.run(Command::UndoEdit, name, |_| {})
    }
}

#[test]
fn carriage_returns_survive_every_edit_and_the_observation_has_none() {
    let fixture = Fixture::with("a.txt", "one\r\ntwo\r\nthree\r\n");
    let outcome = fixture.replace("a.txt", "two\nthree", "2\n3").unwrap();
    assert_eq!(outcome.old_content.as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!(outcome.new_content.as_deref(), Some("one\n2\n3\n"));
    assert_eq!(fixture.bytes("a.txt"), b"one\r\n2\r\n3\r\n");
    fixture.insert("a.txt", 1, "x\ny").unwrap();
    assert_eq!(fixture.bytes("a.txt"), b"one\r\nx\r\ny\r\n2\r\n3\r\n");
    fixture.undo("a.txt").unwrap();
    fixture.undo("a.txt").unwrap();
    assert_eq!(fixture.bytes("a.txt"), b"one\r\ntwo\r\nthree\r\n");
}

#[test]
fn a_file_of_carriage_returns_can_be_named_with_them() {
    let fixture = Fixture::with("a.txt", "one\r\ntwo\r\n");
    fixture.replace("a.txt", "one\r\ntwo", "1\r\n2").unwrap();
    assert_eq!(fixture.bytes("a.txt"), b"1\r\n2\r\n");
}

#[test]
fn inserting_after_an_unfinished_last_line_finishes_it() {
    let fixture = Fixture::with("a.txt", "x\ny");
    let outcome = fixture.insert("a.txt", 2, "z").unwrap();
    assert_eq!(fixture.bytes("a.txt"), b"x\ny\nz\n");
    assert!(
        outcome.text.contains("     2\ty\n     3\tz\nReview"),
        "{}",
        outcome.text
    );

    let fixture = Fixture::with("b.txt", "x\r\ny");
    fixture.insert("b.txt", 2, "z").unwrap();
    assert_eq!(fixture.bytes("b.txt"), b"x\r\ny\r\nz\r\n");
}

#[test]
fn western_text_keeps_its_letters_and_its_bytes() {
    let fixture = Fixture::with(
        "a.txt",
        b"caf\xE9 na\xEFve fa\xE7ade d\xE9j\xE0 vu\nr\xE9sum\xE9\n",
    );
    let outcome = fixture.replace("a.txt", "résumé", "CV é").unwrap();
    assert_eq!(
        outcome.new_content.as_deref(),
        Some("café naïve façade déjà vu\nCV é\n")
    );
    assert_eq!(
        fixture.bytes("a.txt"),
        b"caf\xE9 na\xEFve fa\xE7ade d\xE9j\xE0 vu\nCV \xE9\n"
    );
}

#[test]
fn editing_through_a_link_edits_its_target_and_undo_works_under_both_names() {
    let fixture = Fixture::with("real.txt", "one\n");
    symlink("real.txt", fixture.path("link.txt")).unwrap();
    let outcome = fixture.replace("link.txt", "one", "two").unwrap();
    assert_eq!(outcome.path, fixture.path("link.txt"));
    assert_eq!(fixture.bytes("real.txt"), b"two\n");
    assert!(
        fs::symlink_metadata(fixture.path("link.txt"))
            .unwrap()
            .is_symlink()
    );
    fixture.undo("real.txt").unwrap();
    assert_eq!(fixture.bytes("link.txt"), b"one\n");
}

#[test]
fn creating_at_a_dangling_link_creates_its_target() {
    let fixture = Fixture::new();
    symlink("target.txt", fixture.path("link.txt")).unwrap();
    let create = |request: &mut Request| request.file_text = Some("x".to_owned());
    fixture.run(Command::Create, "link.txt", create).unwrap();
    assert_eq!(fixture.bytes("target.txt"), b"x");
    assert!(
        fs::symlink_metadata(fixture.path("link.txt"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn the_mode_survives_an_edit_and_an_undo() {
    let fixture = Fixture::with("run.sh", "echo one\n");
    let script = fixture.path("run.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
    fixture.replace("run.sh", "one", "two").unwrap();
    fixture.undo("run.sh").unwrap();
    assert_eq!(
        fs::metadata(&script).unwrap().permissions().mode() & 0o7777,
        0o750
    );
}

#[test]
fn undo_brings_back_the_content_even_after_a_foreign_change() {
    let fixture = Fixture::with("a.txt", "one\n");
    fixture.replace("a.txt", "one", "two").unwrap();
    fs::write(fixture.path("a.txt"), "something else\n").unwrap();
    let outcome = fixture.undo("a.txt").unwrap();
    assert_eq!(outcome.old_content.as_deref(), Some("something else\n"));
    assert_eq!(fixture.bytes("a.txt"), b"one\n");
}

#[test]
fn a_failed_undo_keeps_its_place_in_the_history() {
    let fixture = Fixture::with("a.txt", "one\n");
    fixture.replace("a.txt", "one", "two").unwrap();
    fs::rename(fixture.path("a.txt"), fixture.path("kept")).unwrap();
    assert!(
        fixture
            .undo("a.txt")
            .unwrap_err()
            .contains("does not exist")
    );
    fs::rename(fixture.path("kept"), fixture.path("a.txt")).unwrap();
    fixture.undo("a.txt").unwrap();
    assert_eq!(fixture.bytes("a.txt"), b"one\n");
}

#[test]
fn view_ranges_are_checked_in_order() {
    let fixture = Fixture::with("a.txt", "1\n2\n3\n");
    let refused = |range: &[i64]| fixture.view("a.txt", range).unwrap_err();
    assert_eq!(
        refused(&[1]),
        "Invalid `view_range` parameter: [1]. It should be a list of two integers."
    );
    for first in [0, -1, 4] {
        assert_eq!(
            refused(&[first, 2]),
            format!(
                "Invalid `view_range` parameter: [{first}, 2]. Its first element `{first}` should be within the range of lines of the file: [1, 3]."
            )
        );
    }
    for last in [1, 0, -2] {
        assert_eq!(
            refused(&[2, last]),
            format!(
                "Invalid `view_range` parameter: [2, {last}]. Its second element `{last}` should be greater than or equal to the first element `2`."
            )
        );
    }
    let header = "Here's the result of running `cat -n` on /a.txt:\n";
    assert_eq!(
        fixture.view("a.txt", &[2, 2]),
        Ok(format!("{header}     2\t2\n"))
    );
    assert_eq!(
        fixture.view("a.txt", &[3, i64::MAX]),
        Ok(format!(
            "NOTE: We only show up to 3 since there're only 3 lines in this file.\n{header}     3\t3\n"
        ))
    );
}

#[test]
fn an_empty_last_line_belongs_to_a_range() {
    let fixture = Fixture::with("a.txt", "a\n\n");
    assert!(
        fixture
            .view("a.txt", &[1, 2])
            .unwrap()
            .ends_with("     1\ta\n     2\t\n")
    );
}

#[test]
fn paths_are_shown_tidy_and_must_be_absolute() {
    let fixture = Fixture::with("a.txt", "x\n");
    let run = |path: &str| fixture.editor.run(&Request::new(Command::View, path));
    let outcome = run(&format!("{}/./a.txt/", fixture.path(""))).unwrap();
    assert_eq!(outcome.path, fixture.path("a.txt"));
    for (path, text) in [
        (
            "nope",
            "Invalid `path` parameter: nope. The path should be an absolute path.",
        ),
        (
            "",
            "Invalid `path` parameter: .. The path should be an absolute path. Maybe you meant",
        ),
        (
            "~/x",
            "Invalid `path` parameter: ~/x. The path ~/x does not exist. Please provide a valid path.",
        ),
        (
            " /x",
            "Invalid `path` parameter:  /x. The path  /x does not exist. Please provide a valid path.",
        ),
        (
            "/a\0b",
            "Invalid `path` parameter: /a\0b. The path /a\0b does not exist. Please provide a valid path.",
        ),
    ] {
        assert!(
            run(path).unwrap_err().to_string().starts_with(text),
            "{path}"
        );
    }
}

#[test]
fn creating_at_a_home_relative_path_names_no_place() {
    let fixture = Fixture::new();
    let mut request = Request::new(Command::Create, "~/x.txt");
    request.file_text = Some("x".to_owned());
    let refused = fixture.editor.run(&request).unwrap_err().to_string();
    assert_eq!(
        refused,
        "Ran into [Errno 2] No such file or directory: '~/x.txt' while trying to write to ~/x.txt"
    );
}

#[test]
fn pipes_and_devices_are_refused_instead_of_waiting() {
    let fixture = Fixture::new();
    let pipe = fixture.path("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    assert!(
        fixture
            .view("pipe", &[])
            .unwrap_err()
            .contains("neither a regular file")
    );
    rustix::fs::mknodat(
        rustix::fs::CWD,
        fixture.path("p.png"),
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    assert!(
        fixture
            .view("p.png", &[])
            .unwrap_err()
            .contains("neither a regular file")
    );
    assert!(
        fixture
            .replace("pipe", "a", "b")
            .unwrap_err()
            .contains("neither a regular file")
    );
    let zero = fixture
        .editor
        .run(&Request::new(Command::View, "/dev/zero"))
        .unwrap_err();
    assert!(zero.to_string().contains("neither a regular file"));
}

#[test]
fn files_that_hide_their_length_are_read() {
    let fixture = Fixture::new();
    let shown = fixture
        .editor
        .run(&Request::new(Command::View, "/proc/self/limits"))
        .unwrap();
    assert!(shown.text.contains("Max open files"));
}

#[test]
fn text_with_escapes_is_text_and_zero_bytes_are_not() {
    let fixture = Fixture::with("log.txt", "\u{1b}[31mred\u{1b}[0m\n");
    assert!(fixture.view("log.txt", &[]).is_ok());
    fs::write(fixture.path("a.bin"), b"text\0text").unwrap();
    assert!(
        fixture
            .view("a.bin", &[])
            .unwrap_err()
            .contains("appears to be binary")
    );
    let late = [vec![b'a'; 5000], vec![0]].concat();
    fs::write(fixture.path("late.txt"), late).unwrap();
    assert!(fixture.view("late.txt", &[]).is_ok());
}

#[test]
fn an_edit_that_would_outgrow_the_limit_is_refused_whole() {
    let limit = usize::try_from(MAX_FILE_BYTES).unwrap();
    let fixture = Fixture::with(
        "a.txt",
        [b"needle\n", vec![b'x'; limit - 7].as_slice()].concat(),
    );
    let refused = fixture
        .replace("a.txt", "needle", "longer needle")
        .unwrap_err();
    assert_eq!(
        refused,
        "File validation failed for /a.txt: File is too large (10.0MB). Maximum allowed size is 10MB."
    );
    assert!(fixture.bytes("a.txt").starts_with(b"needle\n"));
    fixture.replace("a.txt", "needle", "n").unwrap();
}

#[test]
fn many_occurrences_are_counted_but_not_all_listed() {
    let fixture = Fixture::with("a.txt", "x\n".repeat(5000));
    let refused = fixture.replace("a.txt", "x", "y").unwrap_err();
    assert!(refused.contains("[1, 2, 3, "), "{refused}");
    assert!(refused.contains(", 1000, and 4000 more]. Please ensure it is unique."));
}

#[test]
fn nothing_matches_everywhere_but_once_in_an_empty_file() {
    let fixture = Fixture::with("a.txt", "ab\n");
    assert_eq!(
        fixture.replace("a.txt", "", "x").unwrap_err(),
        "No replacement was performed. Multiple occurrences of old_str `` in lines [1, 2]. Please ensure it is unique."
    );
    fs::write(fixture.path("empty"), "").unwrap();
    fixture.replace("empty", "", "x").unwrap();
    assert_eq!(fixture.bytes("empty"), b"x");
}

#[test]
fn a_directory_view_follows_links_and_hides_hidden_names() {
    let fixture = Fixture::new();
    for dir in ["d/sub/deep", "d/.git", "real"] {
        fs::create_dir_all(fixture.path(dir)).unwrap();
    }
    for file in [
        "d/a.txt",
        "d/sub/f",
        "d/sub/.hidden",
        "d/sub/deep/unseen",
        "real/inside",
    ] {
        fs::write(fixture.path(file), "").unwrap();
    }
    symlink("../real", fixture.path("d/zlink")).unwrap();
    symlink("nowhere", fixture.path("d/dangling")).unwrap();
    assert_eq!(
        fixture.view("d", &[]).unwrap(),
        "Here's the files and directories up to 2 levels deep in /d, excluding hidden items:\n\
         /d/\n/d/a.txt\n/d/dangling\n/d/sub/\n/d/sub/deep/\n/d/sub/f\n/d/zlink/\n/d/zlink/inside\n\n\
         1 hidden files/directories in this directory are excluded. You can use 'ls -la /d' to see them."
    );
}

#[test]
fn the_older_dialect_says_what_absolute_means() {
    let fixture = Fixture::with("e.py", "a = 1\nb = 2\nc = 3\n");
    let editor = FileEditor::new(fixture.dir.path()).with_dialect(Dialect::V0);
    let refused = editor
        .run(&Request::new(Command::View, "e.py"))
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "Invalid `path` parameter: e.py. The path should be an absolute path, starting with `/`. Maybe you meant {}?",
            fixture.path("e.py")
        )
    );
    let mut request = Request::new(Command::StrReplace, fixture.path("e.py"));
    request.old_str = Some("b = 2".to_owned());
    request.new_str = Some("b = 20".to_owned());
    let text = editor.run(&request).unwrap().text;
    assert!(
        text.contains("     1\ta = 1\n     2\tb = 20\n     3\tc = 3\n     4\t\nReview"),
        "{text}"
    );
}

#[test]
fn the_older_dialect_shows_no_images() {
    let fixture = Fixture::new();
    fs::write(fixture.path("p.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    let editor = FileEditor::new(fixture.dir.path()).with_dialect(Dialect::V0);
    let refused = editor
        .run(&Request::new(Command::View, fixture.path("p.png")))
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "File validation failed for {}: File appears to be binary and this file type cannot be read or edited by this tool.",
            fixture.path("p.png")
        )
    );
}

#[test]
fn parallel_edits_of_one_file_lose_nothing() {
    let fixture = Fixture::with("a.txt", "");
    symlink("a.txt", fixture.path("b.txt")).unwrap();
    std::thread::scope(|scope| {
        for name in ["a.txt", "b.txt"] {
            let fixture = &fixture;
            scope.spawn(move || {
                for _ in 0..50 {
                    fixture.insert(name, 0, name).unwrap();
                }
            });
        }
    });
    assert_eq!(fixture.bytes("a.txt").len(), 100 * "a.txt\n".len());
}

fn any_text() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(prop_oneof![
        Just(String::new()),
        "\\PC{0,8}",
        "[a\r\n\t ]{0,5}"
    ])
}

#[test]
fn a_way_back_out_of_a_missing_directory_is_no_way() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.path("inner")).unwrap();
    let refused = fixture
        .run(Command::Create, "inner/missing/../../a.txt", |request| {
            request.file_text = Some("x".to_owned());
        })
        .unwrap_err();
    assert!(
        refused.starts_with("Ran into [Errno 2] No such file or directory: "),
        "{refused}"
    );
    assert!(!Path::new(&fixture.path("a.txt")).exists());
}

#[test]
fn the_suggested_path_is_written_plainly() {
    let fixture = Fixture::new();
    for given in ["", ".", "./"] {
        let refused = fixture
            .editor
            .run(&Request::new(Command::View, given))
            .unwrap_err()
            .to_string();
        assert_eq!(
            refused,
            format!(
                "Invalid `path` parameter: .. The path should be an absolute path. Maybe you meant {}?",
                fixture.dir.path().display()
            )
        );
    }
}

proptest! {
    /// Whatever is asked of whatever file: an answer or an error, never a panic, and a failed command changes nothing.
    #[test]
    fn arbitrary_commands_never_panic(
        content in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), b'a'..b'c'], 0..80),
        command in prop::sample::select(&[
            Command::View, Command::Create, Command::StrReplace, Command::Insert, Command::UndoEdit,
        ][..]),
        path in prop_oneof![4 => Just("a.txt".to_owned()), 1 => "\\PC{0,6}"],
        texts in (any_text(), any_text(), any_text()),
        insert_line in proptest::option::of(prop_oneof![-2i64..9, any::<i64>()]),
        view_range in proptest::option::of(prop::collection::vec(prop_oneof![-2i64..9, any::<i64>()], 0..4)),
    ) {
        let fixture = Fixture::with("a.txt", &content);
        let result = fixture.run(command, &path, |request| {
            (request.file_text, request.old_str, request.new_str) = texts;
            request.insert_line = insert_line;
            request.view_range = view_range;
        });
        if path == "a.txt" && (result.is_err() || command == Command::View) {
            prop_assert_eq!(fixture.bytes("a.txt"), content);
        }
    }

    /// A replacement, seen from outside: the file is the old file with one piece exchanged, and undo restores it.
    #[test]
    fn a_replacement_changes_its_piece_only(
        before in "[a-z\né漢 ]{0,30}", old in "[A-Z][A-Za-z\né]{0,9}", after in "[a-z\né漢 ]{0,30}", new in "[a-z\né漢]{0,10}",
    ) {
        let fixture = Fixture::with("a.txt", [before.as_str(), &old, &after].concat());
        fixture.replace("a.txt", &old, &new).unwrap();
        prop_assert_eq!(fixture.bytes("a.txt"), [before.as_str(), &new, &after].concat().into_bytes());
        fixture.undo("a.txt").unwrap();
        prop_assert_eq!(fixture.bytes("a.txt"), [before.as_str(), &old, &after].concat().into_bytes());
    }
}

#[test]
fn lines_are_replaced_and_the_edit_can_be_undone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    let shown = path.to_str().unwrap();
    fs::write(&path, "1\n2\n3\n4").unwrap();
    let editor = FileEditor::new(dir.path());
    let now = || fs::read_to_string(&path).unwrap();

    editor.replace_lines(shown, 2, 3, "two\nthree").unwrap();
    assert_eq!(now(), "1\ntwo\nthree\n4");
    editor.replace_lines(shown, 5, -1, "five").unwrap();
    assert_eq!(now(), "1\ntwo\nthree\n4\nfive");
    editor.replace_lines(shown, 1, 2, "").unwrap();
    assert_eq!(now(), "three\n4\nfive");
    editor.run(&Request::new(Command::UndoEdit, shown)).unwrap();
    assert_eq!(now(), "1\ntwo\nthree\n4\nfive");

    for (first, last) in [(0, 1), (2, 9), (7, 7), (4, 2), (-3, 2)] {
        assert!(
            editor.replace_lines(shown, first, last, "x").is_err(),
            "{first} {last}"
        );
    }
    assert_eq!(now(), "1\ntwo\nthree\n4\nfive");
}
