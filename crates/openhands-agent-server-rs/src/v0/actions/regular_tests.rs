use super::*;

fn pipe(directory: &Path) -> std::path::PathBuf {
    let pipe = directory.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    pipe
}

#[test]
fn what_has_no_end_is_not_read() {
    let directory = tempfile::tempdir().unwrap();
    let socket = directory.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    for special in [
        pipe(directory.path()),
        socket,
        link,
        "/dev/zero".into(),
        "/dev/../dev/null".into(),
    ] {
        let refused = bytes(&special);
        assert!(matches!(refused, Err(Unread::Special)), "{special:?}");
        assert!(matches!(open(&special), Err(Unread::Special)));
    }
    let Err(Unread::Io(failed)) = bytes(directory.path()) else {
        panic!();
    };
    assert_eq!(failed.kind(), io::ErrorKind::IsADirectory);
}

#[test]
fn files_are_read_up_to_a_limit() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "h\u{e9}").unwrap();
    assert_eq!(text(&file).unwrap(), "h\u{e9}");
    // It says that it is empty.
    assert!(!text(Path::new("/proc/self/status")).unwrap().is_empty());
    fs::write(&file, b"\xff").unwrap();
    let Err(Unread::Io(failed)) = text(&file) else {
        panic!();
    };
    assert_eq!(failed.kind(), io::ErrorKind::InvalidData);
    File::create(&file).unwrap().set_len(MAX_BYTES + 1).unwrap();
    assert!(matches!(bytes(&file), Err(Unread::TooLarge)));
}
