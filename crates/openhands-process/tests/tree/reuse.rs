//! A guard has one tree after the other, and nothing of one is left for the next.

use std::fs;
use std::os::unix::fs::FileExt as _;

use openhands_process::{Exit, Spawn, Tree};
use pretty_assertions::{assert_eq, assert_ne};
use rustix::process::Signal;

use crate::marks::{children_of, is_watchdog, until, watchdogs_of};
use crate::server::{Server, holder, kill};

/// The guard of a command that runs to its end.
async fn guard_of(server: &mut Server, order: &str) -> i32 {
    server.ask(order).await.parse().unwrap()
}

#[tokio::test]
async fn a_guard_whose_tree_is_gone_has_the_next_one() {
    let mut server = Server::start(holder(), |_| {});
    let first = guard_of(&mut server, "run auto echo $PPID").await;
    let open = || fs::read_dir(format!("/proc/{first}/fd")).unwrap().count();
    let before = open();
    for order in ["run", "drop", "run"] {
        let order = format!("{order} auto echo $PPID");
        assert_eq!(guard_of(&mut server, &order).await, first);
    }
    assert_eq!(open(), before, "descriptors of commands are closed");
    assert_eq!(children_of(server.watchdog()), [first]);
    let wait = "run auto (setsid sleep 0.05 &); echo $PPID";
    assert_eq!(guard_of(&mut server, wait).await, first);
    assert_eq!(guard_of(&mut server, "run auto echo $PPID").await, first);
    server.end().await;
    until(|| !is_watchdog(first), String::new).await;
}

#[tokio::test]
async fn limits_that_a_command_has_set_for_its_cgroup_do_not_reach_the_next() {
    let mut server = Server::start(holder(), |_| {});
    let own = r"$(awk '/ - cgroup2 / {print $5; exit}' /proc/self/mountinfo)$(sed -n 's/^0:://p' /proc/self/cgroup)";
    let limit = format!(
        "run auto cd {own} && echo 0 >cgroup.max.descendants && cat cgroup.max.descendants"
    );
    let said = server.ask(&limit).await;
    if said != "0" {
        println!("skipped: a command may not change its cgroup");
        return;
    }
    let limits = format!("run auto cd {own} && cat cgroup.max.descendants");
    assert_eq!(server.ask(&limits).await, "max");
    server.end().await;
}

#[tokio::test]
async fn a_guard_of_a_tree_without_a_cgroup_has_no_other() {
    let mut server = Server::start(holder(), |_| {});
    let first = guard_of(&mut server, "run off echo $PPID").await;
    assert_ne!(guard_of(&mut server, "run off echo $PPID").await, first);
    assert_ne!(guard_of(&mut server, "run auto echo $PPID").await, first);
    server.end().await;
}

#[tokio::test]
async fn a_guard_whose_tree_was_given_up_ends_it_and_itself() {
    let mut server = Server::start(holder(), |_| {});
    let left = "drop auto setsid sleep 1000 >/dev/null & echo $PPID";
    let first = guard_of(&mut server, left).await;
    let second = guard_of(&mut server, "run auto echo $PPID").await;
    assert_ne!(second, first);
    server.mark.vanish().await;
    until(|| !is_watchdog(first), String::new).await;
    server.end().await;
}

#[tokio::test]
async fn the_tree_of_a_used_guard_is_killed_as_a_whole() {
    let mut server = Server::start(holder(), |_| {});
    let guard = guard_of(&mut server, "run auto echo $PPID").await;
    let order = "auto setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000";
    assert_eq!(server.ask(order).await, "started");
    server.mark.reach(4).await;
    assert_eq!(children_of(server.watchdog()), [guard]);
    assert_eq!(server.ask("kill 0").await, "killed");
    server.mark.assert_none();
    // And with a killed guard, or a killed server, as that of a new one.
    for order in ["run auto echo $PPID", "run auto echo $PPID"] {
        guard_of(&mut server, order).await;
    }
    assert_eq!(
        server.ask("auto setsid sleep 1000 & sleep 1000").await,
        "started"
    );
    server.mark.reach(3).await;
    let guards = children_of(server.watchdog());
    assert_eq!(guards.len(), 1);
    kill(guards[0], Signal::KILL);
    server.mark.vanish().await;
    guard_of(&mut server, "run auto echo $PPID").await;
    assert_eq!(
        server.ask("auto setsid sleep 1000 & sleep 1000").await,
        "started"
    );
    server.mark.reach(3).await;
    server.end().await;
}

