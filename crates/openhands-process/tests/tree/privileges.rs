//! Servers that are not root: what they can do, and what they cannot.

use std::path::Path;
use std::process::Stdio as StdStdio;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};

use crate::marks::{children_of, is_watchdog, until};
use crate::server::{Server, holder};

#[tokio::test]
async fn another_user_than_root_is_guarded_too() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: not root, so every test shows it");
        return;
    }
    let mut server = Server::start(holder(), |command| {
        command.uid(65_532).gid(65_532).current_dir("/");
    });
    for order in [
        "auto setsid sleep 1000 & sleep 1000",
        "off (setsid sleep 1000 &) ; exit 0",
    ] {
        assert_eq!(server.ask(order).await, "started");
    }
    server.mark.reach(4).await;
    assert_eq!(server.ask("kill 0").await, "killed");
    server.end().await;
}

#[tokio::test]
async fn a_server_whose_group_is_outside_of_its_namespace_starts_trees() {
    if !rustix::process::geteuid().is_root() || !Path::new("/usr/bin/unshare").exists() {
        let in_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        assert!(!in_ci, "skipped: not root, or no unshare");
        println!("skipped: not root, or no unshare, so no namespace can be made");
        return;
    }
    let mut server = Server::start(Path::new("/usr/bin/unshare"), |command| {
        let std = command.as_std_mut();
        let args: Vec<_> = std.get_args().map(ToOwned::to_owned).collect();
        *std = std::process::Command::new("/usr/bin/unshare");
        std.args(["--pid", "--fork", "--mount-proc", "--kill-child"]);
        std.arg(holder()).args(args);
        std.stdin(StdStdio::piped()).stdout(StdStdio::piped());
    });
    for order in ["off sleep 1000", "auto sleep 1000", "kill 0", "kill 1"] {
        let expected = if order.starts_with("kill") {
            "killed"
        } else {
            "started"
        };
        assert_eq!(server.ask(order).await, expected, "{order}");
    }
    server.end().await;
}

#[tokio::test]
async fn without_processes_the_error_says_so() {
    // Root is not bound by the limit; another user is.
    if !rustix::process::geteuid().is_root() || !Path::new("/usr/bin/prlimit").exists() {
        println!("skipped: not root, or no prlimit");
        return;
    }
    // A thread counts as a process, and the server has one for each processor.
    let limit = 20 + std::thread::available_parallelism().unwrap().get();
    let mut server = Server::start(Path::new("/usr/bin/prlimit"), |command| {
        let std = command.as_std_mut();
        let args: Vec<_> = std.get_args().map(ToOwned::to_owned).collect();
        *std = std::process::Command::new("/usr/bin/prlimit");
        std.arg(format!("--nproc={limit}")).arg(holder()).args(args);
        std.stdin(StdStdio::piped()).stdout(StdStdio::piped());
        command.uid(65_533).gid(65_533).current_dir("/");
    });
    let mut started = 0;
    let refused = loop {
        let answer = server.ask("off exec sleep 1000").await;
        if answer != "started" {
            break answer;
        }
        started += 1;
        assert!(started < limit, "two processes for each");
    };
    assert!(refused.contains("no process left"), "{refused}");
    server.mark.reach(started).await;
    assert_eq!(server.ask("kill 0").await, "killed");
    // What was killed counts until the kernel has put it away.
    let began = Instant::now();
    while server.ask("off exec sleep 1000").await != "started" {
        assert!(began.elapsed() < Duration::from_secs(30));
    }
    server.end().await;
}

#[tokio::test]
async fn what_became_root_is_reported_by_a_server_that_is_not() {
    use std::os::unix::fs::PermissionsExt as _;
    if !rustix::process::geteuid().is_root() || !Path::new("/usr/bin/setpriv").exists() {
        println!("skipped: not root, or no setpriv, so nothing can be made to become root");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let become_root = folder.path().join("become-root");
    std::fs::copy("/usr/bin/setpriv", &become_root).unwrap();
    std::fs::set_permissions(&become_root, std::fs::Permissions::from_mode(0o4755)).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut server = Server::start(holder(), |command| {
        command.uid(65_530).gid(65_530).current_dir("/");
    });
    // A fork of another test may hold the copy open for writing for a moment, and nobody can run it then.
    let order = format!(
        "auto (until {} --reuid=0 sleep 1000; do sleep 0.05; done) & exec sleep 1000",
        become_root.display()
    );
    assert_eq!(server.ask(&order).await, "started");
    let is_root = |pid: &i32| {
        let read =
            |name| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        read("comm") == "sleep\n" && read("status").contains("Uid:\t0\t0\t0\t0")
    };
    let found = std::cell::Cell::new(None);
    until(
        || {
            found.set(server.mark.alive().into_iter().find(is_root));
            found.get().is_some()
        },
        || server.mark.describe(),
    )
    .await;
    let survivor = found.get().unwrap();
    let guards = children_of(server.watchdog());
    let answer = server.ask("kill 0").await;
    let left = server.mark.alive();
    // Its server is gone, and it cannot do more: the guard waits.
    server.process.start_kill().unwrap();
    server.process.wait().await.unwrap();
    let busy = busy_share(&guards).await;
    // Before any assertion, as nobody but us can end it. A cgroup, if the host gave one, has done so.
    let _ = kill_process(Pid::from_raw(survivor).unwrap(), Signal::KILL);
    server.mark.vanish().await;
    let guarded = || guards.iter().any(|guard| is_watchdog(*guard));
    until(|| !guarded(), || format!("{guards:?}")).await;
    if answer == "killed" {
        return println!("skipped: the host gave the server a cgroup, which knows no users");
    }
    assert_eq!(
        answer,
        "1 processes of the tree may not be killed by this user"
    );
    assert_eq!(left, [survivor]);
    assert!(
        busy < 0.3,
        "the guard waits idly, but used {busy} of a processor"
    );
}

/// Which part of a processor the processes use.
async fn busy_share(pids: &[i32]) -> f64 {
    let used = || -> f64 {
        let ticks = |pid: &i32| -> Option<f64> {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
            Some(fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?)
        };
        pids.iter().filter_map(ticks).sum::<f64>() / 100.0
    };
    let (start, before) = (Instant::now(), used());
    let enough = || start.elapsed() > Duration::from_millis(500);
    until(enough, String::new).await;
    (used() - before) / start.elapsed().as_secs_f64()
}
