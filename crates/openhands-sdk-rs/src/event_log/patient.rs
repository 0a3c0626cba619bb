//! Threads that may wait for a file: on these a short write is done where it is wanted, instead of on another thread that has to be woken
//! for it and then wakes this one again. Both would take longer than the write.

use std::cell::Cell;

use tokio::runtime::{Handle, RuntimeFlavor};

thread_local! {
    static IS_PATIENT: Cell<bool> = const { Cell::new(false) };
}

/// Says that the calling thread may wait for files: nothing runs on it that must not be held up by a slow disk. For threads that serve
/// only the runs of agents.
pub fn wait_for_files_here() {
    IS_PATIENT.set(true);
}

/// Whether the calling thread may wait for files.
pub(crate) fn is_patient() -> bool {
    IS_PATIENT.get()
}

/// Does something for which even a thread that waits for files would wait too long: the tasks of its runtime go on without it meanwhile.
pub(crate) fn wait_beside_others<T>(work: impl FnOnce() -> T) -> T {
    let can_leave = is_patient()
        && Handle::try_current()
            .is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
    if can_leave {
        return tokio::task::block_in_place(work);
    }
    work()
}
