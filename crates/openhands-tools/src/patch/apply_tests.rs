use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::{ApplyError, Change, apply_patch, decode_error};

fn workspace(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

fn apply(dir: &TempDir, body: &str) -> Result<u64, String> {
    let text = format!("*** Begin Patch\n{body}\n*** End Patch");
    apply_patch(dir.path(), &text)
        .map(|applied| applied.fuzz)
        .map_err(|error| error.to_string())
}

fn content(dir: &TempDir, path: &str) -> Option<String> {
    fs::read_to_string(dir.path().join(path)).ok()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Every file below the workspace, so that nothing left behind goes unseen.
fn listing(dir: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = ignore::WalkBuilder::new(dir.path())
        .standard_filters(false)
        .build()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .strip_prefix(dir.path())
                .unwrap()
                .display()
                .to_string()
        })
        .filter(|name| !name.is_empty())
        .collect();
    names.sort();
    names
}

#[test]
fn line_breaks_marks_and_modes_survive() {
    let dir = workspace(&[
        ("crlf", "a\r\nb\r\nc\r\n"),
        ("mark", "\u{feff}a\nb\n"),
        ("run.sh", "echo 1\n"),
    ]);
    fs::set_permissions(dir.path().join("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    let body = "*** Update File: crlf\n@@\n-b\n+B\n+B2\n*** Update File: mark\n@@\n-a\n+A\n*** Update File: run.sh\n@@\n-echo 1\n+echo 2";
    assert_eq!(apply(&dir, body), Ok(0));
    assert_eq!(
        content(&dir, "crlf").as_deref(),
        Some("a\r\nB\r\nB2\r\nc\r\n")
    );
    assert_eq!(content(&dir, "mark").as_deref(), Some("\u{feff}A\nb\n"));
    assert_eq!(content(&dir, "run.sh").as_deref(), Some("echo 2\n"));
    assert_eq!(mode(&dir.path().join("run.sh")), 0o750);
}

#[test]
fn a_moved_file_keeps_its_mode_and_takes_the_changes_along() {
    let dir = workspace(&[("bin/run", "a\r\n"), ("old", "target\n")]);
    fs::set_permissions(
        dir.path().join("bin/run"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    assert_eq!(
        apply(
            &dir,
            "*** Update File: bin/run\n*** Move to: new/dir/run\n@@\n-a\n+b"
        ),
        Ok(0)
    );
    assert_eq!(content(&dir, "new/dir/run").as_deref(), Some("b\r\n"));
    assert_eq!(mode(&dir.path().join("new/dir/run")), 0o755);
    assert_eq!(content(&dir, "bin/run"), None);
    // Onto an existing file, and onto itself.
    assert_eq!(
        apply(&dir, "*** Update File: new/dir/run\n*** Move to: old"),
        Ok(0)
    );
    assert_eq!(content(&dir, "old").as_deref(), Some("b\r\n"));
    assert_eq!(
        apply(&dir, "*** Update File: old\n*** Move to: ./old\n@@\n-b\n+c"),
        Ok(0)
    );
    assert_eq!(content(&dir, "old").as_deref(), Some("c\r\n"));
}

#[test]
fn the_report_has_plain_line_feeds() {
    let dir = workspace(&[("a", "x\r\ny\r\n")]);
    let applied = apply_patch(
        dir.path(),
        "*** Begin Patch\n*** Update File: a\n@@\n-y\n+z\n*** End Patch",
    )
    .unwrap();
    let expected = Change::Updated {
        old: "x\ny\n".into(),
        new: "x\nz\n".into(),
        move_path: String::new(),
    };
    assert_eq!(applied.changes.get("a"), Some(&expected));
}

#[test]
fn nothing_outside_of_the_workspace_is_touched() {
    let outside = workspace(&[("secret", "s\n"), ("dir/x", "x\n")]);
    let dir = workspace(&[("a", "a\n")]);
    symlink(outside.path().join("secret"), dir.path().join("link")).unwrap();
    symlink(outside.path().join("dir"), dir.path().join("linked")).unwrap();
    symlink(outside.path().join("new"), dir.path().join("dangling")).unwrap();
    let refused = Err("Absolute or escaping paths are not allowed".to_owned());
    let absolute = outside.path().join("secret").display().to_string();
    for body in [
        format!("*** Add File: {absolute}\n+x"),
        format!("*** Delete File: {absolute}"),
        "*** Add File: ../escaped\n+x".to_owned(),
        "*** Update File: link\n@@\n-s\n+t".to_owned(),
        "*** Delete File: link".to_owned(),
        "*** Add File: linked/new\n+x".to_owned(),
        "*** Delete File: linked/x".to_owned(),
        "*** Add File: dangling\n+x".to_owned(),
        "*** Update File: a\n*** Move to: linked/a".to_owned(),
        "*** Update File: a\n@@\n-a\n+b\n*** Add File: ../late\n+x".to_owned(),
    ] {
        assert_eq!(apply(&dir, &body), refused, "{body}");
    }
    assert_eq!(content(&outside, "secret").as_deref(), Some("s\n"));
    assert_eq!(listing(&outside), ["dir", "dir/x", "secret"]);
    assert_eq!(content(&dir, "a").as_deref(), Some("a\n"));
}

#[test]
fn links_inside_are_written_through_and_deleted_as_links() {
    let dir = workspace(&[("real", "a\n")]);
    symlink("real", dir.path().join("link")).unwrap();
    assert_eq!(apply(&dir, "*** Update File: link\n@@\n-a\n+b"), Ok(0));
    assert_eq!(content(&dir, "real").as_deref(), Some("b\n"));
    assert!(dir.path().join("link").is_symlink());
    assert_eq!(apply(&dir, "*** Delete File: link"), Ok(0));
    assert_eq!(listing(&dir), ["real"]);
}

#[test]
fn what_cannot_be_read_is_told_and_nothing_waits() {
    let dir = workspace(&[("sub/x", "x")]);
    fs::write(dir.path().join("latin"), b"caf\xe9\nb\n").unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(dir.path().join("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let real = dir.path().canonicalize().unwrap();
    let file_error = |body: &str| {
        let text = format!("*** Begin Patch\n{body}\n*** End Patch");
        match apply_patch(dir.path(), &text) {
            Err(ApplyError::File(problem)) => problem,
            other => panic!("unexpected {other:?}"),
        }
    };
    assert_eq!(
        file_error("*** Update File: latin\n@@\n-b\n+B"),
        "'utf-8' codec can't decode byte 0xe9 in position 3: invalid continuation byte"
    );
    let is_directory = format!("[Errno 21] Is a directory: '{}/sub'", real.display());
    assert_eq!(file_error("*** Delete File: sub"), is_directory);
    assert_eq!(file_error("*** Add File: sub\n+x"), is_directory);
    assert!(file_error("*** Update File: pipe\n@@\n-b\n+B").starts_with("Not a regular file"));
    assert!(file_error("*** Add File: pipe\n+x").starts_with("Not a regular file"));
    let missing = apply(
        &dir,
        "*** Update File: nope\n@@\n-a\n+b\n*** Update File: latin",
    );
    assert_eq!(missing, Err("Delete File Error: Missing File: nope".into()));
}

/// A file stands where a directory is needed: the last write fails after all others were done.
#[test]
fn a_write_that_fails_takes_everything_back() {
    let dir = workspace(&[
        ("a", "a\r\n"),
        ("gone", "g\n"),
        ("moved", "m\n"),
        ("file", "f"),
    ]);
    fs::set_permissions(dir.path().join("gone"), fs::Permissions::from_mode(0o640)).unwrap();
    let before = listing(&dir);
    let body = "*** Update File: a\n@@\n-a\n+b\n*** Add File: new/deep/n\n+n\n*** Delete File: gone\n\
                *** Update File: moved\n*** Move to: elsewhere/m\n*** Add File: file/child\n+x";
    let error = apply(&dir, body).unwrap_err();
    assert!(error.ends_with("Nothing was changed."), "{error}");
    assert_eq!(listing(&dir), before);
    assert_eq!(content(&dir, "a").as_deref(), Some("a\r\n"));
    assert_eq!(content(&dir, "gone").as_deref(), Some("g\n"));
    assert_eq!(mode(&dir.path().join("gone")), 0o640);
    assert_eq!(content(&dir, "moved").as_deref(), Some("m\n"));
}

#[test]
fn a_patch_that_worked_leaves_nothing_behind() {
    let dir = workspace(&[("a", "a\n"), ("b", "b\n")]);
    assert_eq!(
        apply(
            &dir,
            "*** Delete File: a\n*** Update File: b\n*** Move to: a"
        ),
        Ok(0)
    );
    assert_eq!(listing(&dir), ["a"]);
    assert_eq!(content(&dir, "a").as_deref(), Some("b\n"));
}

/// The messages were read off CPython.
#[test]
fn decoding_fails_in_pythons_words() {
    let cases: [(&[u8], &str); 6] = [
        (
            b"a\xff",
            "'utf-8' codec can't decode byte 0xff in position 1: invalid start byte",
        ),
        (
            b"\x80",
            "'utf-8' codec can't decode byte 0x80 in position 0: invalid start byte",
        ),
        (
            b"\xc0\x80",
            "'utf-8' codec can't decode byte 0xc0 in position 0: invalid start byte",
        ),
        (
            b"ab\xe2\x82",
            "'utf-8' codec can't decode bytes in position 2-3: unexpected end of data",
        ),
        (
            b"\xe2",
            "'utf-8' codec can't decode byte 0xe2 in position 0: unexpected end of data",
        ),
        (
            b"\xe2\x82x",
            "'utf-8' codec can't decode bytes in position 0-1: invalid continuation byte",
        ),
    ];
    for (bytes, expected) in cases {
        let error = std::str::from_utf8(bytes).unwrap_err();
        assert_eq!(decode_error(bytes, error), expected);
    }
}
