//! Signals to the command's group, and ends with a grace.

use std::time::{Duration, Instant};

use openhands_process::{Exit, Signal, Stdio};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};

use crate::marks::{BOTH, DEADLINE, Mark, sh};

#[tokio::test]
async fn a_signal_reaches_the_whole_group_of_the_command() {
    let mark = Mark::new();
    let tree = mark.sh("sleep 1000 & sleep 1000").start().await.unwrap();
    mark.reach(3).await;
    tree.signal(Signal::TERM).unwrap();
    assert_eq!(tree.wait().await, Exit::Signal(15));
    tree.gone().await.unwrap();
    mark.assert_none();
}

#[tokio::test]
async fn after_the_commands_end_a_signal_reaches_the_rest_of_its_group_and_nobody_else() {
    let mark = Mark::new();
    let tree = mark
        .sh("sleep 1000 & setsid sleep 1000 & exit 3")
        .start()
        .await
        .unwrap();
    assert_eq!(tree.wait().await, Exit::Code(3));
    mark.reach(2).await;
    // Until setsid has run, its process belongs to the group too.
    crate::marks::until(
        || {
            mark.alive()
                .iter()
                .any(|pid| session_of(*pid) == Some(*pid))
        },
        String::new,
    )
    .await;
    tree.signal(Signal::TERM).unwrap();
    crate::marks::until(|| mark.alive().len() == 1, || format!("{:?}", mark.alive())).await;
    tree.kill().await.unwrap();
    mark.assert_none();
}

fn session_of(pid: i32) -> Option<i32> {
    let session = rustix::process::getsid(rustix::process::Pid::from_raw(pid)).ok()?;
    Some(session.as_raw_nonzero().get())
}

#[tokio::test]
async fn a_command_that_obeys_ends_before_its_grace_is_over() {
    for cgroup in BOTH {
        let mut tree = sh("trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.01; done")
            .stdout(Stdio::Pipe)
            .cgroup(cgroup)
            .start()
            .await
            .unwrap();
        let mut stdout = BufReader::new(tree.stdout.take().unwrap());
        let mut text = String::new();
        stdout.read_line(&mut text).await.unwrap();
        tree.terminate(Signal::TERM, Duration::from_hours(1))
            .await
            .unwrap();
        assert_eq!(tree.wait().await, Exit::Code(4));
        stdout.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "ready\nbye\n");
    }
}

#[tokio::test]
async fn a_command_that_does_not_obey_is_killed_after_its_grace() {
    for cgroup in BOTH {
        let mark = Mark::new();
        let mut tree = mark
            .sh("trap '' TERM; echo ready; while :; do sleep 1000; done")
            .stdout(Stdio::Pipe)
            .cgroup(cgroup)
            .start()
            .await
            .unwrap();
        let mut line = String::new();
        BufReader::new(tree.stdout.take().unwrap())
            .read_line(&mut line)
            .await
            .unwrap();
        let start = Instant::now();
        let grace = Duration::from_millis(150);
        tree.terminate(Signal::TERM, grace).await.unwrap();
        assert!(start.elapsed() >= grace);
        assert_eq!(tree.wait().await, Exit::Signal(9));
        mark.assert_none();
    }
}

#[tokio::test]
async fn what_left_the_group_does_not_use_up_the_grace() {
    let mark = Mark::new();
    let tree = mark
        .sh("setsid sleep 1000 & sleep 1000")
        .start()
        .await
        .unwrap();
    mark.reach(3).await;
    crate::marks::until(
        || {
            mark.alive()
                .iter()
                .filter(|pid| session_of(**pid) == Some(**pid))
                .count()
                == 2
        },
        String::new,
    )
    .await;
    let ended = tree.terminate(Signal::TERM, Duration::from_hours(1));
    tokio::time::timeout(DEADLINE, ended)
        .await
        .unwrap()
        .unwrap();
    mark.assert_none();
}

#[tokio::test]
async fn a_kill_cuts_a_grace_short() {
    let mark = Mark::new();
    let tree = mark
        .sh("trap '' TERM; while :; do sleep 1000; done")
        .start()
        .await
        .unwrap();
    mark.reach(2).await;
    let gently = tree.terminate(Signal::TERM, Duration::from_hours(1));
    assert!(
        tokio::time::timeout(Duration::from_millis(20), gently)
            .await
            .is_err()
    );
    tree.kill().await.unwrap();
    mark.assert_none();
}

#[tokio::test]
async fn a_signal_to_what_has_ended_is_an_error_and_a_kill_is_not() {
    let tree = sh("true").start().await.unwrap();
    tree.gone().await.unwrap();
    crate::marks::until(|| tree.signal(Signal::TERM).is_err(), String::new).await;
    tree.kill().await.unwrap();
    tree.terminate(Signal::TERM, Duration::from_secs(1))
        .await
        .unwrap();
}
