//! Nothing survives: cancelled, timed out, dropped, or killed with the server.

use std::path::Path;
use std::process::Stdio as StdStdio;
use std::time::Duration;

use openhands_process::{Cgroup, Exit, Spawn, Stdio, User};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::marks::{BOTH, DEADLINE, Mark, is_watchdog, until, watchdogs_of};

/// Ways in which processes try to outlive their parent, each with how many it leaves running.
const ESCAPES: [(&str, usize); 7] = [
    // The usual children, in the group.
    ("sleep 1000 & sleep 1000 & wait", 3),
    // Deaf to everything but the kill.
    (
        "trap '' TERM INT HUP QUIT; sleep 1000 & wait; sleep 1000",
        2,
    ),
    // Left behind by a command that ended.
    ("nohup sleep 1000 >/dev/null 2>&1 & exit 0", 1),
    // A daemon: own session, and its parent gone.
    ("(setsid sh -c 'sleep 1000 & exit 0' &) ; sleep 1000", 3),
    (
        "setsid setsid sh -c '(sleep 1000 &) ; exec sleep 1000' & exit 0",
        2,
    ),
    // Stopped, so that no polite signal is ever handled.
    ("sleep 1000 & kill -STOP $!; sleep 1000", 3),
    // A process that adopts orphans would keep them from us, if only parents were followed.
    (
        "sh -c 'sleep 1000 & sleep 1000 & exec sleep 1000' & sh -c 'sleep 1000 & wait' & wait",
        6,
    ),
];

async fn start(mark: &Mark, cgroup: Cgroup, escape: (&str, usize)) -> openhands_process::Tree {
    let (script, count) = escape;
    let tree = mark.sh(script).cgroup(cgroup).start().await.unwrap();
    mark.reach(count).await;
    tree
}

