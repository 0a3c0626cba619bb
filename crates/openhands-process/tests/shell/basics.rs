//! Commands that just run: output, exit code, directory, and the state that stays.

use crate::support::{Bench, ran};
use pretty_assertions::assert_eq;

#[tokio::test]
async fn output_and_exit_code() {
    let bench = Bench::new().await;
    assert_eq!(bench.run("echo hello").await, ran("hello", 0));
    assert_eq!(bench.run("true").await, ran("", 0));
    assert_eq!(bench.run("(exit 42)").await, ran("", 42));
    assert_eq!(bench.run("echo e >&2").await, ran("e", 0));
    assert_eq!(
        bench.run("nope_xyz").await,
        ran("bash: nope_xyz: command not found", 127)
    );
    assert_eq!(
        bench.run("if then fi").await,
        ran("bash: syntax error near unexpected token `then'", 2)
    );
    assert_eq!(
        bench.run("bash -c 'kill -KILL $$'").await,
        ran("Killed", 137)
    );
}

#[tokio::test]
async fn the_directory_is_followed() {
    let bench = Bench::new().await;
    let (_, done) = bench.complete("mkdir -p sub && cd sub").await;
    assert_eq!(done.directory, bench.work.join("sub"));
    assert_eq!(
        bench.run("cd nope").await,
        ran("bash: cd: nope: No such file or directory", 1)
    );
    let (text, done) = bench.complete("pwd").await;
    assert_eq!(text, bench.work.join("sub").display().to_string());
    assert_eq!(done.directory, bench.work.join("sub"));
    let (_, done) = bench
        .complete("mkdir $'new\\nline'; cd $'new\\nline'; PWD=/lie")
        .await;
    assert_eq!(done.directory, bench.work.join("sub/new\nline"));
}

#[tokio::test]
async fn state_persists() {
    let bench = Bench::new().await;
    bench
        .run("export FOO=bar; x=5; f() { echo \"f:$1:$x\"; }; alias hi='echo hi there'")
        .await;
    assert_eq!(
        bench.run("echo $FOO; f a; hi").await,
        ran("bar\nf:a:5\nhi there", 0)
    );
    assert_eq!(bench.run("false").await, ran("", 1));
    assert_eq!(bench.run("echo $?").await, ran("1", 0));
    assert_eq!(bench.run("(exit 7)").await, ran("", 7));
    assert_eq!(bench.run("echo $? $?").await, ran("7 7", 0));
}

#[tokio::test]
async fn stdin_and_stdout_are_the_terminal() {
    let bench = Bench::new().await;
    assert_eq!(
        bench
            .run("test -t 0 && test -t 1 && test -t 2 && echo tty; stty size; echo $TERM")
            .await,
        ran("tty\n200 256\nxterm-256color", 0)
    );
    // No descriptor of ours reaches a program.
    assert_eq!(
        bench.run("ls /proc/self/fd | tr '\\n' ' '").await,
        ran("0 1 2 3", 0)
    );
}

#[tokio::test]
async fn jobs_are_announced_as_in_a_terminal() {
    let bench = Bench::new().await;
    let (text, done) = bench.complete("sleep 300 & echo started").await;
    let pid = done.last_background.unwrap();
    assert_eq!(text, format!("[1] {pid}\nstarted"));
    assert_eq!(
        bench.run("kill %1; echo killed").await,
        ran("killed\n[1]+  Terminated              sleep 300", 0)
    );
    assert_eq!(bench.complete("true").await.1.last_background, Some(pid));
}

#[tokio::test]
async fn a_shell_that_exits_comes_back() {
    let bench = Bench::new().await;
    bench.run("cd /; x=1").await;
    let (text, done) = bench.complete("echo a; exit 3").await;
    assert_eq!(
        (text.as_str(), done.exit_code, done.restarted),
        ("a", 3, true)
    );
    assert_eq!(done.directory, bench.work);
    assert_eq!(bench.run("echo alive $x").await, ran("alive", 0));
}
