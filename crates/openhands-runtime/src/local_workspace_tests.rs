use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use openhands_process::{Exit, HeadTail};
use openhands_protocol::Secret;
use tokio_util::sync::CancellationToken;

use super::LocalWorkspace;
use crate::workspace::{Entry, EntryKind, Exec, Workspace as _};

fn workspace(root: &Path) -> LocalWorkspace {
    let path = std::env::var("PATH").unwrap();
    LocalWorkspace::new(
        root,
        &[
            ("PATH".to_owned(), path),
            ("SESSION_API_KEY".to_owned(), "hidden".to_owned()),
        ],
    )
}

#[tokio::test]
async fn a_program_gets_its_input_and_variables_and_gives_both_streams() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let mut exec = Exec::shell("cat; echo \"$GREETING${SESSION_API_KEY-}\" >&2; pwd; exit 3");
    exec.stdin = Bytes::from_static(b"in\n");
    exec.env = vec![("GREETING".to_owned(), Secret::new("hello"))];
    let output = workspace
        .exec(exec, CancellationToken::new())
        .await
        .unwrap();
    let root = dir.path().canonicalize().unwrap();
    assert_eq!(output.exit, Some(Exit::Code(3)));
    assert_eq!(output.stderr, b"hello\n");
    assert_eq!(
        output.stdout,
        format!("in\n{}\n", root.display()).into_bytes()
    );
}

#[tokio::test]
async fn more_input_and_output_than_pipes_hold_goes_through() {
    let dir = tempfile::tempdir().unwrap();
    let mut exec = Exec::new(["cat"]);
    exec.stdin = Bytes::from(vec![b'x'; 3 << 20]);
    exec.keep_bytes = 4 << 20;
    let output = workspace(dir.path())
        .exec(exec, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(output.stdout.len(), 3 << 20);
}

#[tokio::test]
async fn a_program_ends_at_its_limit_and_a_daemon_ends_with_its_program() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let begun = Instant::now();
    let mut exec = Exec::shell("echo begun; sleep 600");
    exec.timeout = Duration::from_millis(200);
    let output = workspace
        .exec(exec, CancellationToken::new())
        .await
        .unwrap();
    assert!(output.timed_out && output.exit.is_none());
    assert_eq!(output.stdout, b"begun\n");

    let exec = Exec::shell("sleep 600 & echo $! > daemon.pid; echo done");
    let output = workspace
        .exec(exec, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(output.stdout, b"done\n");
    assert!(begun.elapsed() < Duration::from_mins(5));
    let pid = std::fs::read_to_string(dir.path().join("daemon.pid")).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists());
}

#[tokio::test]
async fn a_missing_program_says_which() {
    let dir = tempfile::tempdir().unwrap();
    let error = workspace(dir.path())
        .exec(Exec::new(["no-such-program"]), CancellationToken::new())
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cannot run no-such-program: "),
        "{error}"
    );
}

#[tokio::test]
async fn files_are_written_with_their_directories_listed_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = workspace(dir.path());
    let path = Path::new("a/b.txt");
    workspace
        .write(path, Bytes::from_static(b"text"))
        .await
        .unwrap();
    assert_eq!(
        workspace.read(path).await.unwrap(),
        Bytes::from_static(b"text")
    );
    let entry = |name: &str, kind| Entry {
        name: name.to_owned(),
        kind,
    };
    assert_eq!(
        workspace.list(Path::new("")).await.unwrap(),
        [entry("a", EntryKind::Directory)]
    );
    assert_eq!(
        workspace.list(Path::new("a")).await.unwrap(),
        [entry("b.txt", EntryKind::File)]
    );
    assert!(
        workspace
            .read(Path::new("c"))
            .await
            .unwrap_err()
            .is_not_found()
    );
    assert!(
        workspace
            .list(Path::new("a/b.txt"))
            .await
            .unwrap_err()
            .is_not_found()
    );
}

#[tokio::test]
async fn what_a_program_left_in_its_pipe_is_taken_before_anybody_was_told_of_it() {
    let (reading, writing) = std::io::pipe().unwrap();
    rustix::io::write(&writing, b"last words").unwrap();
    let reading = std::os::fd::OwnedFd::from(reading);
    rustix::io::ioctl_fionbio(&reading, true).unwrap();
    let pipe = tokio::net::unix::pipe::Receiver::from_owned_fd(reading).unwrap();
    let mut kept = HeadTail::new(64);
    super::take_rest(&pipe, &mut kept);
    assert_eq!(kept.head(), b"last words");
}
