use pretty_assertions::assert_eq;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};

use super::*;

fn pair() -> (OwnedFd, OwnedFd) {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap()
}

fn said(handle: &OwnedFd) -> Option<Report> {
    let mut bytes = [0; MESSAGE_BYTES];
    let (read, _) = recv(handle, &mut bytes[..], RecvFlags::empty()).ok()?;
    Report::decode(bytes.get(..read)?)
}

#[test]
fn what_is_sent_while_a_guard_retires_is_given_back_or_refused() {
    let (guard, handle) = pair();
    let order = Order::Run { bytes: 3 }.encode();
    send(&handle, &order, SendFlags::NOSIGNAL).unwrap();
    retire(&guard);
    assert_eq!(said(&handle), Some(Report::Retired));
    let late = send(&handle, &order, SendFlags::NOSIGNAL);
    assert_eq!(late, Err(Errno::PIPE));
}

#[test]
fn a_guard_that_retires_unasked_says_nothing() {
    let (guard, handle) = pair();
    retire(&guard);
    drop(guard);
    assert_eq!(said(&handle), None);
}
