use std::os::unix::fs::symlink;

use super::*;

#[test]
fn missing_parts_stay_and_dots_go() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    assert_eq!(resolve(&root.join("a/./b/../c")), root.join("a/c"));
}

#[test]
fn dangling_relative_and_chained_links_lead_to_their_target() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    symlink("sub/second", root.join("first")).unwrap();
    symlink("../target.txt", root.join("sub/second")).unwrap();
    assert_eq!(resolve(&root.join("first")), root.join("target.txt"));
}

#[test]
fn a_loop_of_links_is_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    symlink("b", root.join("a")).unwrap();
    symlink("a", root.join("b")).unwrap();
    assert_eq!(resolve(&root.join("a")), root.join("a"));
}

#[test]
fn tidy_prints_paths_as_pathlib_does() {
    for (given, shown) in [
        ("/a//b/./c/", "/a/b/c"),
        ("a.txt", "a.txt"),
        ("./a", "a"),
        ("", "."),
        ("/", "/"),
        ("//x", "//x"),
        ("///x", "/x"),
        ("/a/../b", "/a/../b"),
        ("~/a.txt", "~/a.txt"),
    ] {
        assert_eq!(tidy(given), shown, "{given:?}");
    }
}
