//! The handle's end of the socket to a tree's guard.
//!
//! Nothing runs for a tree that nobody waits for: whoever waits reads the socket, keeps what it
//! finds for everyone, and wakes the others.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, Shutdown, SocketFlags, SocketType, recv, send, shutdown,
    socketpair,
};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::watch;

use crate::exit::{Exit, UNKNOWN};
use crate::watchdog::{MESSAGE_BYTES, Order, Report, idle_guard, keep_guard, send_to_guard};

/// The exit of a command and the end of its tree often come together.
const REPORTS_AT_ONCE: usize = 4;

/// What the guard has told so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The answer to the request: started or failed.
    first: Option<Report>,
    pub(super) exit: Option<Exit>,
    pub(super) gone: bool,
    pub(super) survivors: Option<i32>,
    /// The guard has ended; nothing more will come.
    pub(super) closed: bool,
}

impl Seen {
    fn take(&mut self, report: Option<Report>) {
        match report {
            Some(Report::Started { .. } | Report::Failed { .. } | Report::Retired) => {
                self.first = report;
            }
            Some(Report::Exited { status }) => {
                self.exit = Some(Exit::from_wait_status(status).unwrap_or(Exit::Code(UNKNOWN)));
            }
            Some(Report::Gone) => self.gone = true,
            Some(Report::Survivors { count }) => self.survivors = Some(count),
            None => {}
        }
    }
}

#[derive(Debug)]
pub(crate) struct Channel {
    /// Taken only when the channel is dropped.
    socket: Option<UnixStream>,
    /// Whether the guard may have another tree after this one.
    reusable: AtomicBool,
    seen: watch::Sender<Seen>,
    /// Held while a report is taken off the socket and written down, so that they are kept in order.
    reading: Mutex<()>,
}

impl Channel {
    /// A channel and the guard's end of its socket.
    pub(crate) fn pair() -> io::Result<(Self, OwnedFd)> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        // A stream, as its reader gets what was sent before an error of the connection. Its messages
        // are too short to be split.
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        Ok((Self::over(ours, false)?, theirs))
    }

    fn over(socket: OwnedFd, reusable: bool) -> io::Result<Self> {
        Ok(Self {
            socket: Some(UnixStream::from_std(socket.into())?),
            reusable: AtomicBool::new(reusable),
            seen: watch::Sender::new(Seen::default()),
            reading: Mutex::new(()),
        })
    }

    /// A channel to a guard that had another tree before and has taken this request. Nothing of it is done if there is
    /// none.
    pub(crate) fn to_idle_guard(
        body: &[u8],
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<Option<Self>> {
        while let Some(guard) = idle_guard() {
            // One that ended since is not the only one.
            if send_to_guard(&guard, body, descriptors).is_ok() {
                return Self::over(guard, true).map(Some);
            }
        }
        Ok(None)
    }

    /// Lets the guard have another tree when this one is gone.
    pub(crate) fn may_be_used_again(&self) {
        self.reusable.store(true, Ordering::Relaxed);
    }

    fn socket(&self) -> io::Result<&UnixStream> {
        let taken = || io::ErrorKind::NotConnected.into();
        self.socket.as_ref().ok_or_else(taken)
    }

    /// The guard's answer to the request; `None` if it has died.
    pub(crate) async fn first_report(&self) -> Option<Report> {
        self.until(|seen| match seen.first {
            Some(report) => Some(Some(report)),
            None => seen.closed.then_some(None),
        })
        .await
    }

    /// Waits until `pick` finds what it looks for.
    pub(super) async fn until<T>(&self, pick: impl Fn(&Seen) -> Option<T>) -> T {
        // Subscribed before the first look: whoever reads a report that we want wakes us.
        let mut changes = self.seen.subscribe();
        loop {
            let found = pick(&changes.borrow_and_update());
            if let Some(found) = found {
                return found;
            }
            tokio::select! {
                _ = changes.changed() => {}
                ready = self.readable() => match ready {
                    Ok(socket) => while let Ok(true) = socket.try_io(Interest::READABLE, || self.read()) {},
                    // The runtime is shutting down: nothing more will be read.
                    Err(_) => self.note(|seen| seen.closed = true),
                },
            }
        }
    }

    async fn readable(&self) -> io::Result<&UnixStream> {
        let socket = self.socket()?;
        socket.readable().await?;
        Ok(socket)
    }

    /// What is known by now.
    pub(super) fn now(&self) -> Seen {
        // Past the runtime, which learns of news only when it has a turn.
        while let Ok(true) = self.read() {}
        *self.seen.borrow()
    }

    /// Sends an order to the guard. An error if there is nobody left whom it could reach.
    pub(super) fn send(&self, order: Order) -> io::Result<()> {
        if self.now().gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        send(self.socket()?, &order.encode(), flags)?;
        Ok(())
    }

    /// Ends the guard's leave to let the tree live: it kills it, and still reports to us.
    pub(super) fn close(&self) {
        self.reusable.store(false, Ordering::Relaxed);
        if let Ok(socket) = self.socket() {
            // Fails only if the guard has ended already.
            let _ = shutdown(socket, Shutdown::Write);
        }
    }

    /// Takes reports off the socket; false at its end.
    fn read(&self) -> io::Result<bool> {
        let socket = self.socket()?;
        let _order = self.reading.lock();
        let mut buffer = [0_u8; MESSAGE_BYTES * REPORTS_AT_ONCE];
        let read = match recv(socket, &mut buffer[..], RecvFlags::DONTWAIT) {
            Ok((read, _)) => read,
            Err(Errno::INTR) => return Ok(true),
            Err(Errno::AGAIN) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(_) => 0,
        };
        if read == 0 {
            self.note(|seen| seen.closed = true);
            return Ok(false);
        }
        let (reports, _) = buffer.as_chunks::<MESSAGE_BYTES>();
        self.note(|seen| {
            for report in reports.iter().take(read / MESSAGE_BYTES) {
                seen.take(Report::decode(report));
            }
        });
        Ok(true)
    }

    fn note(&self, change: impl FnOnce(&mut Seen)) {
        self.seen.send_modify(change);
    }
}

impl Drop for Channel {
    /// Keeps the guard for another tree if nothing is left of this one; otherwise the end of the socket is its order to kill.
    fn drop(&mut self) {
        if !self.reusable.load(Ordering::Relaxed) {
            return;
        }
        let seen = self.now();
        if !seen.gone || seen.closed {
            return;
        }
        let socket = self.socket.take().map(UnixStream::into_std);
        if let Some(Ok(socket)) = socket {
            keep_guard(socket.into());
        }
    }
}
