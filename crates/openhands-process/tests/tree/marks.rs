//! Processes found by a mark in their environment, and waiting with a deadline.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use openhands_process::{Cgroup, Spawn};

/// Long enough for a machine with more to do than it can.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

pub(crate) const BOTH: [Cgroup; 2] = [Cgroup::Auto, Cgroup::Off];

/// A value that no other process on this machine carries.
pub(crate) struct Mark(pub(crate) String);

impl Mark {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let time = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        Self(format!(
            "mark-{}-{number}-{:x}",
            std::process::id(),
            time.as_nanos()
        ))
    }

    /// A shell whose descendants all carry the mark.
    pub(crate) fn sh(&self, script: &str) -> Spawn {
        sh(script).env("TREE_MARK", &self.0)
    }

    /// Every living process that carries the mark.
    pub(crate) fn alive(&self) -> Vec<i32> {
        let wanted = format!("TREE_MARK={}", self.0).into_bytes();
        processes()
            .filter(|pid| {
                let env = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                env.split(|byte| *byte == 0).any(|entry| entry == wanted)
            })
            .collect()
    }

    /// Waits until so many processes carry the mark.
    pub(crate) async fn reach(&self, count: usize) {
        until(
            || self.alive().len() >= count,
            || format!("{} of {count} processes", self.alive().len()),
        )
        .await;
    }

    /// Waits until no process carries the mark.
    pub(crate) async fn vanish(&self) {
        until(|| self.alive().is_empty(), || self.describe()).await;
    }

    /// Fails if any process carries the mark now.
    #[track_caller]
    pub(crate) fn assert_none(&self) {
        assert!(self.alive().is_empty(), "still alive: {}", self.describe());
    }

    pub(crate) fn describe(&self) -> String {
        let one = |pid: &i32| fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        self.alive().iter().map(one).collect()
    }
}

pub(crate) fn sh(script: &str) -> Spawn {
    Spawn::new("/bin/sh")
        .args(["-c", script])
        .env("PATH", "/usr/bin:/bin")
}

fn processes() -> impl Iterator<Item = i32> {
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The processes whose parent is this one.
pub(crate) fn children_of(parent: i32) -> Vec<i32> {
    processes()
        .filter(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
            let mut fields = rest.split_ascii_whitespace();
            let state = fields.next();
            state != Some("Z") && fields.next() == Some(&parent.to_string())
        })
        .collect()
}

/// The watchdogs that a process has started.
pub(crate) fn watchdogs_of(server: i32) -> Vec<i32> {
    let mut children = children_of(server);
    children.retain(|pid| is_watchdog(*pid));
    children
}

/// Whether a process is a watchdog, or a guard, that is alive.
pub(crate) fn is_watchdog(pid: i32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline"))
        .is_ok_and(|line| line.starts_with(b"openhands-watchdog\0"))
}

/// Waits until a condition holds.
pub(crate) async fn until(condition: impl Fn() -> bool, describe: impl Fn() -> String) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "not in time: {}", describe());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
