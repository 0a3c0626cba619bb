//! Which processes are about to end: they have a deadly signal waiting, or are on their way out.

use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use tokio::io::Interest;

use crate::pty::registered;

/// How long an ending job is waited for. Its exit takes this long only if it has much to clean up.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long a job that should be ending is given to show it.
const MOMENT: Duration = Duration::from_millis(30);
/// More jobs than this are not looked at: each costs two small files.
const MAX_JOBS: usize = 64;
/// In the flags of /proc/PID/stat: the process is exiting.
const EXITING: u64 = 0x4;

/// Waits until those of these processes that are ending have ended. Says whether there were any.
///
/// With `expected`, one that does not look like it yet gets a moment: between taking a signal and being marked as
/// exiting, a process cannot be told from any other.
pub(crate) async fn settle(pids: &[i32], expected: bool) -> bool {
    let pids: Vec<i32> = pids.iter().copied().take(MAX_JOBS).collect();
    let (dying, living): (Vec<i32>, Vec<i32>) = pids.into_iter().partition(|pid| is_dying(*pid));
    for pid in &dying {
        let _ = tokio::time::timeout(PATIENCE, ended(*pid)).await;
    }
    if !dying.is_empty() || !expected {
        return !dying.is_empty();
    }
    let mut ends = tokio::task::JoinSet::new();
    for pid in living {
        ends.spawn(async move { ended(pid).await });
    }
    matches!(
        tokio::time::timeout(MOMENT, ends.join_next()).await,
        Ok(Some(_))
    )
}

/// Waits for a process's end, and until its parent has taken note of it.
async fn ended(pid: i32) -> Option<()> {
    let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
    let handle = registered(handle, Interest::READABLE).ok()?;
    let _ended = handle.readable().await.ok()?;
    // There is no event for that. A bash that gets the news while it prints other news puts it aside, and forgets
    // it: it gets it again.
    while let Some(parent) = parent(pid) {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let _ = rustix::process::kill_process(parent, Signal::CHILD);
    }
    Some(())
}

/// The parent of a process that was not collected yet.
fn parent(pid: i32) -> Option<Pid> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    Pid::from_raw(rest.split_ascii_whitespace().nth(1)?.parse().ok()?)
}

/// Whether the process is exiting, dead but not yet known to be, or has a signal waiting that will end it.
fn is_dying(pid: i32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
        return true;
    };
    // The name in parentheses may hold anything; what follows it is regular.
    let Some((_, rest)) = stat.rsplit_once(')') else {
        return false;
    };
    let mut fields = rest.split_ascii_whitespace();
    if fields.next() == Some("Z") {
        return true;
    }
    let flags = fields.nth(5).and_then(|flags| flags.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & EXITING != 0) || has_deadly_signal(pid)
}

fn has_deadly_signal(pid: i32) -> bool {
    let Some(masks) = Masks::of(pid) else {
        return true;
    };
    masks.waiting & !masks.kept_off & deadly() != 0
}

/// Whether this signal, had the process got it, would have stopped or ended it by now: it neither handles nor
/// ignores it, and is not ending.
pub(crate) fn would_end(pid: i32, signal: i32) -> bool {
    let bit = bit(signal);
    let free =
        Masks::of(pid).is_some_and(|masks| masks.kept_off & bit == 0 && masks.waiting & bit == 0);
    free && !is_dying(pid)
}

/// Whether the process handles this signal with code of its own program. One that was forked by `shell` and has not
/// become another program yet has the shell's handlers, which lose the signal.
pub(crate) fn handles(pid: i32, signal: i32, shell: i32) -> bool {
    let command = |pid: i32| std::fs::read(format!("/proc/{pid}/cmdline")).ok();
    Masks::of(pid).is_some_and(|masks| masks.handled & bit(signal) != 0)
        && command(pid) != command(shell)
}

fn bit(signal: i32) -> u64 {
    u32::try_from(signal - 1)
        .ok()
        .and_then(|shift| 1_u64.checked_shl(shift))
        .unwrap_or(0)
}

/// Sets of signals, a bit for each.
struct Masks {
    waiting: u64,
    handled: u64,
    /// Blocked, ignored or handled.
    kept_off: u64,
}

impl Masks {
    fn of(pid: i32) -> Option<Self> {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let mask = |name: &str| {
            let value = status.lines().find_map(|line| line.strip_prefix(name));
            value
                .and_then(|value| u64::from_str_radix(value.trim(), 16).ok())
                .unwrap_or(0)
        };
        Some(Self {
            waiting: mask("SigPnd:") | mask("ShdPnd:"),
            handled: mask("SigCgt:"),
            kept_off: mask("SigBlk:") | mask("SigIgn:") | mask("SigCgt:"),
        })
    }
}

/// Signals whose default action ends a process: all but CHLD, CONT, the four that stop, URG and WINCH.
fn deadly() -> u64 {
    let harmless = [17_u64, 18, 19, 20, 21, 22, 23, 28];
    harmless
        .iter()
        .fold(u64::MAX, |mask, signal| mask & !(1 << (signal - 1)))
}

#[cfg(test)]
#[path = "dying_tests.rs"]
mod tests;
