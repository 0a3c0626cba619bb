//! The watchdog's first process: it forks a guard for each request that reaches it, and stands behind the guards. Requests that
//! a waiting guard takes do not come here.
//!
//! What it changes from one fork to the next is a page of memory for every guard, which has the old one. So it leaves the heap
//! alone while nothing goes wrong, and what it must write down is where no guard inherits it.
//!
//! It is the subreaper of all guards: if one is killed, its tree falls to the zygote, which
//! ends it. It leaves when the server is gone and the last guard has finished.

use std::os::fd::{AsFd as _, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SocketType};
use rustix::process::{
    Pid, WaitOptions, chdir, getpid, getppid, set_child_subreaper, setpgid, setsid, wait,
};

use super::cgroup::ServerGroup;
use super::descendants::{descendants_except, kill_all};
use super::duty::{self, Body, Setup, Work};
use super::guard;
use super::guards::Guards;
use super::link::{BODY_IN_FILE, MAX_PACKET_BYTES, WANTS_CGROUP};
use super::message::{Report, Step};
use super::pages::Pages;
use super::raw::{self, Forked};
use super::receive::{Received, receive};
use crate::program_pages::give_back_program;

/// How soon the orphans of a killed guard are looked for again; doubles up to a second while
/// some of them cannot be ended.
const FIRST_SWEEP: Duration = Duration::from_millis(10);
const SLOWEST_SWEEP: Duration = Duration::from_secs(1);

/// Becomes the zygote. Called at load time; never returns to the program.
pub(super) fn run() -> ! {
    let code = match prepare() {
        Ok((socket, zygote)) => {
            // It is as large as the whole program, of which it needs little.
            give_back_program();
            zygote.serve(socket)
        }
        Err(_) => 125,
    };
    raw::exit(code)
}

/// Cuts every tie to the process that started us but the socket.
fn prepare() -> Result<(OwnedFd, Zygote), Errno> {
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
    Ok((socket, Zygote::new(signals)?))
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
    signals: OwnedFd,
    guards: Guards,
    /// Room for a request.
    buffer: Pages,
    /// Guards that died before their tree, whose cgroups are still to be removed.
    fallen: Vec<Pid>,
    /// When to look for orphans again, while there are some.
    sweep: Option<Duration>,
    groups: Groups,
}

/// The watchdog's cgroup: looked for when the first tree asks for one.
enum Groups {
    Unknown,
    Known(Option<ServerGroup>),
}

impl Groups {
    fn known(&self) -> Option<&ServerGroup> {
        match self {
            Self::Known(group) => group.as_ref(),
            Self::Unknown => None,
        }
    }
}

impl Zygote {
    fn new(signals: OwnedFd) -> Result<Self, Errno> {
        Ok(Self {
            signals,
            guards: Guards::new()?,
            buffer: Pages::new(MAX_PACKET_BYTES)?,
            fallen: Vec::new(),
            sweep: None,
            groups: Groups::Unknown,
        })
    }

    /// Answers requests until the server is gone, then waits for the guards.
    fn serve(mut self, socket: OwnedFd) -> i32 {
        loop {
            let asked = self.wait(Some(&socket));
            self.reap();
            if !asked {
                continue;
            }
            match receive(&socket, self.buffer.bytes_mut(), RecvFlags::empty()) {
                Ok(packet) if packet.bytes > 0 => {
                    if let Some(born) = self.accept(packet) {
                        // We are the new guard. The server must see the zygote's death even while
                        // guards live, so its socket is not ours to keep.
                        drop(socket);
                        return duty::run(Setup {
                            control: born.control,
                            work: born.work,
                            buffer: self.buffer,
                            signals: &self.signals,
                            group: self.groups.known().filter(|_| born.wants_cgroup),
                        });
                    }
                    // Environments hold secrets, and the next guard is a copy of this memory.
                    self.buffer.wipe();
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Ok(_) | Err(_) => break,
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
        if let Some(group) = self.groups.known() {
            group.remove();
        }
        0
    }

    /// Waits for a request or a child; true if it is a request.
    fn wait(&self, socket: Option<&OwnedFd>) -> bool {
        let timeout = self
            .sweep
            .and_then(|interval| Timespec::try_from(interval).ok());
        let mut list = [
            PollFd::new(&self.signals, PollFlags::IN),
            guard::or_silent(socket, &self.signals),
        ];
        if poll(&mut list, timeout.as_ref()).is_err() {
            return false;
        }
        let [signalled, asked] = list.map(|fd| !fd.revents().is_empty());
        if signalled {
            guard::drain(&self.signals);
        }
        asked
    }

    /// Forks a guard; `Some` is returned in the guard alone.
    fn accept(&mut self, packet: Received) -> Option<Born> {
        let mut descriptors = packet.descriptors;
        // Without the control socket there is nobody to tell.
        let control = descriptors.take_first()?;
        let flags = self.buffer.bytes().first().copied().unwrap_or(0);
        let body = if flags & BODY_IN_FILE == 0 {
            Some(Body::Inline(1..packet.bytes))
        } else {
            descriptors.take_first().map(Body::File)
        };
        let Some(body) = body.filter(|_| !packet.truncated) else {
            guard::report(&control, &[Report::failed(Step::Descriptors, Errno::MFILE)]);
            return None;
        };
        let wants_cgroup = flags & WANTS_CGROUP != 0;
        if let (true, Groups::Unknown) = (wants_cgroup, &self.groups) {
            self.groups = Groups::Known(ServerGroup::create());
        }
        match raw::fork() {
            Ok(Forked::Parent(pid)) => {
                self.guards.insert(pid);
                None
            }
            Ok(Forked::Child) => Some(Born {
                control,
                work: Work { body, descriptors },
                wants_cgroup,
            }),
            Err(errno) => {
                guard::report(&control, &[Report::failed(Step::Fork, errno)]);
                None
            }
        }
    }

    /// Collects ended guards; when one did not end by itself, ends what it guarded.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            let was_guard = self.guards.remove(pid);
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
        if let Some(group) = self.groups.known() {
            self.fallen.retain(|guard| !group.end_abandoned(*guard));
        } else {
            self.fallen.clear();
        }
        let orphans = || descendants_except(getpid(), |child| self.guards.contains(child));
        kill_all(orphans);
        orphans().is_empty() && self.fallen.is_empty()
    }
}

/// What is a guard's alone: its control socket, and its first request.
struct Born {
    control: OwnedFd,
    work: Work,
    wants_cgroup: bool,
}
