use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use pretty_assertions::assert_eq;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::{GlobError, glob, split_absolute};
use crate::search::stop::{SEARCH_LIMIT, Stop, Stopped};

fn tree(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for path in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    dir
}

fn stop() -> Stop {
    Stop::new(SEARCH_LIMIT, CancellationToken::new())
}

fn found(root: &Path, pattern: &str) -> Vec<String> {
    let mut names: Vec<String> = glob(pattern, root, &stop())
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
fn finds_files_by_path_and_not_directories() {
    let dir = tree(&[
        "src/a.py",
        "src/deep/c.txt",
        "README.md",
        ".hidden/h.py",
        "src/.dot.py",
        "x.py/inside",
    ]);
    assert_eq!(found(dir.path(), "*.py"), ["src/a.py"]);
    assert_eq!(found(dir.path(), "src/*"), ["src/a.py"]);
    assert_eq!(found(dir.path(), "src/**"), ["src/a.py", "src/deep/c.txt"]);
    assert_eq!(
        found(dir.path(), "*.{md,txt}"),
        ["README.md", "src/deep/c.txt"]
    );
    assert_eq!(found(dir.path(), ".hidden/*"), [".hidden/h.py"]);
    assert_eq!(found(dir.path(), ".*"), ["src/.dot.py"]);
    assert_eq!(found(dir.path(), "src"), Vec::<String>::new());
    assert_eq!(
        found(dir.path(), "!*.py"),
        ["README.md", "src/deep/c.txt", "x.py/inside"]
    );
}

#[test]
fn ignored_files_are_found() {
    let dir = tree(&[".git/HEAD", "build/out.txt", "a.log"]);
    fs::write(dir.path().join(".gitignore"), "build/\n*.log\n").unwrap();
    assert_eq!(found(dir.path(), "*"), ["a.log", "build/out.txt"]);
}

#[test]
fn links_to_files_are_listed_and_loops_do_no_harm() {
    let dir = tree(&["real/a.txt"]);
    symlink("real/a.txt", dir.path().join("link.txt")).unwrap();
    symlink("nowhere", dir.path().join("dangling.txt")).unwrap();
    symlink("..", dir.path().join("real/up")).unwrap();
    symlink("real", dir.path().join("linked")).unwrap();
    assert_eq!(found(dir.path(), "*.txt"), ["link.txt", "real/a.txt"]);
    assert_eq!(found(dir.path(), "linked/*.txt"), ["linked/a.txt"]);
    assert_eq!(found(dir.path(), "linked/**/*.txt"), ["linked/a.txt"]);
}

#[test]
fn absolute_patterns_begin_with_a_directory() {
    let split = |pattern| {
        split_absolute(pattern).map(|(dir, rest)| (dir.to_str().unwrap().to_owned(), rest))
    };
    let pair = |dir: &str, rest: &str| Some((dir.to_owned(), rest.to_owned()));
    assert_eq!(split("/path/to/**/*.py"), pair("/path/to", "**/*.py"));
    assert_eq!(split("/path/*.py"), pair("/path", "*.py"));
    assert_eq!(split("/*/x.py"), pair("/", "*/x.py"));
    assert_eq!(split("/path//to/./dir"), pair("/path/to/dir", "**/*"));
    assert_eq!(split("/a/{b,c}/d.py"), pair("/a", "{b,c}/d.py"));
    assert_eq!(split("/a/{b/x,c}/d.py"), pair("/a", "{b/x,c}/d.py"));
    assert_eq!(split("/a/{b}/*.py"), pair("/a/{b}", "*.py"));
    assert_eq!(split("src/*.py"), None);
}

#[test]
fn a_cancelled_or_exploding_search_says_so() {
    let dir = tree(&["a"]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = glob("*", dir.path(), &Stop::new(SEARCH_LIMIT, cancel));
    assert!(matches!(
        outcome,
        Err(GlobError::Stopped(Stopped::Cancelled))
    ));
    let outcome = glob(&"{a,b}".repeat(30), dir.path(), &stop());
    assert!(matches!(outcome, Err(GlobError::Pattern(_))));
}

#[test]
fn names_that_are_not_utf8_do_not_stop_a_search() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tree(&["a.txt"]);
    let odd = PathBuf::from(std::ffi::OsStr::from_bytes(b"\xff.txt"));
    fs::write(dir.path().join(&odd), "x").unwrap();
    let found = glob("*.txt", dir.path(), &stop()).unwrap();
    assert_eq!(found.files.len(), 2);
}
