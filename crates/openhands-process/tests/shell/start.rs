//! How a shell starts: start-up files of all kinds.

use std::sync::Arc;
use std::time::Duration;

use openhands_process::ShellError;
use pretty_assertions::assert_eq;

use crate::support::{Bench, environment, ran, start};

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

/// Reading it would take memory for nothing. What is set of it is what bash sets when it reads one.
#[tokio::test]
async fn the_users_history_is_not_read() {
    let home = tempfile::tempdir().unwrap();
    let history = home.path().join(".bash_history");
    let line = format!("echo {}\n", "x".repeat(4000));
    std::fs::write(&history, line.repeat(600)).unwrap();
    for (limit, limits) in [(None, "500 500"), (Some("7"), "7 7")] {
        let shell = start(home.path(), "", |config| {
            let limit = limit.map(|limit| ("HISTSIZE".into(), limit.into()));
            let environment = environment(home.path()).into_iter().chain(limit);
            config.environment = Arc::new(environment.collect());
        });
        let bench = Bench {
            shell: shell.await.unwrap(),
            _home: tempfile::tempdir().unwrap(),
            work: home.path().join("work"),
        };
        let heap = r"awk '/\[heap\]/ {on = 1} on && /^Rss:/ {print $2; exit}' /proc/$$/smaps";
        let kilobytes: u64 = bench.run(heap).await.text.parse().unwrap();
        assert!(kilobytes < 1000, "{kilobytes} kB");
        let told = bench
            .run("echo $HISTSIZE $HISTFILESIZE; echo ${HISTFILE##*/}")
            .await;
        assert_eq!(told, ran(&format!("{limits}\n.bash_history"), 0));
    }
    // As every interactive bash does at its start.
    let kept = std::fs::read_to_string(&history).unwrap();
    assert_eq!(kept.lines().count(), 7);
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
