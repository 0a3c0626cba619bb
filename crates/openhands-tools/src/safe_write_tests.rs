use std::os::unix::fs::symlink;

use super::*;

fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn a_new_file_gets_the_usual_mode_and_leaves_no_temporary_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    let usual = dir.path().join("usual");
    fs::write(&usual, "").unwrap();
    write_file(&file, b"hello").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"hello");
    assert_eq!(
        fs::metadata(&file).unwrap().mode(),
        fs::metadata(&usual).unwrap().mode()
    );
    assert_eq!(names_in(dir.path()), ["a.txt", "usual"]);
}

#[test]
fn mode_bits_survive() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.sh");
    for mode in [0o755, 0o640, 0o600, 0o444, 0o4755, 0o2751] {
        let _ = fs::remove_file(&file);
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        write_file(&file, b"new").unwrap();
        assert_eq!(
            fs::metadata(&file).unwrap().mode() & PERMISSION_BITS,
            mode,
            "{mode:o}"
        );
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }
}

#[test]
fn owner_and_group_survive() {
    if !is_root() {
        eprintln!("skipped: needs root to give a file away");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::chown(&file, Some(1234), Some(4321)).unwrap();
    write_file(&file, b"new").unwrap();
    let after = fs::metadata(&file).unwrap();
    assert_eq!((after.uid(), after.gid()), (1234, 4321));
}

#[test]
fn extended_attributes_survive() {
    let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let file = dir.path().join("a.txt");
    fs::write(&file, "old").unwrap();
    if rustix::fs::setxattr(&file, "user.note", b"kept", XattrFlags::empty()).is_err() {
        eprintln!("skipped: no extended attributes on this file system");
        return;
    }
    write_file(&file, b"new").unwrap();
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&file, "user.note", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"kept");
}

#[test]
fn links_stay_links_and_their_target_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("real.txt"), "old").unwrap();
    symlink("../real.txt", root.join("sub/relative")).unwrap();
    symlink("sub/relative", root.join("chained")).unwrap();
    symlink(root.join("chained"), root.join("absolute")).unwrap();
    for link in ["sub/relative", "chained", "absolute"] {
        write_file(&root.join(link), link.as_bytes()).unwrap();
        assert!(
            fs::symlink_metadata(root.join(link)).unwrap().is_symlink(),
            "{link}"
        );
        assert_eq!(fs::read_to_string(root.join("real.txt")).unwrap(), link);
    }
}

#[test]
fn a_dangling_link_creates_its_target() {
    let dir = tempfile::tempdir().unwrap();
    symlink("later.txt", dir.path().join("link")).unwrap();
    write_file(&dir.path().join("link"), b"x").unwrap();
    assert_eq!(fs::read(dir.path().join("later.txt")).unwrap(), b"x");
    assert!(
        fs::symlink_metadata(dir.path().join("link"))
            .unwrap()
            .is_symlink()
    );

    symlink("missing/later.txt", dir.path().join("lost")).unwrap();
    let error = write_file(&dir.path().join("lost"), b"x").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn another_hard_link_keeps_the_old_content() {
    let dir = tempfile::tempdir().unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    fs::write(&one, "old").unwrap();
    fs::hard_link(&one, &two).unwrap();
    write_file(&one, b"new").unwrap();
    assert_eq!(fs::read(&one).unwrap(), b"new");
    assert_eq!(fs::read(&two).unwrap(), b"old");
}

#[test]
fn a_failing_write_leaves_the_old_file_and_no_temporary_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    fs::write(&file, "precious").unwrap();
    let before = fs::metadata(&file).unwrap();
    let error = replace(&file, Some(&before), |aside| {
        aside.write_all(b"half of")?;
        Err(Errno::NOSPC.into())
    })
    .unwrap_err();
    assert_eq!(error.to_string(), "[Errno 28] No space left on device");
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    assert_eq!(names_in(dir.path()), ["a.txt"]);
}

#[test]
fn a_failing_overwrite_in_place_puts_the_old_bytes_back() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    fs::write(&file, "precious").unwrap();
    let half_way = |file: &File| {
        file.write_all_at(b"half of the new text", 0)?;
        Err(Errno::IO.into())
    };
    let error = overwrite_in_place(&file, half_way, 100).unwrap_err();
    assert_eq!(error.to_string(), "[Errno 5] Input/output error");
    assert_eq!(fs::read(&file).unwrap(), b"precious");
}

