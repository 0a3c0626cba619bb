//! The watchdog's first process: it forks a guard for each request that reaches it, and stands behind the guards. Requests that
//! a waiting guard takes do not come here.
//!
//! It is the subreaper of all guards: if one is killed, its tree falls to the zygote, which
//! ends it. It leaves when the server is gone and the last guard has finished.

use std::collections::BTreeSet;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SocketType, recvmsg,
};
use rustix::process::{
    Pid, WaitOptions, chdir, getpid, getppid, set_child_subreaper, setpgid, setsid, wait,
};

use super::cgroup::ServerGroup;
use super::descendants::{descendants_except, kill_all};
use super::duty::{self, Body, Setup, Work};
use super::guard;
use super::link::{BODY_IN_FILE, MAX_DESCRIPTORS, MAX_PACKET_BYTES, WANTS_CGROUP};
use super::message::{Report, Step};
use super::raw::{self, Forked};
use crate::program_pages::give_back_program;

/// How soon the orphans of a killed guard are looked for again; doubles up to a second while
/// some of them cannot be ended.
const FIRST_SWEEP: Duration = Duration::from_millis(10);
const SLOWEST_SWEEP: Duration = Duration::from_secs(1);

/// Becomes the zygote. Called at load time; never returns to the program.
pub(super) fn run() -> ! {
    let code = match prepare() {
        Ok((socket, signals)) => {
            // It is as large as the whole program, of which it needs little.
            give_back_program();
            Zygote::new(signals).serve(socket)
        }
        Err(_) => 125,
    };
    raw::exit(code)
}

/// Cuts every tie to the process that started us but the socket.
fn prepare() -> Result<(OwnedFd, OwnedFd), Errno> {
    let given = raw::take_stdin()?;
    // Someone who runs the program under our name by hand gets an exit, not a watchdog.
    if rustix::net::sockopt::socket_type(&given)? != SocketType::SEQPACKET {
        return Err(Errno::PROTOTYPE);
    }
    raw::close_from(3)?;
    let socket = rustix::io::fcntl_dupfd_cloexec(&given, 3)?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::CLOEXEC;
    let null = rustix::fs::open(c"/dev/null", flags, rustix::fs::Mode::empty())?;
    // Descriptors 0 to 2 stay taken for good, so that nothing of ours ever lands there.
    for standard in 0..3 {
        raw::place(null.as_fd(), standard)?;
    }
    std::mem::forget(given);
    let signals = raw::watch_children()?;
    own_session();
    let _ = chdir(c"/");
    let _ = rustix::thread::set_name(c"oh-watchdog");
    set_child_subreaper(Some(getpid()))?;
    Ok((socket, signals))
}

/// Leaves the server's session, so that its terminal's signals and its end do not reach us.
///
/// We were born leading a process group, safe from a Ctrl-C from the first moment on; but a leader
/// cannot make a session, so back into the server's group first, now that we ignore signals.
fn own_session() {
    if let Some(group) = raw::group_of(getppid()) {
        let _ = setpgid(None, Some(group));
    }
    let _ = setsid();
}

struct Zygote {
    signals: Rc<OwnedFd>,
    guards: BTreeSet<i32>,
    /// Guards that died before their tree, whose cgroups are still to be removed.
    fallen: Vec<Pid>,
    /// When to look for orphans again, while there are some.
    sweep: Option<Duration>,
    groups: Groups,
}

/// The watchdog's cgroup: looked for when the first tree asks for one.
enum Groups {
    Unknown,
    Known(Option<Rc<ServerGroup>>),
}

impl Zygote {
    fn new(signals: OwnedFd) -> Self {
        Self {
            signals: Rc::new(signals),
            guards: BTreeSet::new(),
            fallen: Vec::new(),
            sweep: None,
            groups: Groups::Unknown,
        }
    }

