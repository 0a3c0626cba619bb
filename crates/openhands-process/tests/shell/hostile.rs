//! Whatever a user does to the shell, it keeps working, and what drives it does not show.

use crate::support::{Bench, FAR, ran};
use openhands_process::{Outcome, Wait};
use pretty_assertions::assert_eq;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Runs each command, then looks whether the shell still does what it must.
async fn survives(commands: &[&str]) {
    let bench = Bench::new().await;
    for command in commands {
        bench.run(command).await;
    }
    assert_eq!(
        bench.run("echo fine; (exit 5)").await,
        ran("fine", 5),
        "{commands:?}"
    );
    let (_, done) = bench.complete("cd /").await;
    assert_eq!(
        (done.exit_code, done.directory.to_str(), done.restarted),
        (0, Some("/"), false),
        "{commands:?}"
    );
}

#[tokio::test]
async fn options_and_names_of_all_kinds() {
    for commands in [
        &["set -u"][..],
        &["set -o noclobber"],
        &["set -o posix"],
        &["set -f; shopt -s nullglob failglob extglob dotglob"],
        &["IFS=", "IFS=0123456789abcdef"],
        &["set -k"],
        &["set -a"],
        &["set -T; set -E"],
        &["set -b"],
        &["set -o pipefail"],
        &[
            "shopt -s expand_aliases; alias builtin=false eval=false printf=false command=false unset=false",
        ],
        &[
            "eval() { echo mine; }; printf() { echo mine; }; command() { echo mine; }; unset() { echo mine; }; return() { :; }",
        ],
        &["unset -f __oh_report __oh_report_all; __oh_report() { :; }"],
        &["readonly PS1=stay"],
        &["unset PWD PS1 PS2 PS4 IFS PATH_X PIPESTATUS HOME"],
        &[
            "trap : DEBUG",
            "trap : ERR",
            "trap : RETURN",
            "trap : INT",
            "trap : CHLD",
        ],
        &["trap '' INT TERM QUIT TSTP"],
        &["stty raw -echo; stty sane"],
        &["exec 3>&1 4>&2 10>/dev/null 11>/dev/null; exec 3>&- 10>&-"],
        &["BASH_ENV=/nope; ENV=/nope; SHELLOPTS=x"],
        &["LANG=C; LC_ALL=C", "LC_ALL=de_DE.UTF-8 true"],
        &["enable -n test; hash -r; ulimit -c 0"],
    ] {
        survives(commands).await;
    }
}

#[tokio::test]
async fn a_deleted_directory_is_no_trouble() {
    let bench = Bench::new().await;
    let (_, done) = bench.complete("mkdir gone; cd gone; rmdir ../gone").await;
    assert_eq!(
        (done.exit_code, done.directory),
        (0, bench.work.join("gone"))
    );
    assert_eq!(bench.run("echo still").await, ran("still", 0));
}

#[tokio::test]
async fn redirected_output_does_not_reach_the_terminal_and_the_end_is_known() {
    let bench = Bench::new().await;
    assert_eq!(bench.run("exec 5>&1 >file 2>&1").await, ran("", 0));
    assert_eq!(bench.run("echo hidden; nope_xyz").await, ran("", 127));
    assert_eq!(bench.run("exec >&5 2>&1 5>&-").await, ran("", 0));
    assert_eq!(
        bench.run("cat file").await,
        ran("hidden\nbash: nope_xyz: command not found", 0)
    );
}

#[tokio::test]
async fn a_trace_shows_the_command_and_nothing_else() {
    let bench = Bench::new().await;
    assert_eq!(
        bench.run("set -x; echo t; set +x").await,
        ran("+ echo t\nt\n+ set +x", 0)
    );
    assert_eq!(bench.run("set -x").await, ran("", 0));
    assert_eq!(bench.run("echo one").await, ran("+ echo one\none", 0));
    assert_eq!(bench.run("(exit 3)").await, ran("+ exit 3", 3));
    assert_eq!(bench.run("echo $?").await, ran("+ echo 3\n3", 0));
    assert_eq!(bench.run("set +x").await, ran("+ set +x", 0));
    assert_eq!(bench.run("f() { set -x; }; f").await, ran("", 0));
    assert_eq!(bench.run("set +x 2>/dev/null").await.code, 0);
    assert_eq!(bench.run("echo quiet").await, ran("quiet", 0));
}

#[tokio::test]
async fn verbose_input_does_not_show_our_lines() {
    let bench = Bench::new().await;
    bench.run("set -v").await;
    let shown = bench.run("echo one").await.text;
    assert!(!shown.contains("__oh") && shown.ends_with("one"), "{shown}");
    bench.run("set +v").await;
    assert_eq!(bench.run("echo two").await, ran("two", 0));
}

#[tokio::test]
async fn an_error_stops_the_shell_only_where_bash_would() {
    let bench = Bench::new().await;
    assert_eq!(bench.run("set -e").await, ran("", 0));
    assert_eq!(bench.run("[ -f nope ] && echo x").await, ran("", 1));
    assert_eq!(bench.run("! true").await, ran("", 1));
    assert_eq!(bench.run("echo $?; false || true").await, ran("1", 0));
    let (text, done) = bench.complete("echo a; false; echo b").await;
    assert_eq!(
        (text.as_str(), done.exit_code, done.restarted),
        ("a", 1, true)
    );
}

#[tokio::test]
async fn traps_fire_once() {
    let bench = Bench::new().await;
    bench.run("trap 'echo caught' ERR").await;
    assert_eq!(bench.run("false").await, ran("caught", 1));
    assert_eq!(bench.run("true").await, ran("", 0));
    bench.run("trap - ERR; trap 'echo bye' EXIT").await;
    let (text, done) = bench.complete("exit 4").await;
    assert_eq!(
        (text.as_str(), done.exit_code, done.restarted),
        ("bye", 4, true)
    );
}

