//! A guard's life: one tree after the other, while the handle in the server has work for it.
//!
//! ```text
//! born with a request ──► guards its tree ──► gone ──► waits ──► the next request ...
//!                                  │                     │
//!                                  └─ handle closed ─────┴─ handle closed, or no work for a while ──► ends
//! ```
//!
//! Nothing of a command is left for the next one: its processes are gone, its descriptors closed, its request is
//! wiped as soon as it runs, and its cgroup is used again only if it is as it was made.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, Shutdown, recv, shutdown};
use rustix::process::{Pid, getpid, getppid, set_child_subreaper};

use super::cgroup::{ServerGroup, TreeGroup};
use super::guard::{Guard, report};
use super::launch::launch;
use super::message::{MESSAGE_BYTES, Order, Report, Step};
use super::pages::Pages;
use super::receive::{Descriptors, receive};

/// How long a guard waits for its next command before it ends.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a guard is born with.
pub(super) struct Setup<'a> {
    /// Our end of the socket to the handle: orders in, reports out, and the sign of its life.
    pub(super) control: OwnedFd,
    /// The first request.
    pub(super) work: Work,
    /// Room for requests, which holds the first.
    pub(super) buffer: Pages,
    /// Readable when a child has changed state.
    pub(super) signals: &'a OwnedFd,
    pub(super) group: Option<&'a ServerGroup>,
}

/// A command to be started and guarded.
pub(super) struct Work {
    pub(super) body: Body,
    /// The command's descriptors.
    pub(super) descriptors: Descriptors,
}

/// Where the request's bytes are.
pub(super) enum Body {
    /// In this part of the buffer.
    Inline(std::ops::Range<usize>),
    File(OwnedFd),
}

/// Becomes a guard; returns the exit code when nothing is left to guard.
pub(super) fn run(setup: Setup<'_>) -> i32 {
    // Without this orphans would leave the tree; the zygote catches what we then cannot see.
    let pid = getpid();
    let _ = set_child_subreaper(Some(pid));
    let _ = rustix::thread::set_name(c"oh-guard");
    let zygote = getppid();
    let mut duty = Duty {
        control: setup.control,
        buffer: setup.buffer,
        signals: setup.signals,
        server_group: setup.group,
        tree_group: None,
        pid,
        zygote,
    };
    let mut work = Some(setup.work);
    while let Some(next) = work {
        work = if duty.guard(next) {
            duty.next_work()
        } else {
            None
        };
    }
    if let Some(group) = duty.tree_group {
        group.remove();
    }
    // With the zygote dead, the last guard takes the watchdog's cgroup away.
    if let (Some(group), true) = (duty.server_group, getppid() != zygote) {
        group.remove();
    }
    0
}

struct Duty<'a> {
    control: OwnedFd,
    buffer: Pages,
    signals: &'a OwnedFd,
    server_group: Option<&'a ServerGroup>,
    /// Kept from one tree to the next, as long as nothing is left in it.
    tree_group: Option<TreeGroup<'a>>,
    pid: Pid,
    zygote: Option<Pid>,
}

impl Duty<'_> {
    /// Starts a command and guards its tree to the end; false if the handle is closed.
    fn guard(&mut self, work: Work) -> bool {
        if self.tree_group.is_none() {
            let group = self.server_group;
            self.tree_group = group.and_then(|group| group.tree(self.pid).ok());
        }
        let group = self.tree_group.as_ref();
        let launched = launch(work, self.buffer.bytes(), group, self.pid);
        // The command has its own copy of the request, which may hold secrets.
        self.buffer.wipe();
        match launched {
            Ok(launched) => {
                let (control, signals) = (&self.control, self.signals);
                Guard::new(control, signals, &mut self.tree_group, launched).watch()
            }
            Err(failure) => {
                report(
                    &self.control,
                    &[Report::failed(failure.step, failure.errno)],
                );
                true
            }
        }
    }

    /// Waits for the next request. None if there will be none, or we are no longer to be trusted with it.
    fn next_work(&mut self) -> Option<Work> {
        loop {
            let mut list = [PollFd::new(&self.control, PollFlags::IN)];
            match poll(&mut list, Timespec::try_from(PATIENCE).ok().as_ref()) {
                Ok(0) => {
                    retire(&self.control);
                    return None;
                }
                Ok(_) => {}
                Err(_) => continue,
            }
            match take_order(&self.control) {
                Ok((Some(Order::Run { bytes }), descriptors)) => {
                    return self.accept(bytes, descriptors);
                }
                // Orders for the tree that is gone, or none at all.
                Ok((Some(Order::Signal { .. } | Order::Terminate { .. }), _))
                | Err(Errno::INTR | Errno::AGAIN) => {}
                Ok((None, _)) | Err(_) => return None,
            }
        }
    }

    /// Takes the rest of a request.
    fn accept(&mut self, bytes: usize, descriptors: Option<Descriptors>) -> Option<Work> {
        // With the zygote dead nobody would stand behind us.
        if getppid() != self.zygote {
            report(&self.control, &[Report::Retired]);
            return None;
        }
        let Some(mut descriptors) = descriptors else {
            let failure = Report::failed(Step::Descriptors, Errno::MFILE);
            report(&self.control, &[failure]);
            return None;
        };
        let body = if bytes == 0 {
            Body::File(descriptors.take_first()?)
        } else {
            self.fill(bytes)?;
            Body::Inline(0..bytes)
        };
        Some(Work { body, descriptors })
    }

    /// Reads so many bytes into the buffer. They were sent at once, but may come in pieces.
    fn fill(&mut self, bytes: usize) -> Option<()> {
        let mut room = self.buffer.bytes_mut().get_mut(..bytes)?;
        while !room.is_empty() {
            match recv(&self.control, &mut *room, RecvFlags::DONTWAIT) {
                Ok((0, _)) => return None,
                Ok((read, _)) => room = room.get_mut(read..)?,
                Err(Errno::AGAIN) => {
                    let mut list = [PollFd::new(&self.control, PollFlags::IN)];
                    let _ = poll(&mut list, None);
                }
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
        Some(())
    }
}

/// Takes no more work: nothing can be sent from now on, and what was sent just before is given back.
fn retire(control: &OwnedFd) {
    let _ = shutdown(control, Shutdown::Read);
    if let Ok((Some(Order::Run { .. }), _)) = take_order(control) {
        report(control, &[Report::Retired]);
    }
}

/// An order with the descriptors that came along; `None` in their place if not all could be received.
fn take_order(control: &OwnedFd) -> Result<(Option<Order>, Option<Descriptors>), Errno> {
    let mut bytes = [0_u8; MESSAGE_BYTES];
    let message = receive(control, &mut bytes, RecvFlags::DONTWAIT)?;
    let order = bytes.get(..message.bytes).and_then(Order::decode);
    Ok((order, (!message.truncated).then_some(message.descriptors)))
}

#[cfg(test)]
#[path = "duty_tests.rs"]
mod tests;
