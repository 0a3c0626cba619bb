//! The watchdog: a second process of the same program that outlives the server by as long as it
//! takes to end what the server started.
//!
//! - [`link`] is the server's side: it starts the watchdog and sends it requests.
//! - [`zygote`] is the watchdog's first process; it forks guards. [`duty`] is a guard's life, [`guard`] its watch over
//!   one tree.
//! - [`launch`] makes the command; [`descendants`] and [`cgroup`] find and kill its tree.
//! - [`request`] and [`message`] are what travels between the two sides, [`receive`] takes it off a socket.
//! - [`pages`] is memory that can be given back, [`guards`] the zygote's list of guards in it.
//! - [`raw`] holds the system calls that need unsafe code.

use std::ffi::CStr;

mod cgroup;
mod descendants;
mod duty;
mod guard;
mod guards;
mod launch;
mod link;
mod message;
mod pages;
mod raw;
mod receive;
mod request;
mod zygote;

pub(crate) use descendants::{is_alive, kill_all, start_of, started_since};
pub(crate) use link::{LinkError, MAX_DESCRIPTORS, idle_guard, keep_guard, send, send_to_guard};
pub(crate) use message::{MESSAGE_BYTES, Order, Report, Step};
pub(crate) use raw::group_of;
pub(crate) use request::Request;
pub use request::User;

/// argv\[0\] of the watchdog, by which the load-time hook knows that it is one.
pub(crate) const NAME: &CStr = c"openhands-watchdog";
