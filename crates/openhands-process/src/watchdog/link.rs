//! The server's side of the watchdog: starts it when the first tree is asked for, sends requests,
//! and starts another if it died.
//!
//! There is one watchdog per process, in the process's only global of this crate: it belongs to the
//! process as its pid does, and is never anything but "running" or "to be started".

use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags,
    SocketType, recv, sendmsg, socketpair,
};
use tokio::io::Interest;
use tokio::net::UnixDatagram;

use super::message::Order;
use super::{NAME, raw};

/// First byte of a packet: the request's bytes are in the second descriptor, not in the packet.
pub(super) const BODY_IN_FILE: u8 = 1;
/// First byte of a packet: the tree wants a cgroup.
pub(super) const WANTS_CGROUP: u8 = 2;

/// Longest packet; longer requests go through a file in memory. Well below the smallest usual
/// socket buffer (208 KiB), so that a packet always fits.
pub(super) const MAX_PACKET_BYTES: usize = 64 << 10;

/// Most descriptors of a request (the kernel's limit for a message is 253).
pub(crate) const MAX_DESCRIPTORS: usize = 64;

/// Most guards that wait for their next command. Those that wait too long end by themselves.
const MAX_IDLE_GUARDS: usize = 16;

/// The kernel would note in the memory of every guard which processor it is on, for the C library: a page for nothing.
const NO_NOTES: &str = "glibc.pthread.rseq=0";

static WATCHDOG: Mutex<Option<Arc<Watchdog>>> = Mutex::new(None);

/// Why a request did not reach the watchdog.
#[derive(Debug)]
pub(crate) enum LinkError {
    /// The load-time hook is not part of this program.
    NotLinked,
    /// The watchdog could not be started.
    Start(io::Error),
    /// The request could not be sent.
    Send(io::Error),
}

struct Watchdog {
    socket: OwnedFd,
    process: Mutex<Child>,
    /// The control sockets of guards whose tree is gone, the latest last: it is asked first, and the others may end.
    idle: Mutex<Vec<OwnedFd>>,
}

/// A guard that waits for a command, by its control socket. It may be gone by the time it is asked.
pub(crate) fn idle_guard() -> Option<OwnedFd> {
    let watchdog = WATCHDOG.lock().clone()?;
    let mut idle = watchdog.idle.lock();
    while let Some(guard) = idle.pop() {
        if is_waiting(&guard) {
            return Some(guard);
        }
    }
    None
}

/// Keeps a guard whose tree is gone for another command.
pub(crate) fn keep_guard(guard: OwnedFd) {
    let Some(watchdog) = WATCHDOG.lock().clone() else {
        return;
    };
    let mut idle = watchdog.idle.lock();
    if idle.len() >= MAX_IDLE_GUARDS {
        idle.retain(is_waiting);
    }
    if idle.len() < MAX_IDLE_GUARDS {
        idle.push(guard);
    }
}

/// Whether the guard at the other end has not ended. It has nothing to say while it waits.
fn is_waiting(guard: &OwnedFd) -> bool {
    let mut byte = [0_u8; 1];
    let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
    recv(guard, &mut byte[..], flags).is_err_and(|errno| errno == Errno::AGAIN)
}