    /// Answers requests until the server is gone, then waits for the guards.
    fn serve(mut self, socket: OwnedFd) -> i32 {
        let mut buffer = vec![0_u8; MAX_PACKET_BYTES];
        loop {
            let asked = self.wait(Some(&socket));
            self.reap();
            if !asked {
                continue;
            }
            match receive(&socket, &mut buffer) {
                Ok(Some(packet)) => {
                    let used = packet.bytes;
                    if let Some(born) = self.accept(&buffer, packet) {
                        // We are the new guard. The server must see the zygote's death even while
                        // guards live, so its socket is not ours to keep.
                        drop(socket);
                        let (control, work, group) = born;
                        return duty::run(Setup {
                            control,
                            work,
                            buffer,
                            signals: self.signals,
                            group,
                        });
                    }
                    // Environments hold secrets, and the next guard is a copy of this memory.
                    if let Some(used) = buffer.get_mut(..used) {
                        used.fill(0);
                    }
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Ok(None) | Err(_) => break,
            }
        }
        drop(socket);
        // The guards end their trees now; should anyone have slipped through to us, we end them.
        loop {
            if self.guards.is_empty() {
                if self.sweep_orphans() {
                    break;
                }
                self.sweep.get_or_insert(FIRST_SWEEP);
            }
            self.wait(None);
            self.reap();
        }
        if let Groups::Known(Some(group)) = &self.groups {
            group.remove();
        }
        0
    }

    /// Waits for a request or a child; true if it is a request.
    fn wait(&self, socket: Option<&OwnedFd>) -> bool {
        let timeout = self
            .sweep
            .and_then(|interval| Timespec::try_from(interval).ok());
        let mut list = vec![PollFd::new(&*self.signals, PollFlags::IN)];
        list.extend(socket.map(|socket| PollFd::new(socket, PollFlags::IN)));
        if poll(&mut list, timeout.as_ref()).is_err() {
            return false;
        }
        let ready = |at: usize| list.get(at).is_some_and(|fd| !fd.revents().is_empty());
        let (signalled, asked) = (ready(0), ready(1));
        if signalled {
            guard::drain(&self.signals);
        }
        asked
    }

    /// Forks a guard; `Some` is returned in the guard alone.
    fn accept(&mut self, buffer: &[u8], packet: Received) -> Option<Born> {
        let mut descriptors = packet.descriptors.into_iter();
        // Without the control socket there is nobody to tell.
        let control = descriptors.next()?;
        let flags = buffer.first().copied().unwrap_or(0);
        let body = if flags & BODY_IN_FILE == 0 {
            Some(Body::Inline(1..packet.bytes))
        } else {
            descriptors.next().map(Body::File)
        };
        let Some(body) = body.filter(|_| !packet.truncated) else {
            guard::report(&control, &[Report::failed(Step::Descriptors, Errno::MFILE)]);
            return None;
        };
        let group = if flags & WANTS_CGROUP == 0 {
            None
        } else {
            self.group()
        };
        match raw::fork() {
            Ok(Forked::Parent(pid)) => {
                self.guards.insert(pid.as_raw_nonzero().get());
                None
            }
            Ok(Forked::Child) => {
                let descriptors = descriptors.collect();
                Some((control, Work { body, descriptors }, group))
            }
            Err(errno) => {
                guard::report(&control, &[Report::failed(Step::Fork, errno)]);
                None
            }
        }
    }

    fn group(&mut self) -> Option<Rc<ServerGroup>> {
        if let Groups::Known(group) = &self.groups {
            return group.clone();
        }
        let group = ServerGroup::create().map(Rc::new);
        self.groups = Groups::Known(group.clone());
        group
    }

    /// Collects ended guards; when one did not end by itself, ends what it guarded.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let was_guard = self.guards.remove(&pid.as_raw_nonzero().get());
            if was_guard && status.exit_status() != Some(0) {
                self.sweep = Some(FIRST_SWEEP);
                self.fallen.push(pid);
            }
        }
        if let Some(interval) = self.sweep {
            let clean = self.sweep_orphans();
            self.sweep = (!clean).then(|| (interval * 2).min(SLOWEST_SWEEP));
        }
    }

    /// Kills everyone below us who is not under a guard; true if there was nobody.
    fn sweep_orphans(&mut self) -> bool {
        if let Groups::Known(Some(group)) = &self.groups {
            self.fallen.retain(|guard| !group.end_abandoned(*guard));
        } else {
            self.fallen.clear();
        }
        let orphans = || descendants_except(getpid(), &self.guards);
        kill_all(orphans);
        orphans().is_empty() && self.fallen.is_empty()
    }
}

/// What is a guard's alone: its control socket, its first request, its cgroup.
type Born = (OwnedFd, Work, Option<Rc<ServerGroup>>);

struct Received {
    bytes: usize,
    descriptors: Vec<OwnedFd>,
    /// The kernel could not give us all descriptors.
    truncated: bool,
}

/// Takes one request off the socket; `None` when the server is gone.
fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> Result<Option<Received>, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut into = [IoSliceMut::new(buffer)];
    let message = recvmsg(socket, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut descriptors = Vec::new();
    for part in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(list) = part {
            descriptors.extend(list);
        }
    }
    Ok((message.bytes > 0).then_some(Received {
        bytes: message.bytes,
        descriptors,
        truncated: message.flags.contains(ReturnFlags::CTRUNC),
    }))
}
