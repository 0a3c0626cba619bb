//! How a shell starts: start-up files of all kinds.

use std::time::Duration;

use openhands_process::ShellError;
use pretty_assertions::assert_eq;

use crate::support::{Bench, ran, start};

#[tokio::test]
async fn start_up_files_are_read_and_do_not_show() {
    let bench = Bench::with(
        "echo hello; PS1='me> '; PROMPT_COMMAND='echo pc'; export FROM_RC=yes; alias l='echo l'; trap 'echo t' USR1\nsleep 0.1 &\nread -t 0.05 x\nset -u\n",
        |_| {},
    )
    .await;
    assert_eq!(bench.run("echo $FROM_RC; l").await, ran("yes\nl\npc", 0));
    bench.run("PROMPT_COMMAND=").await;
    let shown = bench.run("kill -USR1 $$; echo $-").await.text;
    assert!(shown.starts_with("t\n") && shown.contains('u'), "{shown}");
}

#[tokio::test]
async fn a_slow_start_is_waited_for() {
    let bench = Bench::with("sleep 1.5; x=set\n", |_| {}).await;
    assert_eq!(bench.run("echo $x").await, ran("set", 0));
}

#[tokio::test]
async fn a_start_that_fails_says_why() {
    let home = tempfile::tempdir().unwrap();
    let error = start(home.path(), "echo no way; exit 7\n", |_| {})
        .await
        .unwrap_err();
    let ShellError::StartupExited { exit, output } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(exit.shell_code(), 7);
    assert!(output.contains("no way"), "{output}");

    let error = start(home.path(), "exec sleep 100\n", |config| {
        config.startup_timeout = Duration::from_millis(500);
    })
    .await
    .unwrap_err();
    assert!(error.to_string().contains("`sleep` is running"), "{error}");

    let error = start(home.path(), "", |config| {
        config.directory = "/does/not/exist".into();
    })
    .await
    .unwrap_err();
    assert!(matches!(error, ShellError::Start(_)), "{error:?}");
    let error = start(home.path(), "", |config| {
        config.bash = "/does/not/exist".into();
    })
    .await
    .unwrap_err();
    assert!(matches!(error, ShellError::Start(_)), "{error:?}");
}

#[tokio::test]
async fn no_history_is_kept() {
    let bench = Bench::with("set -o history\n", |_| {}).await;
    bench.run("echo in history").await;
    assert_eq!(bench.run("history").await, ran("", 0));
    bench.complete("exit").await;
    assert!(!bench.work.join("../.bash_history").exists());
}

#[tokio::test]
async fn a_reset_clears_everything() {
    let bench = Bench::new().await;
    bench.run("export A=1; cd /").await;
    bench.until("echo on; sleep 300", "on").await;
    bench.shell.reset().await.unwrap();
    assert!(!bench.shell.is_running());
    assert_eq!(
        bench.run("echo A=$A; pwd").await.text,
        format!("A=\n{}", bench.work.display())
    );
    bench.shell.close().await;
    assert!(matches!(
        bench.shell.run("true", &[]).await,
        Err(ShellError::Closed)
    ));
}

#[tokio::test]
async fn the_niceness_is_set() {
    let bench = Bench::with("", |config| config.nice = 5).await;
    let own: i32 = String::from_utf8(std::process::Command::new("nice").output().unwrap().stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert_eq!(bench.run("nice").await, ran(&(own + 5).to_string(), 0));
}
