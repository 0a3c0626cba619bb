//! The fixed-size messages between a tree's guard and the handle in the server.
//!
//! Each is three integers: a kind and two numbers. Closing the handle's direction of
//! the socket (or dying) is the order to kill the tree, so no such message can be lost.
//! After the order to run a command come the bytes of its request.

use std::time::Duration;

use rustix::io::Errno;

/// Bytes of an encoded message.
pub(crate) const MESSAGE_BYTES: usize = 12;

pub(crate) type Packet = [u8; MESSAGE_BYTES];

/// What the guard tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The command runs; its process id, which is also its session and process group.
    Started { pid: i32 },
    /// There is no command; which step of starting it failed.
    Failed { step: Step, errno: i32 },
    /// The command ended with this wait status.
    Exited { status: i32 },
    /// No process of the tree is left.
    Gone,
    /// The kill is complete but for this many processes that we may not signal.
    Survivors { count: i32 },
    /// The guard takes no more commands; nothing of this one was done.
    Retired,
}

/// What the handle asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Send a signal to the command's process group.
    Signal { signal: i32 },
    /// Send the signal, then kill everything when the grace is over.
    Terminate { signal: i32, grace: Duration },
    /// Guard another command, now that the last tree is gone. Its descriptors come with the order, and then so many
    /// bytes of request; none if they are in a file, which is the first descriptor.
    Run { bytes: usize },
}

/// The steps of starting a command, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Step {
    Request = 1,
    Fork,
    Session,
    Nice,
    User,
    Descriptors,
    Terminal,
    Directory,
    Exec,
    /// The program is there, but the interpreter or loader that it names is not.
    Interpreter,
}

impl Step {
    const ALL: [Self; 10] = [
        Self::Request,
        Self::Fork,
        Self::Session,
        Self::Nice,
        Self::User,
        Self::Descriptors,
        Self::Terminal,
        Self::Directory,
        Self::Exec,
        Self::Interpreter,
    ];

    pub(crate) fn from_number(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|step| *step as i32 == number)
    }
}

impl Report {
    pub(crate) fn failed(step: Step, errno: Errno) -> Self {
        Self::Failed {
            step,
            errno: errno.raw_os_error(),
        }
    }

    pub(crate) fn encode(self) -> Packet {
        match self {
            Self::Started { pid } => packet(1, pid, 0),
            Self::Failed { step, errno } => packet(2, step as i32, errno),
            Self::Exited { status } => packet(3, status, 0),
            Self::Gone => packet(4, 0, 0),
            Self::Survivors { count } => packet(5, count, 0),
            Self::Retired => packet(6, 0, 0),
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let [kind, first, second] = numbers(bytes)?;
        match kind {
            1 => Some(Self::Started { pid: first }),
            2 => Some(Self::Failed {
                step: Step::from_number(first)?,
                errno: second,
            }),
            3 => Some(Self::Exited { status: first }),
            4 => Some(Self::Gone),
            5 => Some(Self::Survivors { count: first }),
            6 => Some(Self::Retired),
            _ => None,
        }
    }
}

impl Order {
    pub(crate) fn encode(self) -> Packet {
        match self {
            Self::Signal { signal } => packet(1, signal, 0),
            // A grace beyond 24 days is as good as for ever.
            Self::Terminate { signal, grace } => packet(
                2,
                signal,
                i32::try_from(grace.as_millis()).unwrap_or(i32::MAX),
            ),
            Self::Run { bytes } => packet(3, i32::try_from(bytes).unwrap_or(i32::MAX), 0),
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let [kind, first, second] = numbers(bytes)?;
        match kind {
            1 => Some(Self::Signal { signal: first }),
            2 => Some(Self::Terminate {
                signal: first,
                grace: Duration::from_millis(u64::try_from(second).ok()?),
            }),
            3 => Some(Self::Run {
                bytes: usize::try_from(first).ok()?,
            }),
            _ => None,
        }
    }
}

fn packet(kind: i32, first: i32, second: i32) -> Packet {
    let mut bytes = [0; MESSAGE_BYTES];
    for (place, number) in bytes.chunks_exact_mut(4).zip([kind, first, second]) {
        place.copy_from_slice(&number.to_ne_bytes());
    }
    bytes
}

fn numbers(bytes: &[u8]) -> Option<[i32; 3]> {
    let (words, rest) = bytes.as_chunks::<4>();
    match (words, rest) {
        ([kind, first, second], []) => Some([*kind, *first, *second].map(i32::from_ne_bytes)),
        _ => None,
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
