//! The guard of one tree: parent of the command, subreaper of all it starts, and its end.
//!
//! ```text
//!           exec'd                    order, or handle closed
//! launching ──────► running ──────────┬────────────► killing ──► gone
//!     │                │  terminate   │ grace over      ▲
//!     │                └────► grace ──┴─────────────────┘
//!     └─ failed        (from every state: nobody left ──────────► gone)
//! ```

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait};

use super::cgroup::TreeGroup;
use super::descendants::{descendants, in_group, is_alive, kill_all};
use super::launch::{Launched, decode_outcome};
use super::message::{MESSAGE_BYTES, Order, Report};

/// How soon a kill is repeated while processes are left that do not end; doubles up to a second.
const FIRST_REPEAT: Duration = Duration::from_millis(5);
const SLOWEST_REPEAT: Duration = Duration::from_secs(1);

/// Sends reports, in one go. A handle that is gone needs none.
pub(super) fn report(control: &OwnedFd, reports: &[Report]) {
    // The end of a command and that of its tree are the most that is told at once.
    let mut room = [[0; MESSAGE_BYTES]; 2];
    let mut bytes = 0;
    for (place, report) in room.iter_mut().zip(reports) {
        *place = report.encode();
        bytes += MESSAGE_BYTES;
    }
    let told = room.as_flattened().get(..bytes).unwrap_or_default();
    let _ = send(control, told, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
}

/// Empties a signal descriptor: how many signals came does not matter, only that one did. One read does, as signals of
/// a kind that wait are one.
pub(super) fn drain(signals: &OwnedFd) {
    let mut buffer = [0_u8; 128];
    let _ = rustix::io::read(signals, &mut buffer);
}

/// What to wait for at a descriptor, if there is one. If not, for nothing at one that has nothing else to say.
pub(super) fn or_silent<'a>(fd: Option<&'a OwnedFd>, signals: &'a OwnedFd) -> PollFd<'a> {
    match fd {
        Some(fd) => PollFd::new(fd, PollFlags::IN),
        None => PollFd::new(signals, PollFlags::empty()),
    }
}

enum Phase {
    Running,
    /// Asked to end; killed at this time.
    Grace(Instant),
    /// Being killed; repeated after this time if anyone is left.
    Killing(Duration),
}

pub(super) struct Guard<'a, 'b> {
    control: &'a OwnedFd,
    /// False once the handle has closed its direction; ours stays open for the last report.
    listening: bool,
    signals: &'a OwnedFd,
    /// The cgroup of the tree; taken away if it cannot serve the next.
    group: &'a mut Option<TreeGroup<'b>>,
    /// The command's process, which leads its session and process group.
    command: Pid,
    /// Whether the command is not reaped yet, so that its pid cannot be anyone else's.
    running: bool,
    /// Wait status of a command that ended before its start was told.
    untold: Option<i32>,
    /// Open until exec has happened or failed.
    launching: Option<OwnedFd>,
    phase: Phase,
    told_survivors: bool,
}

/// Which of the guard's descriptors have something to say.
#[derive(Default)]
struct Ready {
    control: bool,
    launching: bool,
}

impl<'a, 'b> Guard<'a, 'b> {
    pub(super) fn new(
        control: &'a OwnedFd,
        signals: &'a OwnedFd,
        group: &'a mut Option<TreeGroup<'b>>,
        launched: Launched,
    ) -> Self {
        Self {
            control,
            listening: true,
            signals,
            group,
            command: launched.pid,
            running: true,
            untold: None,
            launching: Some(launched.outcome),
            phase: Phase::Running,
            told_survivors: false,
        }
    }

    /// Guards the tree until it is gone; false if the handle is closed.
    pub(super) fn watch(mut self) -> bool {
        loop {
            let nobody_left = self.reap();
            let gone = nobody_left && self.launching.is_none() && self.group_is_empty();
            self.tell_end(gone);
            if gone {
                return self.listening;
            }
            self.advance();
            let Ok(ready) = self.wait(nobody_left) else {
                continue;
            };
            if ready.launching && self.launch_failed() {
                return self.listening;
            }
            if ready.control {
                self.take_order();
            }
        }
    }

    /// Collects every child that ended; true if there is no child left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.command => {
                    self.running = false;
                    self.untold = Some(status.as_raw());
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Tells how the command ended, once it is told that it started, and whether its tree is gone.
    fn tell_end(&mut self, gone: bool) {
        let exited = if self.launching.is_none() {
            self.untold.take()
        } else {
            None
        };
        let exited = exited.map(|status| Report::Exited { status });
        match (exited, gone) {
            (Some(exited), true) => report(self.control, &[exited, Report::Gone]),
            (Some(exited), false) => self.tell(exited),
            (None, true) => self.tell(Report::Gone),
            (None, false) => {}
        }
    }

    /// Whether nobody is in the tree's cgroup; someone may be who is not our descendant. One that is not as it was made
    /// is removed.
    fn group_is_empty(&mut self) -> bool {
        let Some(group) = &*self.group else {
            return true;
        };
        if group.is_as_new() {
            return true;
        }
        let removed = group.remove();
        if removed {
            *self.group = None;
        }
        removed
    }

    /// Does what the phase asks for now.
    fn advance(&mut self) {
        match self.phase {
            Phase::Running => {}
            Phase::Grace(until) => {
                let leaderless = !self.running && in_group(getpid(), self.command).is_empty();
                if leaderless || Instant::now() >= until {
                    self.phase = Phase::Killing(FIRST_REPEAT);
                    self.kill();
                }
            }
            Phase::Killing(repeat) => {
                self.phase = Phase::Killing((repeat * 2).min(SLOWEST_REPEAT));
                self.kill();
            }
        }
    }

    #[inline(never)]
    fn kill(&mut self) {
        if let Some(group) = &*self.group {
            group.kill();
        }
        let refused = kill_all(|| descendants(getpid()));
        if refused.is_empty() || self.told_survivors {
            return;
        }
        // Told when nobody else is left, so that the answer to a kill is final.
        let others = |pid: &Pid| !refused.contains(&pid.as_raw_nonzero().get()) && is_alive(*pid);
        if !descendants(getpid()).iter().any(others) {
            self.told_survivors = true;
            self.tell(Report::Survivors {
                count: i32::try_from(refused.len()).unwrap_or(i32::MAX),
            });
        }
    }

    fn wait(&mut self, nobody_left: bool) -> Result<Ready, Errno> {
        let timeout = match self.phase {
            Phase::Running => None,
            Phase::Grace(until) => Some(until.saturating_duration_since(Instant::now())),
            Phase::Killing(repeat) => Some(repeat),
        };
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        // Only strangers in the cgroup are left: their end sends us no signal.
        let events = self
            .group
            .as_ref()
            .filter(|_| nobody_left)
            .and_then(|group| group.events().ok());
        if nobody_left && self.launching.is_none() && self.group_is_empty() {
            return Ok(Ready::default());
        }
        // Not when the handle is closed: that is told for ever, and would keep us awake.
        let control = self.listening.then_some(self.control);
        let mut list = [
            PollFd::new(self.signals, PollFlags::IN),
            or_silent(control, self.signals),
            or_silent(self.launching.as_ref(), self.signals),
            events.as_ref().map_or_else(
                || or_silent(None, self.signals),
                |events| PollFd::new(events, PollFlags::PRI),
            ),
        ];
        poll(&mut list, timeout.as_ref())?;
        let [signalled, control, launching, _] = list.map(|fd| !fd.revents().is_empty());
        if signalled {
            drain(self.signals);
        }
        Ok(Ready { control, launching })
    }

    /// Reads how the exec went. If there is no command, says why and ends the tree's traces.
    fn launch_failed(&mut self) -> bool {
        let Some(outcome) = self.launching.take() else {
            return false;
        };
        let mut bytes = [0_u8; 8];
        let read = rustix::io::read(&outcome, &mut bytes).unwrap_or(0);
        let Some(failure) = bytes.get(..read).and_then(decode_outcome) else {
            self.tell(Report::Started {
                pid: self.command.as_raw_nonzero().get(),
            });
            return false;
        };
        // Nothing of it has run yet; it is on its way to exit by itself.
        if self.running {
            let _ = rustix::process::waitpid(Some(self.command), WaitOptions::empty());
        }
        self.tell(Report::failed(failure.step, failure.errno));
        true
    }

    fn take_order(&mut self) {
        let mut buffer = [0_u8; MESSAGE_BYTES];
        let order = match recv(self.control, &mut buffer[..], RecvFlags::DONTWAIT) {
            Err(Errno::INTR | Errno::AGAIN) => return,
            Ok((read, _)) if read > 0 => buffer.get(..read).and_then(Order::decode),
            // The handle asked for the kill, was dropped, or died with the server.
            Ok(_) | Err(_) => {
                self.listening = false;
                self.phase = Phase::Killing(FIRST_REPEAT);
                return;
            }
        };
        match order {
            Some(Order::Signal { signal }) => self.signal(signal),
            Some(Order::Terminate { signal, grace }) => {
                self.signal(signal);
                if matches!(self.phase, Phase::Running) {
                    self.phase = Phase::Grace(Instant::now() + grace);
                }
            }
            // Not while there is a tree.
            Some(Order::Run { .. }) | None => {}
        }
    }

    /// Signals the command's process group.
    fn signal(&self, number: i32) {
        let Some(signal) = Signal::from_named_raw(number) else {
            return;
        };
        if self.running {
            let _ = kill_process_group(self.command, signal);
            return;
        }
        // The leader's pid may have been reused: only members that are ours are meant.
        for member in in_group(getpid(), self.command) {
            let _ = kill_process(member, signal);
        }
    }

    fn tell(&self, what: Report) {
        report(self.control, &[what]);
    }
}