/// Sends a request to a guard that waits for one. An error means that nothing of it is done.
pub(crate) fn send_to_guard(
    guard: impl AsFd,
    body: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> rustix::io::Result<()> {
    let mut descriptors = descriptors.to_vec();
    let file;
    let mut inline = body;
    if body.len() >= MAX_PACKET_BYTES {
        file = in_memory(body)?;
        descriptors.insert(0, file.as_fd());
        inline = &[];
    }
    let order = Order::Run {
        bytes: inline.len(),
    };
    let head = order.encode();
    // Its queue is empty: what does not fit now never does, and the guard gives up when the socket is closed.
    if send_packet(guard, &head, inline, &descriptors)? == head.len() + inline.len() {
        Ok(())
    } else {
        Err(Errno::MSGSIZE)
    }
}

/// Sends a request with its descriptors, of which the first is the tree's control socket.
pub(crate) async fn send(
    body: &[u8],
    descriptors: &[BorrowedFd<'_>],
    wants_cgroup: bool,
) -> Result<(), LinkError> {
    let mut flags = if wants_cgroup { WANTS_CGROUP } else { 0 };
    let mut descriptors = descriptors.to_vec();
    let file;
    let mut inline = body;
    if body.len() >= MAX_PACKET_BYTES {
        file = in_memory(body).map_err(|errno| LinkError::Send(errno.into()))?;
        descriptors.insert(1, file.as_fd());
        flags |= BODY_IN_FILE;
        inline = &[];
    }
    // A watchdog that died since the last request is replaced; one that dies again is a fault.
    for last_try in [false, true] {
        let watchdog = running()?;
        match deliver(&watchdog.socket, &[flags], inline, &descriptors).await {
            Err(error) if !last_try && error.kind() == io::ErrorKind::BrokenPipe => {
                discard(&watchdog);
            }
            result => return result.map_err(LinkError::Send),
        }
    }
    Err(LinkError::Send(Errno::PIPE.into()))
}

fn in_memory(body: &[u8]) -> rustix::io::Result<OwnedFd> {
    let file = rustix::fs::memfd_create(c"openhands-request", MemfdFlags::CLOEXEC)?;
    let mut rest = body;
    while !rest.is_empty() {
        match rustix::io::write(&file, rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(file)
}

/// Sends one packet, waiting if the watchdog has a queue of them.
async fn deliver(
    socket: &OwnedFd,
    head: &[u8],
    body: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let attempt = || send_packet(socket, head, body, descriptors).map(drop);
    match attempt() {
        Err(Errno::AGAIN) => {}
        result => return Ok(result?),
    }
    // A duplicate, because each caller may run in a different runtime. The datagram type is only
    // the runtime's way to wait for a socket of packets.
    let waiting = UnixDatagram::from_std(socket.try_clone()?.into())?;
    waiting
        .async_io(Interest::WRITABLE, || Ok(attempt()?))
        .await
}

fn send_packet(
    socket: impl AsFd,
    head: &[u8],
    body: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> rustix::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(Errno::TOOMANYREFS);
    }
    let parts = [IoSlice::new(head), IoSlice::new(body)];
    let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
    sendmsg(socket, &parts, &mut ancillary, flags)
}

/// The watchdog, started if there is none.
fn running() -> Result<Arc<Watchdog>, LinkError> {
    let mut place = WATCHDOG.lock();
    if let Some(watchdog) = &*place {
        return Ok(Arc::clone(watchdog));
    }
    let watchdog = Arc::new(start()?);
    *place = Some(Arc::clone(&watchdog));
    Ok(watchdog)
}

fn start() -> Result<Watchdog, LinkError> {
    if !raw::hooked() {
        return Err(LinkError::NotLinked);
    }
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let (socket, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)
        .map_err(|errno| LinkError::Start(errno.into()))?;
    // The link in /proc reaches the program that runs now, even if its file was deleted or replaced.
    let process = Command::new("/proc/self/exe")
        .arg0(NAME.to_str().unwrap_or_default())
        .env_clear()
        .env("GLIBC_TUNABLES", NO_NOTES)
        .process_group(0)
        .stdin(theirs)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(LinkError::Start)?;
    Ok(Watchdog {
        socket,
        process: Mutex::new(process),
        idle: Mutex::default(),
    })
}

/// Forgets a dead watchdog, so that the next request starts another.
fn discard(dead: &Arc<Watchdog>) {
    let mut place = WATCHDOG.lock();
    if place
        .as_ref()
        .is_some_and(|current| Arc::ptr_eq(current, dead))
    {
        *place = None;
    }
    drop(place);
    // Its socket is closed, so it is dead or dying: this only collects it.
    let mut process = dead.process.lock();
    let _ = process.kill();
    let _ = process.wait();
}
