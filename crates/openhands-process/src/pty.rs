//! A pseudo-terminal: its two ends, and asynchronous reading and writing of the master.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::OFlags;
use rustix::process::Pid;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, ptsname, unlockpt};
use rustix::termios::{
    LocalModes, SpecialCodeIndex, Termios, Winsize, tcgetattr, tcgetpgrp, tcsetwinsize,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Rows and columns of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Lines on the screen.
    pub rows: u16,
    /// Characters on a line.
    pub columns: u16,
}

/// The end of the terminal that a terminal emulator holds.
#[derive(Debug)]
pub(crate) struct Master {
    fd: AsyncFd<OwnedFd>,
}

/// The end that programs hold, and the path by which they can open it again.
#[derive(Debug)]
pub(crate) struct Slave {
    pub(crate) fd: OwnedFd,
    pub(crate) path: PathBuf,
}

/// What a control character means to the terminal at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A byte for the program.
    Plain,
    /// The terminal driver turns it into this signal; `echo` says whether it would show the key as well.
    Signal {
        signal: rustix::process::Signal,
        echo: bool,
    },
}

/// Opens a new terminal of this size. Must be called within a tokio runtime.
pub(crate) fn open(size: Size) -> io::Result<(Master, Slave)> {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    let path = ptsname(&master, Vec::new())?;
    let slave = ioctl_tiocgptpeer(
        &master,
        OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC,
    )?;
    tcsetwinsize(&slave, winsize(size))?;
    let flags = rustix::fs::fcntl_getfl(&master)?;
    rustix::fs::fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;
    let path = PathBuf::from(path.into_string().map_err(io::Error::other)?);
    Ok((
        Master {
            fd: registered(master, Interest::READABLE | Interest::WRITABLE)?,
        },
        Slave { fd: slave, path },
    ))
}

/// Registers a descriptor with the runtime, which owns it from then on.
#[expect(
    deprecated,
    reason = "unsound only for types whose descriptor can change; the replacement is unsafe to call"
)]
pub(crate) fn registered(fd: OwnedFd, interest: Interest) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(fd, interest)
}

fn winsize(size: Size) -> Winsize {
    Winsize {
        ws_row: size.rows,
        ws_col: size.columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

impl Master {
    /// Waits until there is something to read, or the last slave is closed.
    pub(crate) async fn readable(
        &self,
    ) -> io::Result<tokio::io::unix::AsyncFdReadyGuard<'_, OwnedFd>> {
        self.fd.readable().await
    }

    /// Reads what is there now. `Ok(0)` and an error other than `WouldBlock` mean that nobody holds the slave.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        rustix::io::read(self.fd.get_ref(), buffer).map_err(Into::into)
    }

    /// Writes all of this, waiting whenever the terminal's input queue is full.
    ///
    /// Dropping the future keeps what was written so far.
    pub(crate) async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut guard = self.fd.writable().await?;
            if let Ok(written) =
                guard.try_io(|fd| rustix::io::write(fd.get_ref(), bytes).map_err(Into::into))
            {
                bytes = bytes.get(written?..).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// The process group that the terminal's signals go to.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(self.fd.get_ref().as_fd()).ok()
    }

    /// What this byte, typed, would do now.
    pub(crate) fn meaning(&self, byte: u8) -> Meaning {
        let Ok(modes) = tcgetattr(self.fd.get_ref()) else {
            return Meaning::Plain;
        };
        signal_of(&modes, byte)
    }
}

fn signal_of(modes: &Termios, byte: u8) -> Meaning {
    use rustix::process::Signal;
    if byte == 0 || !modes.local_modes.contains(LocalModes::ISIG) {
        return Meaning::Plain;
    }
    let echo = modes.local_modes.contains(LocalModes::ECHO);
    for (code, signal) in [
        (SpecialCodeIndex::VINTR, Signal::INT),
        (SpecialCodeIndex::VQUIT, Signal::QUIT),
        (SpecialCodeIndex::VSUSP, Signal::TSTP),
    ] {
        if modes.special_codes[code] == byte {
            return Meaning::Signal { signal, echo };
        }
    }
    Meaning::Plain
}
