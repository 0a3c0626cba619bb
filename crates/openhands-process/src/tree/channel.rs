//! The handle's end of the socket to a tree's guard.
//!
//! Nothing runs for a tree that nobody waits for: whoever waits reads the socket, keeps what it
//! finds for everyone, and wakes the others.

use std::io;
use std::os::fd::OwnedFd;

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
use crate::watchdog::{MESSAGE_BYTES, Order, Report};

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

#[derive(Debug)]
pub(crate) struct Channel {
    socket: UnixStream,
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
        let channel = Self {
            socket: UnixStream::from_std(ours.into())?,
            seen: watch::Sender::new(Seen::default()),
            reading: Mutex::new(()),
        };
        Ok((channel, theirs))
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
                ready = self.socket.readable() => match ready {
                    Ok(()) => while let Ok(true) = self.socket.try_io(Interest::READABLE, || self.read()) {},
                    // The runtime is shutting down: nothing more will be read.
                    Err(_) => self.note(|seen| seen.closed = true),
                },
            }
        }
    }

    /// What is known by now.
    pub(super) fn now(&self) -> Seen {
        // Past the runtime, which learns of news only when it has a turn.
        while let Ok(true) = self.read() {}
        *self.seen.borrow()
    }

    /// Sends an order to the guard.
    pub(super) fn send(&self, order: Order) -> io::Result<()> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        send(&self.socket, &order.encode(), flags)?;
        Ok(())
    }

    /// Ends the guard's leave to let the tree live: it kills it, and still reports to us.
    pub(super) fn close(&self) {
        // Fails only if the guard has ended already.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }

    /// Takes one report off the socket; false at its end.
    fn read(&self) -> io::Result<bool> {
        let _order = self.reading.lock();
        let mut buffer = [0_u8; MESSAGE_BYTES];
        let read = match recv(&self.socket, &mut buffer[..], RecvFlags::DONTWAIT) {
            Ok((read, _)) => read,
            Err(Errno::INTR) => return Ok(true),
            Err(Errno::AGAIN) => return Err(io::ErrorKind::WouldBlock.into()),
            Err(_) => 0,
        };
        if read == 0 {
            self.note(|seen| seen.closed = true);
            return Ok(false);
        }
        if let Some(report) = buffer.get(..read).and_then(Report::decode) {
            self.note(|seen| match report {
                Report::Started { .. } | Report::Failed { .. } => seen.first = Some(report),
                Report::Exited { status } => {
                    seen.exit = Some(Exit::from_wait_status(status).unwrap_or(Exit::Code(UNKNOWN)));
                }
                Report::Gone => seen.gone = true,
                Report::Survivors { count } => seen.survivors = Some(count),
            });
        }
        Ok(true)
    }

    fn note(&self, change: impl FnOnce(&mut Seen)) {
        self.seen.send_modify(change);
    }
}
