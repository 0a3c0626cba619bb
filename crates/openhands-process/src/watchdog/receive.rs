//! What comes over a socket together: bytes, and descriptors beside them.
//!
//! Nothing here is on the heap, which the watchdog and its guards leave alone: each page of it that one of them changes
//! is a page of memory for every guard.

use std::array;
use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};

use super::link::MAX_DESCRIPTORS;

/// Descriptors in the order in which they came.
pub(super) struct Descriptors([Option<OwnedFd>; MAX_DESCRIPTORS]);

impl Descriptors {
    fn none() -> Self {
        Self(array::from_fn(|_| None))
    }

    /// Takes the first that is still there.
    pub(super) fn take_first(&mut self) -> Option<OwnedFd> {
        self.0.iter_mut().find_map(Option::take)
    }
}

impl IntoIterator for Descriptors {
    type Item = OwnedFd;
    type IntoIter = std::iter::Flatten<array::IntoIter<Option<OwnedFd>, MAX_DESCRIPTORS>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().flatten()
    }
}

pub(super) struct Received {
    /// So many of them; none at the end of the stream.
    pub(super) bytes: usize,
    pub(super) descriptors: Descriptors,
    /// The kernel could not give us all descriptors.
    pub(super) truncated: bool,
}

/// Takes a message, or the next bytes of a stream, off a socket.
pub(super) fn receive(
    socket: &OwnedFd,
    into: &mut [u8],
    flags: RecvFlags,
) -> Result<Received, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut into = [IoSliceMut::new(into)];
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let message = recvmsg(socket, &mut into, &mut ancillary, flags)?;
    let mut descriptors = Descriptors::none();
    let mut places = descriptors.0.iter_mut();
    for part in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(list) = part {
            for (descriptor, place) in list.zip(&mut places) {
                *place = Some(descriptor);
            }
        }
    }
    Ok(Received {
        bytes: message.bytes,
        descriptors,
        truncated: message.flags.contains(ReturnFlags::CTRUNC),
    })
}
