//! Memory that lies by itself, so that it can be given back as a whole.
//!
//! A guard is a copy of the watchdog, page by page as either of them changes one. What both would have written into among other
//! things, or left behind there, is in such memory instead.
//!
//! Unsafe code: three calls that the kernel offers to no safe interface.
#![allow(unsafe_code)]

use std::ptr;

use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous};

/// Pages that hold zeroes at first, and are there as long as the process.
pub(super) struct Pages(&'static mut [u8]);

impl Pages {
    pub(super) fn new(length: usize) -> Result<Self, Errno> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: asks for new memory at a place of the kernel's choice, which is nobody else's and is never unmapped. It is as long
        // as was asked for, and readable from the start: zeroes.
        let bytes = unsafe {
            let start = mmap_anonymous(ptr::null_mut(), length, access, MapFlags::PRIVATE)?;
            std::slice::from_raw_parts_mut(start.cast::<u8>(), length)
        };
        Ok(Self(bytes))
    }

    /// The same, but of which a fork gets zeroes instead of a copy, where the kernel can do that.
    pub(super) fn not_inherited(length: usize) -> Result<Self, Errno> {
        let mut pages = Self::new(length)?;
        let _ = pages.advise(Advice::LinuxWipeOnFork);
        Ok(pages)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.0
    }

    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        self.0
    }

    /// Gives all of it back: what was in it is gone, and it is zeroes that take no memory.
    pub(super) fn wipe(&mut self) {
        if self.advise(Advice::LinuxDontNeed).is_err() {
            self.0.fill(0);
            // Or the compiler would see that nobody reads the zeroes.
            std::hint::black_box(&self.0);
        }
    }

    fn advise(&mut self, advice: Advice) -> Result<(), Errno> {
        // SAFETY: the range is this mapping, to which the caller has the only reference. Either advice leaves it mapped, and its bytes
        // as they were or zeroes.
        unsafe { madvise(self.0.as_mut_ptr().cast(), self.0.len(), advice) }
    }
}

#[cfg(test)]
#[path = "pages_tests.rs"]
mod tests;
