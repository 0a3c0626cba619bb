use std::ffi::OsString;

use pretty_assertions::assert_eq;

use super::*;

fn git() -> Git {
    Git::new(&[("PATH".to_owned(), std::env::var("PATH").unwrap())])
}

#[test]
fn commands_are_shown_as_a_shell_reads_them() {
    let shown = |words: &[&str]| shown(&words.iter().map(OsString::from).collect::<Vec<_>>());
    assert_eq!(
        shown(&["rev-parse", "--verify", "nope^{commit}"]),
        "git --no-pager rev-parse --verify 'nope^{commit}'"
    );
    assert_eq!(
        shown(&["show", "a:it's here", ""]),
        r#"git --no-pager show 'a:it'"'"'s here' ''"#
    );
}

#[tokio::test]
async fn a_machine_without_git_says_so() {
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().to_string_lossy().into_owned();
    let git = Git::new(&[("PATH".to_owned(), path)]);
    let error = git.run(empty.path(), ["version"]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Git command not found. Is git installed?"
    );
}

#[tokio::test]
async fn a_failure_names_the_command() {
    let empty = tempfile::tempdir().unwrap();
    let error = git().run(empty.path(), ["no-such"]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Git command failed: git --no-pager no-such"
    );
}

/// A git of ours that never ends, and that writes its process id first.
fn endless(directory: &Path) -> Git {
    use std::os::unix::fs::PermissionsExt as _;
    let program = directory.join("git");
    let script = format!(
        "#!/bin/sh\necho $$ > {}/pid\nexec sleep 1000\n",
        directory.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap());
    Git::new(&[("PATH".to_owned(), path)])
}

/// Waits until a condition holds; it has ten seconds.
async fn until(mut holds: impl FnMut() -> bool) {
    let deadline = std::time::Instant::now() + Duration::from_secs(10);
    while !holds() {
        assert!(std::time::Instant::now() < deadline, "it did not happen");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_ends_the_process() {
    let directory = tempfile::tempdir().unwrap();
    let git = endless(directory.path());
    let pid_file = directory.path().join("pid");
    let pid = || {
        std::fs::read_to_string(&pid_file)
            .ok()
            .filter(|text| text.ends_with('\n'))
    };
    {
        let mut run = std::pin::pin!(git.run(directory.path(), ["status"]));
        tokio::select! {
            ended = &mut run => panic!("it ended: {ended:?}"),
            () = until(|| pid().is_some()) => {}
        }
    }
    let process = format!("/proc/{}", pid().unwrap().trim());
    until(|| !Path::new(&process).exists()).await;
}

#[tokio::test]
async fn more_than_the_limit_is_not_kept() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("git");
    std::fs::write(&program, "#!/bin/sh\nexec cat /dev/zero\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        directory.path().display(),
        std::env::var("PATH").unwrap()
    );
    let git = Git::new(&[("PATH".to_owned(), path)]);
    let error = git.run(directory.path(), ["status"]).await.unwrap_err();
    assert!(matches!(error, GitError::TooMuch { .. }), "{error}");
}
