//! The watchdog itself: killed, replaced, out of descriptors, its program deleted.
//!
//! Each test runs a server of its own, as these things would disturb the other tests' trees.

use std::process::Stdio as StdStdio;

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal};
use tokio::process::Command;

use crate::marks::{Mark, children_of, is_watchdog, until, watchdogs_of};
use crate::server::{Server, holder, kill};

#[tokio::test]
async fn a_killed_watchdog_is_replaced_and_its_trees_stay_guarded() {
    let mut server = Server::start(holder(), |_| {});
    assert_eq!(server.ask("off exec sleep 1000").await, "started");
    assert_eq!(
        server.ask("auto setsid sleep 1000 & exec sleep 1000").await,
        "started"
    );
    server.mark.reach(3).await;
    let first = server.watchdog();
    kill(first, Signal::KILL);
    until(|| !watchdogs_of(server.pid()).contains(&first), String::new).await;
    assert_eq!(server.mark.alive().len(), 3, "the trees did not notice");
    assert_eq!(server.ask("auto sleep 1000").await, "started");
    server.mark.reach(4).await;
    assert_eq!(server.ask("kill 0").await, "killed");
    assert_eq!(server.ask("kill 1").await, "killed");
    assert_eq!(server.ask("kill 2").await, "killed");
    server.mark.assert_none();
    assert_eq!(server.ask("auto sleep 1000").await, "started");
    server.end().await;
}

#[tokio::test]
async fn a_server_that_dies_with_its_watchdog_leaves_nothing_as_the_guards_remain() {
    let mut server = Server::start(holder(), |_| {});
    for cgroup in ["auto", "off"] {
        let order = format!("{cgroup} setsid sleep 1000 & sleep 1000");
        assert_eq!(server.ask(&order).await, "started");
    }
    server.mark.reach(4).await;
    kill(server.watchdog(), Signal::KILL);
    server.end().await;
}

#[tokio::test]
async fn a_killed_guard_is_avenged_by_the_watchdog() {
    for cgroup in ["auto", "off"] {
        let mut server = Server::start(holder(), |_| {});
        let order = format!("{cgroup} setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000");
        assert_eq!(server.ask(&order).await, "started");
        server.mark.reach(4).await;
        let watchdog = server.watchdog();
        for guard in children_of(watchdog) {
            kill(guard, Signal::KILL);
        }
        server.mark.vanish().await;
        until(|| children_of(watchdog).is_empty(), String::new).await;
        assert_eq!(
            server.ask("kill 0").await,
            "the guard of the tree was killed"
        );
        server.end().await;
    }
}

/// Whether the processes with this mark have a cgroup of their own.
fn has_cgroup(mark: &Mark) -> bool {
    let group =
        |pid: &i32| std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    mark.alive()
        .iter()
        .all(|pid| group(pid).contains("/openhands-"))
}

#[tokio::test]
async fn what_survives_everyone_ends_when_the_next_server_starts() {
    let mut server = Server::start(holder(), |_| {});
    assert_eq!(
        server.ask("auto setsid sleep 1000 & exec sleep 1000").await,
        "started"
    );
    server.mark.reach(2).await;
    if !has_cgroup(&server.mark) {
        println!("skipped: no writable cgroup2 hierarchy");
        return server.end().await;
    }
    // Stopped first, or those killed last would have time to do their work.
    let watchdog = server.watchdog();
    let everyone: Vec<i32> = [server.pid(), watchdog]
        .into_iter()
        .chain(children_of(watchdog))
        .collect();
    for signal in [Signal::STOP, Signal::KILL] {
        for pid in &everyone {
            kill(*pid, signal);
        }
    }
    server.process.wait().await.unwrap();
    until(
        || everyone.iter().all(|pid| !is_watchdog(*pid)),
        String::new,
    )
    .await;
    // The command died with its guard, but not the daemon, unless a test beside this one has
    // started a server meanwhile.
    let mut next = Server::start(holder(), |_| {});
    assert_eq!(next.ask("auto exec sleep 1000").await, "started");
    server.mark.vanish().await;
    assert!(has_cgroup(&next.mark));
    next.end().await;
}

#[tokio::test]
async fn signals_that_stop_programs_do_not_stop_the_watchdog() {
    let mut server = Server::start(holder(), |_| {});
    assert_eq!(server.ask("off sleep 1000").await, "started");
    let watchdog = server.watchdog();
    let session = rustix::process::getsid(Pid::from_raw(watchdog)).unwrap();
    assert_eq!(
        session.as_raw_nonzero().get(),
        watchdog,
        "not the server's session"
    );
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        kill(watchdog, signal);
        for guard in children_of(watchdog) {
            kill(guard, signal);
        }
    }
    assert_eq!(server.ask("off sleep 1000").await, "started");
    assert_eq!(server.watchdog(), watchdog);
    server.mark.reach(2).await;
    server.end().await;
}

#[tokio::test]
async fn the_watchdog_leaves_when_its_work_is_done() {
    let mut server = Server::start(holder(), |_| {});
    assert_eq!(
        server.ask("auto setsid sleep 1000 & sleep 1000").await,
        "started"
    );
    let watchdog = server.watchdog();
    let guards = children_of(watchdog);
    assert_eq!(guards.len(), 1);
    server.end().await;
    until(
        || !is_watchdog(watchdog) && !is_watchdog(guards[0]),
        || format!("{watchdog} {guards:?}"),
    )
    .await;
}

