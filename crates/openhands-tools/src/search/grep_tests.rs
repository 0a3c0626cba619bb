use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{GrepError, GrepQuery, grep};
use crate::search::stop::{SEARCH_LIMIT, Stop, Stopped};

fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

/// Names of the files found below `root`, sorted: most tests do not care about time.
fn found(root: &Path, pattern: &str, include: Option<&str>) -> Vec<String> {
    let query = GrepQuery {
        pattern,
        root,
        include,
    };
    let stop = Stop::new(SEARCH_LIMIT, CancellationToken::new());
    let mut names: Vec<String> = grep(query, &stop)
        .unwrap()
        .files
        .iter()
        .map(|file| {
            file.strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn look_around_references_and_plain_dashes_work() {
    let dir = tree(&[
        ("a.txt", b"foo(bar)\nx -foo y\n"),
        ("b.txt", b"say 'x' and \"y\"\n"),
        ("c.txt", b"foo bar\nhello hello\n"),
    ]);
    assert_eq!(found(dir.path(), r"foo(?=\(bar)", None), ["a.txt"]);
    assert_eq!(found(dir.path(), r"(?<!-)foo\b", None), ["a.txt", "c.txt"]);
    assert_eq!(found(dir.path(), r"(\w+) \1", None), ["c.txt"]);
    assert_eq!(found(dir.path(), "-foo", None), ["a.txt"]);
    assert_eq!(found(dir.path(), "--", None), Vec::<String>::new());
    assert_eq!(found(dir.path(), "HELLO (?=HELLO)", None), ["c.txt"]);
}

#[test]
fn anchors_are_those_of_lines_and_a_named_break_spans_them() {
    let dir = tree(&[("a", b"one\ntwo\nthree"), ("b", b"two one\n"), ("c", b"")]);
    assert_eq!(found(dir.path(), "^two$", None), ["a"]);
    assert_eq!(found(dir.path(), r"one\ntwo", None), ["a"]);
    assert_eq!(found(dir.path(), r"one\s+two", None), Vec::<String>::new());
    assert_eq!(found(dir.path(), r"\Atwo", None), ["b"]);
    assert_eq!(found(dir.path(), r"three\Z", None), ["a"]);
    assert_eq!(found(dir.path(), r"one\n(?=two)", None), ["a"]);
    assert_eq!(found(dir.path(), "", None), ["a", "b"]);
}

#[test]
fn binary_files_are_skipped_also_when_the_match_comes_first() {
    let dir = tree(&[
        ("nul-after", b"needle\n\0\0"),
        ("nul-before", b"\0\nneedle\n"),
        ("latin1", b"caf\xe9 needle\n"),
        ("utf16", b"\xff\xfen\0e\0e\0d\0l\0e\0\n\0"),
    ]);
    assert_eq!(found(dir.path(), "needle", None), ["latin1", "utf16"]);
    assert_eq!(found(dir.path(), "needle(?!x)", None), ["latin1", "utf16"]);
}

#[test]
fn ignore_files_count_inside_a_repository_only() {
    let files: [(&str, &[u8]); 6] = [
        (".gitignore", b"ignored.txt\nbuild/\n"),
        ("ignored.txt", b"word"),
        ("kept.txt", b"word"),
        ("build/out.txt", b"word"),
        ("sub/ignored.txt", b"word"),
        ("sub/.gitignore", b"!ignored.txt\n"),
    ];
    let plain = tree(&files);
    let all = [
        "build/out.txt",
        "ignored.txt",
        "kept.txt",
        "sub/ignored.txt",
    ];
    assert_eq!(found(plain.path(), "word", None), all);

    let repository = tree(&files);
    fs::create_dir(repository.path().join(".git")).unwrap();
    assert_eq!(
        found(repository.path(), "word", None),
        ["kept.txt", "sub/ignored.txt"]
    );
    let below = repository.path().join("sub");
    assert_eq!(found(&below, "word", None), ["ignored.txt"]);
}

#[test]
fn include_names_files_on_purpose() {
    let dir = tree(&[
        (".git/HEAD", b"word"),
        (".gitignore", b"*.log\nbuild/\n"),
        ("a.log", b"word"),
        ("a.py", b"word"),
        (".env", b"word"),
        (".hidden/h.py", b"word"),
        ("build/b.py", b"word"),
        ("sub/a.py", b"word"),
        ("x{1}.py", b"word"),
        ("!b.py", b"word"),
    ]);
    let with = |include| found(dir.path(), "word", Some(include));
    assert_eq!(with("*.py"), ["!b.py", "a.py", "sub/a.py", "x{1}.py"]);
    assert_eq!(with("*.log"), ["a.log"]);
    assert_eq!(with(".env"), [".env"]);
    assert_eq!(with("sub/*.py"), Vec::<String>::new());
    assert_eq!(with("*.{py,log}"), Vec::<String>::new());
    assert_eq!(with("x{1}.*"), ["x{1}.py"]);
    assert_eq!(with("!b.py"), ["!b.py"]);
    assert_eq!(with("[ab].py"), ["a.py", "sub/a.py"]);
    assert_eq!(
        with("*"),
        [
            "!b.py",
            ".env",
            "a.log",
            "a.py",
            "build/b.py",
            "sub/a.py",
            "x{1}.py"
        ]
    );
    assert_eq!(
        found(dir.path(), "word", None),
        ["!b.py", "a.py", "sub/a.py", "x{1}.py"]
    );
}

#[test]
fn a_hidden_directory_can_be_searched_by_naming_it() {
    let dir = tree(&[(".hidden/a", b"word"), (".hidden/.b", b"word")]);
    assert_eq!(found(&dir.path().join(".hidden"), "word", None), ["a"]);
    assert_eq!(
        found(&dir.path().join(".hidden"), "word", Some("*")),
        [".b", "a"]
    );
}

#[test]
fn links_loops_pipes_and_closed_files_are_passed_over() {
    let dir = tree(&[("real/a", b"word"), ("closed", b"word")]);
    symlink("..", dir.path().join("real/loop")).unwrap();
    symlink("real/a", dir.path().join("link")).unwrap();
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(dir.path().join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    fs::set_permissions(dir.path().join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
    let closed_to_us = fs::read(dir.path().join("closed")).is_err();
    let expected: &[&str] = if closed_to_us {
        &["real/a"]
    } else {
        &["closed", "real/a"]
    };
    assert_eq!(found(dir.path(), "word", None), expected);
}

#[test]
fn wrong_patterns_are_told_in_pythons_words() {
    let dir = tree(&[]);
    let query = GrepQuery {
        pattern: "foo(",
        root: dir.path(),
        include: None,
    };
    let error = grep(query, &Stop::new(SEARCH_LIMIT, CancellationToken::new())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Invalid regex pattern: missing ), unterminated subpattern at position 3"
    );
    let query = GrepQuery {
        pattern: r"(\w{1000}){1000}",
        ..query
    };
    let error = grep(query, &Stop::new(SEARCH_LIMIT, CancellationToken::new())).unwrap_err();
    assert!(matches!(error, GrepError::Pattern(_)), "{error}");
}

#[test]
fn a_cancelled_search_ends_without_a_result() {
    let dir = tree(&[("a", b"word")]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let query = GrepQuery {
        pattern: "word",
        root: dir.path(),
        include: None,
    };
    let outcome = grep(query, &Stop::new(SEARCH_LIMIT, cancel));
    assert!(matches!(
        outcome,
        Err(GrepError::Stopped(Stopped::Cancelled))
    ));
}

/// One huge file and a pattern that backtracks at every line: neither may outlive the limit by much.
#[test]
fn a_runaway_search_ends_at_its_deadline() {
    let slow_line = format!("{}\n", "a".repeat(28));
    let dir = tree(&[("slow", slow_line.repeat(200_000).as_bytes())]);
    let limit = Duration::from_millis(200);
    let query = GrepQuery {
        pattern: r"^(a+)+(?=b)",
        root: dir.path(),
        include: None,
    };
    let began = Instant::now();
    let outcome = grep(query, &Stop::new(limit, CancellationToken::new()));
    assert!(matches!(
        outcome,
        Err(GrepError::Stopped(Stopped::TimedOut(_)))
    ));
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}