#[tokio::test]
async fn a_waiting_guard_that_is_killed_is_replaced() {
    let mut server = Server::start(holder(), |_| {});
    let first = guard_of(&mut server, "run auto echo $PPID").await;
    kill(first, Signal::KILL);
    until(|| !is_watchdog(first), String::new).await;
    let second = guard_of(&mut server, "run auto echo $PPID").await;
    assert_ne!(second, first);
    server.end().await;
}

#[tokio::test]
async fn a_waiting_guard_whose_watchdog_was_killed_gets_no_command() {
    let mut server = Server::start(holder(), |_| {});
    let first = guard_of(&mut server, "run auto echo $PPID").await;
    let old = server.watchdog();
    kill(old, Signal::KILL);
    until(|| !watchdogs_of(server.pid()).contains(&old), String::new).await;
    let second = guard_of(&mut server, "run auto echo $PPID").await;
    assert_ne!(second, first);
    assert_eq!(children_of(server.watchdog()), [second]);
    until(|| !is_watchdog(first), String::new).await;
    server.end().await;
}

/// Whether a process has this text in memory that it can write. `None` if we may not look.
fn remembers(pid: i32, text: &str) -> Option<bool> {
    let memory = fs::File::open(format!("/proc/{pid}/mem")).ok()?;
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let found = maps.lines().any(|line| {
        let (range, rest) = line.split_once(' ').unwrap();
        if !rest.starts_with("rw") {
            return false;
        }
        let (from, to) = range.split_once('-').unwrap();
        let [from, to] = [from, to].map(|number| u64::from_str_radix(number, 16).unwrap());
        let mut bytes = vec![0; usize::try_from(to - from).unwrap()];
        memory.read_exact_at(&mut bytes, from).is_ok()
            && memchr::memmem::find(&bytes, text.as_bytes()).is_some()
    });
    Some(found)
}

#[tokio::test]
async fn the_environment_of_a_command_is_forgotten() {
    let mut server = Server::start(holder(), |_| {});
    let guard = guard_of(&mut server, "run auto echo $PPID").await;
    let watchdog = server.watchdog();
    let secret = format!("TREE_MARK={}", server.mark.0);
    for process in [guard, watchdog] {
        let Some(found) = remembers(process, "openhands-watchdog") else {
            println!("skipped: the memory of other processes cannot be read");
            break;
        };
        assert!(found, "its own name is on the stack of every process");
        assert_eq!(remembers(process, &secret), Some(false));
    }
    // Also while the next one runs, and when it is too big for a packet.
    let padding = "x".repeat(100_000);
    let big = format!("run auto : {padding}; echo $PPID");
    assert_eq!(guard_of(&mut server, &big).await, guard);
    assert_eq!(server.ask("auto sleep 1000").await, "started");
    assert_eq!(children_of(watchdog), [guard]);
    for process in [guard, watchdog] {
        assert_ne!(remembers(process, &secret), Some(true));
        assert_ne!(remembers(process, &padding), Some(true));
    }
    server.end().await;
}

#[tokio::test]
async fn only_so_many_guards_wait() {
    let this = i32::try_from(std::process::id()).unwrap();
    let trees = started(40).await;
    for tree in &trees {
        assert_eq!(tree.wait().await, Exit::Code(0));
        tree.gone().await.unwrap();
    }
    drop(trees);
    let guards = || children_of(watchdogs_of(this)[0]).len();
    until(|| guards() <= 16, || guards().to_string()).await;
    assert!(guards() > 0);
}

/// So many commands at once.
async fn started(count: usize) -> Vec<Tree> {
    let mut trees = Vec::new();
    for _ in 0..count {
        trees.push(Spawn::new("/bin/true").start().await.unwrap());
    }
    trees
}
