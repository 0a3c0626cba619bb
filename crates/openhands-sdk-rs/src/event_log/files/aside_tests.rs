use std::fs;

use super::*;

const MODE: u32 = 0o600;

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
    entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect()
}

#[test]
fn new_contents_get_their_name_once_and_never_that_of_others() {
    let directory = tempfile::tempdir().unwrap();
    let (temporary, event) = (directory.path().join(".next"), directory.path().join("a"));
    let first = write_new(&temporary, b"first", MODE, Force::Later, None).unwrap();
    // On a file system that can do it, nothing is left of contents that get no name.
    if matches!(first, Aside::Unnamed(_)) {
        assert_eq!(names(directory.path()), Vec::<String>::new());
    }
    first.place(&event).unwrap();
    assert_eq!(names(directory.path()), ["a"]);
    let second = write_new(&temporary, b"second", MODE, Force::Now, None).unwrap();
    let error = second.place(&event).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&event).unwrap(), b"first");
    assert_eq!(event.metadata().unwrap().mode() & 0o7777, MODE);
}

#[test]
fn contents_under_a_temporary_name_do_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (temporary, event) = (directory.path().join(".next"), directory.path().join("a"));
    for contents in [&b"first"[..], b"second"] {
        write(&temporary, contents, MODE, Force::Later).unwrap();
        let placed = Aside::Named(temporary.clone()).place(&event);
        assert_eq!(placed.is_ok(), contents == b"first");
    }
    assert_eq!(fs::read(&event).unwrap(), b"first");
}

#[test]
fn where_nothing_can_be_written_the_path_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let gone = directory.path().join("gone/.next");
    let error = write_new(&gone, b"x", MODE, Force::Later, None).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}
