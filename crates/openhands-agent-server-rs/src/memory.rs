//! What the process keeps in memory for nothing: pages of the program that only its start needed, heaps of threads that have ended, and
//! what a crowd of clients needed that is gone.
//!
//! Unsafe code: calls that the C library offers to no safe interface.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use openhands_sdk_rs::process::give_back_program;

/// What the C library keeps at the end of each heap instead of giving it back at once, and what is so large that it is no part of a heap.
#[cfg(target_env = "gnu")]
const KEPT_BYTES: i32 = 4 << 20;

/// When the start is over for certain, the first requests of whoever started it included.
const AFTER_START: Duration = Duration::from_millis(150);

/// How long after the end of a connection it is looked for what can be given back: the rest of a crowd leaves meanwhile.
const AFTER_CROWD: Duration = Duration::from_secs(1);
/// So much more that is free than after the last time is worth a walk through the heaps: it keeps all of them busy for milliseconds.
const WORTH_BYTES: usize = 16 << 20;

/// Sees to it that a server that waits for work is small. Called once, when it listens.
pub(crate) fn shrink_after_start() {
    let thread = std::thread::Builder::new().name("after-start".to_owned());
    // Without it the server is larger, and no worse.
    let _ = thread.spawn(|| {
        std::thread::sleep(AFTER_START);
        give_back_program();
    });
}

/// Gives back what a crowd of clients needed, some time after it is gone. To be called when a connection ends, and cheap: one look is
/// for all that end in the meantime.
///
/// The C library itself gives back only the end of a heap, which one small block can hold.
pub(crate) fn shrink_after_crowd() {
    /// Whether a look is to come.
    static AHEAD: AtomicBool = AtomicBool::new(false);
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    if AHEAD.swap(true, Ordering::Relaxed) {
        return;
    }
    runtime.spawn(async {
        tokio::time::sleep(AFTER_CROWD).await;
        // From here on another one may be asked for, which waits its time.
        AHEAD.store(false, Ordering::Relaxed);
        if own_memory().is_some_and(|bytes| bytes > 2 * WORTH_BYTES) {
            // Off the threads of requests.
            let _ = tokio::task::spawn_blocking(give_back_heaps).await;
        }
    });
}

/// Gives the kernel the pages of the heaps in which nothing is kept, if they may be many.
fn give_back_heaps() {
    /// What could not be given back the last time, for something is kept in each of its pages.
    static HELD_BYTES: AtomicUsize = AtomicUsize::new(0);
    let free = free_memory();
    let held = HELD_BYTES.fetch_min(free, Ordering::Relaxed);
    if free < held.saturating_add(WORTH_BYTES) {
        return;
    }
    #[cfg(target_env = "gnu")]
    // SAFETY: takes a number; gives back pages that hold nothing but free blocks, under the allocator's locks.
    unsafe {
        libc::malloc_trim(0);
    }
    HELD_BYTES.store(free_memory(), Ordering::Relaxed);
}

/// The process's own memory in which nothing is kept, roughly, in bytes.
fn free_memory() -> usize {
    #[cfg(target_env = "gnu")]
    let kept = {
        // SAFETY: reads the allocator's counts, under its locks.
        let counts = unsafe { libc::mallinfo2() };
        counts.uordblks.saturating_add(counts.hblkhd)
    };
    #[cfg(not(target_env = "gnu"))]
    let kept = usize::MAX;
    own_memory().unwrap_or(0).saturating_sub(kept)
}

/// The memory that is this process's alone, as the kernel counts it, in bytes.
fn own_memory() -> Option<usize> {
    let counts = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = counts
        .split_ascii_whitespace()
        .skip(1)
        .map(|count| count.parse::<usize>().ok());
    let (resident, shared) = (pages.next()??, pages.next()??);
    Some(resident.saturating_sub(shared) * rustix::param::page_size())
}

/// Lets the C library have as many heaps as there are processors, not eight times as many: what one thread has freed, another can
/// use again. To be called before there are threads.
pub fn share_heaps() {
    #[cfg(target_env = "gnu")]
    {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let heaps = i32::try_from(processors.max(2)).unwrap_or(i32::MAX);
        // SAFETY: takes two numbers and changes a setting of the allocator.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps) };
    }
}

/// Lets the C library keep some free memory for the next who needs it. The buffers of an upload are hundreds of kilobytes, come and go by the hundred,
/// and would each be given back to the kernel and asked from it again, page by page. To be called before there are threads.
pub fn keep_buffers() {
    #[cfg(target_env = "gnu")]
    for setting in [libc::M_TRIM_THRESHOLD, libc::M_MMAP_THRESHOLD] {
        // SAFETY: takes two numbers and changes a setting of the allocator.
        unsafe { libc::mallopt(setting, KEPT_BYTES) };
    }
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