#[tokio::test]
async fn a_killed_tree_is_gone_when_the_kill_returns() {
    for cgroup in BOTH {
        for escape in ESCAPES {
            let mark = Mark::new();
            let tree = start(&mark, cgroup, escape).await;
            tree.kill().await.unwrap();
            mark.assert_none();
            tree.gone().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_dropped_tree_is_killed() {
    for cgroup in BOTH {
        for escape in ESCAPES {
            let mark = Mark::new();
            drop(start(&mark, cgroup, escape).await);
            mark.vanish().await;
        }
    }
}

#[tokio::test]
async fn a_daemon_keeps_the_tree_until_it_ends_by_itself() {
    let mark = Mark::new();
    let tree = mark
        .sh("(setsid sh -c 'while [ -e \"$FILE\" ]; do sleep 0.02; done' &)")
        .env("FILE", "")
        .start()
        .await
        .unwrap();
    assert_eq!(tree.wait().await, Exit::Code(0));
    tokio::time::timeout(DEADLINE, tree.gone())
        .await
        .unwrap()
        .unwrap();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alive");
    std::fs::write(&file, "").unwrap();
    let script = "(setsid sh -c 'while [ -e \"$FILE\" ]; do sleep 0.02; done' &)";
    let tree = mark.sh(script).env("FILE", &file).start().await.unwrap();
    assert_eq!(tree.wait().await, Exit::Code(0));
    assert!(
        tokio::time::timeout(Duration::from_millis(100), tree.gone())
            .await
            .is_err()
    );
    std::fs::remove_file(&file).unwrap();
    tokio::time::timeout(DEADLINE, tree.gone())
        .await
        .unwrap()
        .unwrap();
    mark.assert_none();
}

#[tokio::test]
async fn a_storm_of_forks_is_ended() {
    // Each process makes children for as long as it lives; about 200 at once, each short-lived, so
    // that the list of them is never the same twice. Bounded, as a mistake here would take the machine down.
    let script = "storm() { n=0; while [ $n -lt 4000 ]; do (setsid sleep 0.05 &) ; n=$((n+1)); done; }; \
                  storm & storm & storm & storm & wait; sleep 1000";
    for cgroup in BOTH {
        let mark = Mark::new();
        let tree = start(&mark, cgroup, (script, 40)).await;
        tokio::time::timeout(DEADLINE, tree.kill())
            .await
            .unwrap()
            .unwrap();
        mark.assert_none();
    }
}

#[tokio::test]
async fn a_fork_bomb_is_ended() {
    // It needs a user of its own, whose processes can be limited.
    let tools = ["/usr/bin/prlimit", "/usr/bin/perl"];
    if !rustix::process::geteuid().is_root() || !tools.iter().all(|tool| Path::new(tool).exists()) {
        println!("skipped: not root, or no prlimit, or no perl");
        return;
    }
    // It fills every process that its user may have and goes on trying.
    let script = "exec prlimit --nproc=150 perl -e 'for (;;) { fork }'";
    let user = User {
        uid: 65_531,
        gid: 65_531,
        groups: Vec::new(),
    };
    for cgroup in BOTH {
        let mark = Mark::new();
        let spawn = mark
            .sh(script)
            .user(user.clone())
            .nice(10)
            .cwd("/")
            .cgroup(cgroup);
        let tree = spawn.start().await.unwrap();
        mark.reach(100).await;
        tokio::time::timeout(DEADLINE, tree.kill())
            .await
            .unwrap()
            .unwrap();
        mark.assert_none();
    }
}

#[tokio::test]
async fn hundreds_of_commands_that_time_out_or_are_cancelled_leave_nothing() {
    let mark = Mark::new();
    for round in 0..40 {
        let cgroup = BOTH[round % 2];
        let mut running = tokio::task::JoinSet::new();
        for number in 0..20 {
            let (script, _) = ESCAPES[(round + number) % ESCAPES.len()];
            let spawn = mark.sh(script).cgroup(cgroup);
            running.spawn(async move {
                let patience = Duration::from_millis(5 * (number as u64 % 4));
                match number % 4 {
                    // Cancelled before, while or after it starts.
                    0 | 1 => drop(tokio::time::timeout(patience / 4, spawn.start()).await),
                    2 => {
                        let tree = spawn.start().await.unwrap();
                        let _ = tokio::time::timeout(patience, tree.wait()).await;
                        tree.kill().await.unwrap();
                    }
                    _ => {
                        let tree = spawn.start().await.unwrap();
                        let _ = tokio::time::timeout(patience, tree.gone()).await;
                        drop(tree);
                    }
                }
            });
        }
        while let Some(done) = running.join_next().await {
            done.unwrap();
        }
    }
    mark.vanish().await;
}

/// Starts a server with trees, waits until they run, and kills it alone.
async fn kill_server(cgroup: &str, count: usize, script: &str, each: usize) {
    let mark = Mark::new();
    let mut server = tokio::process::Command::new(env!("CARGO_BIN_EXE_tree-holder"))
        .args([&mark.0, &count.to_string(), cgroup, script])
        .stdout(StdStdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut stdout = BufReader::new(server.stdout.take().unwrap());
    tokio::time::timeout(DEADLINE, stdout.read_line(&mut line))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(line, "ready\n");
    mark.reach(count * each).await;
    kill_and_watch(server, &mark).await;
}

/// Kills a server and waits until its watchdog has left too; then nothing may be alive.
async fn kill_and_watch(mut server: tokio::process::Child, mark: &Mark) {
    let watchdogs = watchdogs_of(i32::try_from(server.id().unwrap()).unwrap());
    assert_eq!(watchdogs.len(), 1);
    server.start_kill().unwrap();
    server.wait().await.unwrap();
    until(|| !is_watchdog(watchdogs[0]), || mark.describe()).await;
    mark.assert_none();
}

#[tokio::test]
async fn trees_end_with_a_server_that_is_killed() {
    for cgroup in ["auto", "off"] {
        for (script, each) in ESCAPES {
            kill_server(cgroup, 20, script, each).await;
        }
    }
}

#[tokio::test]
async fn many_trees_at_once_end_with_a_server_that_is_killed() {
    for cgroup in ["auto", "off"] {
        kill_server(cgroup, 200, "setsid sleep 1000 & exec sleep 1000", 2).await;
    }
}

#[tokio::test]
async fn a_server_killed_while_it_starts_trees_leaves_nothing() {
    for round in 0..10_u64 {
        let mark = Mark::new();
        let server = tokio::process::Command::new(env!("CARGO_BIN_EXE_tree-holder"))
            .args([
                mark.0.as_str(),
                "1000",
                if round % 2 == 0 { "auto" } else { "off" },
                "setsid sleep 1000 & sleep 1000",
            ])
            .stdout(StdStdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        mark.reach(usize::try_from(round * 3).unwrap() + 1).await;
        kill_and_watch(server, &mark).await;
    }
}

#[tokio::test]
async fn the_trees_of_one_program_do_not_disturb_each_other() {
    let (mark, other) = (Mark::new(), Mark::new());
    let spared = start(&other, Cgroup::Auto, ESCAPES[0]).await;
    for cgroup in BOTH {
        start(&mark, cgroup, ESCAPES[3]).await.kill().await.unwrap();
    }
    mark.assert_none();
    assert_eq!((other.alive().len(), spared.try_wait()), (3, None));
    spared.kill().await.unwrap();
    other.assert_none();
}

#[tokio::test]
async fn a_command_that_kills_its_parent_is_ended_with_it() {
    for cgroup in BOTH {
        let mark = Mark::new();
        let script = "setsid sleep 1000 & read -r go; kill -9 $PPID; sleep 1000";
        let spawn = mark.sh(script).cgroup(cgroup).stdin(Stdio::Pipe);
        let mut tree = spawn.start().await.unwrap();
        tree.stdin.take().unwrap().write_all(b"go\n").await.unwrap();
        assert_eq!(tree.wait().await, Exit::Signal(9));
        assert!(tree.kill().await.is_err());
        mark.vanish().await;
    }
}

#[tokio::test]
async fn polite_signals_to_its_parent_do_a_command_no_good() {
    let mark = Mark::new();
    let tree = mark
        .sh("kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; exit 5")
        .start()
        .await
        .unwrap();
    assert_eq!(tree.wait().await, Exit::Code(5));
    tree.gone().await.unwrap();
}

#[tokio::test]
async fn a_start_that_is_not_awaited_starts_nothing() {
    let mark = Mark::new();
    drop(mark.sh("sleep 1000").start());
    let tree = Spawn::new("/bin/true").start().await.unwrap();
    tree.gone().await.unwrap();
    mark.assert_none();
}