#[tokio::test]
async fn guards_of_ended_trees_are_gone() {
    let mut server = Server::start(holder(), |_| {});
    for number in 0..10 {
        assert_eq!(server.ask("auto sleep 1000").await, "started");
        assert_eq!(server.ask(&format!("kill {number}")).await, "killed");
    }
    let watchdog = server.watchdog();
    until(
        || children_of(watchdog).is_empty(),
        || format!("{:?}", children_of(watchdog)),
    )
    .await;
    server.end().await;
}

#[tokio::test]
async fn a_program_that_was_deleted_and_replaced_still_starts_its_watchdog() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("server");
    std::fs::copy(holder(), &program).unwrap();
    let mut server = Server::start(&program, |_| {});
    assert_eq!(server.ask("nothing").await, "unknown");
    std::fs::remove_file(&program).unwrap();
    std::fs::write(&program, "#!/bin/false\n").unwrap();
    assert_eq!(server.ask("auto sleep 1000").await, "started");
    server.mark.reach(1).await;
    server.end().await;
}

#[tokio::test]
async fn without_descriptors_the_error_says_so_and_nothing_leaks() {
    let mut server = Server::start(holder(), |_| {});
    assert_eq!(server.ask("off sleep 1000").await, "started");
    let open = || {
        std::fs::read_dir(format!("/proc/{}/fd", server.pid()))
            .unwrap()
            .count()
    };
    let before = open();
    let limit = before as u64;
    let pid = Pid::from_raw(server.pid());
    let set = |current: u64| {
        let new = rustix::process::Rlimit {
            current: Some(current),
            maximum: Some(4096),
        };
        rustix::process::prlimit(pid, rustix::process::Resource::Nofile, new).unwrap();
    };
    // From nothing to spare up to enough: each step fails at another descriptor.
    let mut outcomes = Vec::new();
    for spare in 0..12 {
        set(limit + spare);
        outcomes.push(server.ask("off exit 0").await);
        if outcomes.last().unwrap() == "started" {
            break;
        }
        assert_eq!(
            std::fs::read_dir(format!("/proc/{}/fd", server.pid()))
                .unwrap()
                .count(),
            before
        );
    }
    assert!(outcomes.len() > 2, "{outcomes:?}");
    assert_eq!(outcomes.pop().unwrap(), "started");
    for outcome in outcomes {
        assert!(outcome.contains("no file descriptor left"), "{outcome}");
    }
    server.end().await;
}

#[tokio::test]
async fn a_watchdog_without_descriptors_fails_the_command_and_recovers() {
    let mut server = Server::start(holder(), |_| {});
    assert_eq!(server.ask("off exec sleep 1000").await, "started");
    let watchdog = server.watchdog();
    let open = std::fs::read_dir(format!("/proc/{watchdog}/fd")).unwrap();
    let open = open.count() as u64;
    let limit = |spare: u64| {
        let new = rustix::process::Rlimit {
            current: Some(open + spare),
            maximum: Some(1024),
        };
        let resource = rustix::process::Resource::Nofile;
        rustix::process::prlimit(Pid::from_raw(watchdog), resource, new).unwrap();
    };
    let mut refusals = Vec::new();
    for spare in 0.. {
        limit(spare);
        let answer = server.ask("off exec sleep 1000").await;
        if answer == "started" {
            break;
        }
        refusals.push(answer);
    }
    // If not even the socket for the answer gets through, the watchdog seems lost.
    let exhausted = |answer: &&String| answer.contains("no file descriptor left");
    let lost = |answer: &&String| answer.contains("the watchdog was lost");
    assert!(
        refusals.iter().filter(exhausted).count() >= 2,
        "{refusals:?}"
    );
    assert!(
        refusals
            .iter()
            .all(|answer| exhausted(&answer) || lost(&answer)),
        "{refusals:?}"
    );
    assert_eq!(server.watchdog(), watchdog, "it is the same one");
    server.mark.reach(2).await;
    server.end().await;
}

#[tokio::test]
async fn a_program_run_by_hand_under_the_watchdogs_name_does_nothing() {
    let status = Command::new(holder())
        .arg0("openhands-watchdog")
        .stdin(StdStdio::null())
        .status()
        .await
        .unwrap();
    assert_eq!(status.code(), Some(125));
}

/// It is the program again, which may be large, and does one thing.
#[tokio::test]
async fn the_watchdog_keeps_little_of_the_program_in_memory() {
    let mut server = Server::start(holder(), |_| {});
    assert_eq!(server.ask("auto exec sleep 1000").await, "started");
    let (kept, whole) = (
        constants_in_memory(server.watchdog()),
        constants_in_memory(server.pid()),
    );
    assert!(
        kept * 3 < whole * 2,
        "the watchdog has {kept} kB of the program's constants, the server {whole} kB"
    );
    server.end().await;
}

/// How much of the first part of its program a process has in memory, in kB: the loader reads all of it to put the program together.
fn constants_in_memory(pid: i32) -> u64 {
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap();
    let program = program.display().to_string();
    let mappings = std::fs::read_to_string(format!("/proc/{pid}/smaps")).unwrap();
    let sizes = mappings
        .lines()
        .skip_while(|line| !(line.contains(" r--p 00000000 ") && line.ends_with(&program)))
        .find_map(|line| line.strip_prefix("Rss:"));
    let size = sizes.unwrap().trim().trim_end_matches(" kB");
    size.parse().unwrap()
}