#[test]
fn overwriting_in_place_can_grow_and_shrink() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    fs::write(&file, "middle").unwrap();
    for text in ["much longer than before", "s", ""] {
        overwrite_in_place(&file, |f| f.write_all_at(text.as_bytes(), 0), text.len()).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_name_at_the_limit_works_and_one_beyond_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let longest = dir.path().join("n".repeat(MAX_NAME_BYTES));
    write_file(&longest, b"x").unwrap();
    write_file(&longest, b"y").unwrap();
    assert_eq!(fs::read(&longest).unwrap(), b"y");
    let error = write_file(&dir.path().join("n".repeat(MAX_NAME_BYTES + 1)), b"x").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("[Errno 36] File name too long"),
        "{error}"
    );
    assert_eq!(names_in(dir.path()).len(), 1);
}

#[test]
fn a_directory_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let error = write_file(dir.path(), b"x").unwrap_err();
    assert!(
        error.to_string().starts_with("[Errno 21] Is a directory"),
        "{error}"
    );
}

#[test]
fn a_missing_directory_names_the_temporary_file() {
    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let error = write_file(&root.join("no/a.txt"), b"x")
        .unwrap_err()
        .to_string();
    let start = format!(
        "[Errno 2] No such file or directory: '{}/no/.a.txt.",
        root.display()
    );
    assert!(
        error.starts_with(&start) && error.ends_with(".tmp'"),
        "{error}"
    );
}

/// Runs `act` without root's powers: on a thread of its own that gives them up, when the tests run as root.
fn unprivileged<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                if is_root() {
                    let (user, group) = (Uid::from_raw(65534), Gid::from_raw(65534));
                    rustix::thread::set_thread_res_gid(group, group, group).unwrap();
                    rustix::thread::set_thread_res_uid(user, user, user).unwrap();
                }
                act()
            })
            .join()
            .unwrap()
    })
}

/// A directory that everybody can reach, with one file.
fn reachable(dir_mode: u32, file_mode: u32) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(file_mode)).unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(dir_mode)).unwrap();
    (dir, file)
}

#[test]
fn a_writable_file_in_a_closed_directory_is_written_in_place() {
    let (dir, file) = reachable(0o555, 0o666);
    let inode = fs::metadata(&file).unwrap().ino();
    unprivileged(|| write_file(&file, b"new and longer")).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new and longer");
    assert_eq!(fs::metadata(&file).unwrap().ino(), inode);
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn no_permission_at_all_is_an_error_and_changes_nothing() {
    let (dir, file) = reachable(0o555, 0o444);
    let error = unprivileged(|| write_file(&file, b"new")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert!(
        error
            .to_string()
            .starts_with("[Errno 13] Permission denied: '"),
        "{error}"
    );
    assert_eq!(fs::read(&file).unwrap(), b"old");
    let error = unprivileged(|| write_file(&dir.path().join("b.txt"), b"new")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert_eq!(names_in(dir.path()), ["a.txt"]);
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_file_whose_owner_could_not_be_kept_is_written_in_place() {
    if !is_root() {
        eprintln!("skipped: needs a file of another user");
        return;
    }
    let (dir, file) = reachable(0o777, 0o666);
    unprivileged(|| write_file(&file, b"new")).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(fs::metadata(&file).unwrap().uid(), 0);
    assert_eq!(names_in(dir.path()), ["a.txt"]);
}

#[test]
fn a_link_that_leads_to_itself_is_not_turned_into_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("loop");
    std::os::unix::fs::symlink("loop", &link).unwrap();
    let error = write_file(&link, b"new").unwrap_err().to_string();
    assert!(
        error.starts_with("[Errno 40] Too many levels of symbolic links: '"),
        "{error}"
    );
    assert!(link.is_symlink());
    assert_eq!(names_in(dir.path()), ["loop"]);
}

#[test]
fn a_stream_takes_the_name_only_when_it_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("f", &link).unwrap();
    let broken = write_file_with(&link, |file| {
        file.write_all(b"half")?;
        Err(io::ErrorKind::UnexpectedEof.into())
    });
    assert_eq!(broken.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    write_file_with(&link, |file| file.write_all(b"new")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o640);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn neither_way_of_writing_replaces_a_device() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    assert!(write_file_with(&pipe, |file| file.write_all(b"x")).is_err());
    let refused = write_file(&pipe, b"x").unwrap_err().to_string();
    assert!(refused.starts_with("[Errno 19] "), "{refused}");
    assert!(!fs::metadata(&pipe).unwrap().is_file());
}
