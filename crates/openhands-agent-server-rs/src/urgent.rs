//! Threads that have little to do and must not wait: those that answer requests and write to sockets. Linux (6.12 and later) runs a thread
//! that asks for short turns the sooner when it wakes up, at the cost of nobody's share. Without it a printed line would wait for the turns of
//! whatever else keeps the processors busy, agents and their commands first of all.
//!
//! Unsafe code: two system calls that no safe interface offers.
#![allow(unsafe_code)]

use libc::{
    SCHED_FLAG_RESET_ON_FORK, SCHED_OTHER, SYS_sched_getattr, SYS_sched_setattr, sched_attr,
};

/// The length of a turn, in nanoseconds: the shortest that there is.
const TURN: u64 = 100_000;

/// Asks for short turns for the calling thread. What it starts has turns of the usual length.
pub(crate) fn take_short_turns() {
    let Some(mut attributes) = attributes() else {
        return;
    };
    // Whoever chose another policy for the server meant it.
    if i32::try_from(attributes.sched_policy) != Ok(SCHED_OTHER) {
        return;
    }
    attributes.sched_runtime = TURN;
    attributes.sched_flags |= u64::from(SCHED_FLAG_RESET_ON_FORK.unsigned_abs());
    // SAFETY: reads the structure, whose size is in it, and changes how the calling thread is scheduled. A kernel that knows no
    // such turns, or does not let it be done, changes nothing, and nothing is lost but time.
    unsafe { libc::syscall(SYS_sched_setattr, 0, &raw const attributes, 0) };
}

fn attributes() -> Option<sched_attr> {
    let mut attributes = sched_attr {
        size: 0,
        sched_policy: 0,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 0,
        sched_deadline: 0,
        sched_period: 0,
    };
    let size = u32::try_from(size_of::<sched_attr>()).ok()?;
    // SAFETY: writes at most `size` bytes, as many as the structure has.
    let got = unsafe { libc::syscall(SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
    (got == 0).then_some(attributes)
}

#[cfg(test)]
#[path = "urgent_tests.rs"]
mod tests;
