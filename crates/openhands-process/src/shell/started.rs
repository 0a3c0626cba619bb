//! What a command has started, so that all of it can be ended when the command is cancelled.
//!
//! An interrupt reaches the programs that have the terminal. Those that ignore it, such as what a script put into the
//! background, live on with another parent. They are known by where they were before the interrupt: below a child of
//! bash that is as young as the command, or in a process group of one. Jobs of earlier commands are older and stay.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use rustix::time::{ClockId, clock_gettime};

use crate::watchdog::{group_of, is_alive, kill_all, start_of, started_since};

/// How long the end of processes is waited for. One that takes longer hangs in the kernel.
const END_LIMIT: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A moment in clock ticks since the machine started, as processes tell their start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moment(u64);

impl Moment {
    pub(super) fn now() -> Self {
        let now = clock_gettime(ClockId::Boottime);
        let per_second = rustix::param::clock_ticks_per_second();
        let seconds = u64::try_from(now.tv_sec).unwrap_or(0);
        let rest = u64::try_from(now.tv_nsec).unwrap_or(0);
        Self(seconds * per_second + rest * per_second / 1_000_000_000)
    }
}

/// The processes that a command has started.
#[derive(Debug)]
pub(crate) struct Started {
    began: Moment,
    bash: Option<Pid>,
    /// With their start, because ids are used again.
    processes: Vec<(Pid, u64)>,
    groups: BTreeSet<i32>,
}

impl Started {
    /// What is there now. `foreground` is the process group that has the terminal.
    pub(super) fn since(began: Moment, bash: i32, foreground: Option<Pid>) -> Self {
        let bash = Pid::from_raw(bash);
        let below = bash.map_or_else(Vec::new, |bash| started_since(bash, began.0));
        let mut groups: BTreeSet<i32> = below
            .iter()
            .filter_map(|pid| group_of(Some(*pid)))
            .chain(foreground)
            .map(|group| group.as_raw_nonzero().get())
            .collect();
        if let Some(bash) = bash {
            groups.remove(&bash.as_raw_nonzero().get());
        }
        let started = below
            .into_iter()
            .filter_map(|pid| Some((pid, start_of(pid)?)));
        Self {
            began,
            bash,
            processes: started.collect(),
            groups,
        }
    }

    /// Ends all of it that is left.
    pub(super) async fn end(self) {
        // The list of processes is read from files, and a look is repeated until nobody is left.
        let ended = tokio::task::spawn_blocking(move || self.end_now());
        if ended.await.is_ok_and(|is_done| !is_done) {
            tracing::warn!("not everything that a cancelled command started has ended");
        }
    }

    fn end_now(self) -> bool {
        let began = Instant::now();
        while began.elapsed() < END_LIMIT {
            let left = self.left();
            let groups: Vec<Pid> = self.groups_left().collect();
            if left.is_empty() && groups.is_empty() {
                return true;
            }
            kill_all(|| self.left());
            for group in groups {
                // It may have ended since.
                let _ = kill_process_group(group, Signal::KILL);
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        false
    }

    fn left(&self) -> Vec<Pid> {
        let known = self
            .processes
            .iter()
            .filter(|(pid, start)| start_of(*pid) == Some(*start))
            .map(|(pid, _)| *pid);
        let young = self
            .bash
            .map_or_else(Vec::new, |bash| started_since(bash, self.began.0));
        known.chain(young).filter(|pid| is_alive(*pid)).collect()
    }

    fn groups_left(&self) -> impl Iterator<Item = Pid> {
        self.groups
            .iter()
            .filter_map(|group| Pid::from_raw(*group))
            .filter(|group| test_kill_process_group(*group).is_ok())
    }
}