#[tokio::test]
async fn prompts_never_show_and_prompt_command_runs_once_for_each_command() {
    let bench = Bench::new().await;
    assert_eq!(bench.run("export PS1='X> '").await, ran("", 0));
    assert_eq!(bench.run("echo still").await, ran("still", 0));
    bench
        .run("PROMPT_COMMAND='PS1=\"$(pwd)> \"; n=$((n+1)); echo pc'")
        .await;
    assert_eq!(bench.run("n=0; true").await, ran("pc", 0));
    assert_eq!(bench.run("(exit 3)").await, ran("pc", 3));
    assert_eq!(
        bench
            .run("echo $n $PROMPT_COMMAND")
            .await
            .text
            .lines()
            .next()
            .unwrap(),
        "2 PS1=\"$(pwd)> \"; n=$((n+1)); echo pc"
    );
    bench.run("PROMPT_COMMAND=('echo a$?' 'echo b')").await;
    assert_eq!(bench.run("(exit 3)").await, ran("a3\nb", 3));
    bench.run("unset PROMPT_COMMAND").await;
    assert_eq!(bench.run("echo quiet").await, ran("quiet", 0));
    bench.run("readonly PS1='ro> '").await;
    assert_eq!(bench.run("echo quiet").await, ran("quiet", 0));
}

#[tokio::test]
async fn the_status_of_pipes_is_remembered() {
    let bench = Bench::new().await;
    assert_eq!(bench.run("false | true | false").await, ran("", 1));
    assert_eq!(bench.run("echo ${PIPESTATUS[@]}").await, ran("1 0 1", 0));
}

#[tokio::test]
async fn a_broken_eval_does_not_break_the_shell() {
    let bench = Bench::new().await;
    bench.run("f() { eval 'echo \"abc'; }").await;
    for command in ["eval 'echo \"abc'", "f", "eval 'if true'", "eval 'for'"] {
        assert_ne!(bench.run(command).await.code, 0, "{command}");
        assert_eq!(bench.run("echo ok").await, ran("ok", 0), "{command}");
    }
}

#[tokio::test]
async fn every_way_to_lose_the_shell_brings_a_fresh_one() {
    let bench = Bench::new().await;
    for (command, text, code) in [
        ("exit", "", 0),
        ("exit 3", "", 3),
        ("echo a; exec echo b", "a\nb", 0),
        (
            "exec nope_xyz; echo c",
            "bash: exec: nope_xyz: not found\nc",
            0,
        ),
        ("kill -9 $$", "", 137),
        ("kill -HUP $$", "", 129),
        ("set -e; false", "", 1),
        ("sleep 300 & exit 6", "", 6),
    ] {
        let (shown, done) = bench.complete(command).await;
        assert_eq!(done.exit_code, code, "{command}");
        assert_eq!(done.restarted, !command.contains("nope"), "{command}");
        if !command.contains('&') {
            assert_eq!(shown, text, "{command}");
        }
        assert_eq!(bench.run("echo alive").await, ran("alive", 0));
    }
}

#[tokio::test]
async fn a_shell_that_dies_while_nothing_runs_is_revived_and_its_code_is_told() {
    let bench = Bench::new().await;
    assert_eq!(bench.shell.revive().await.unwrap(), None);
    let pid = bench.run("echo $$").await.text;
    let killed = std::process::Command::new("kill")
        .args(["-9", &pid])
        .status();
    assert!(killed.unwrap().success());
    let revived = async {
        loop {
            if let Some(code) = bench.shell.revive().await.unwrap() {
                return code;
            }
            tokio::task::yield_now().await;
        }
    };
    assert_eq!(tokio::time::timeout(FAR, revived).await, Ok(137));
    assert_eq!(bench.shell.revive().await.unwrap(), None);
    assert_eq!(bench.run("echo alive").await, ran("alive", 0));
}

#[tokio::test]
async fn a_limit_beyond_all_times_is_none() {
    let bench = Bench::new().await;
    bench.shell.run("echo a", &[]).await.unwrap();
    let limits = Wait {
        soft: Some(Duration::MAX),
        hard: Some(Duration::MAX),
    };
    let waiting = bench.shell.wait(limits, &CancellationToken::new()).await;
    assert!(matches!(waiting, Ok(Outcome::Completed(_))), "{waiting:?}");
}

#[tokio::test]
async fn jobs_end_with_their_shell() {
    let bench = Bench::new().await;
    let daemon =
        "setsid sh -c 'echo $$ >pid.new; mv pid.new pid; exec sleep 300' & sleep 300 & disown";
    bench
        .run(&format!("{daemon}; until [ -s pid ]; do sleep 0.01; done"))
        .await;
    let pid = std::fs::read_to_string(bench.work.join("pid")).unwrap();
    let process = std::path::Path::new("/proc").join(pid.trim());
    assert!(process.exists());
    bench.complete("exit 0").await;
    assert!(!process.exists());
}

#[tokio::test]
async fn the_end_of_a_job_is_told_with_the_next_command() {
    let bench = Bench::new().await;
    bench.run("sleep 0.05 &").await;
    let done = "[1]+  Done                    sleep 0.05";
    assert_eq!(
        bench.run("sleep 0.3; echo fg").await,
        ran(&format!("{done}\nfg"), 0)
    );
    bench.run("sleep 0.05 &").await;
    assert_eq!(bench.run("sleep 0.2; jobs").await.text, done);
}
