//! Who the guards of the watchdog are.

use rustix::io::Errno;
use rustix::process::Pid;

use super::pages::Pages;

/// No process has a number from here on: the kernel's limit for what can be set as the highest (`PID_MAX_LIMIT`).
const LIMIT: usize = 4 << 20;

/// A set of guards: a bit for each process that there can be, as nearly all of this takes no memory. It is written to with each guard
/// that is born, so a guard inherits none of it.
pub(super) struct Guards {
    bits: Pages,
    count: usize,
}

impl Guards {
    pub(super) fn new() -> Result<Self, Errno> {
        Ok(Self {
            bits: Pages::not_inherited(LIMIT / 8)?,
            count: 0,
        })
    }

    pub(super) fn insert(&mut self, guard: Pid) {
        let (at, bit) = place(guard);
        if let Some(byte) = self.bits.bytes_mut().get_mut(at)
            && *byte & bit == 0
        {
            *byte |= bit;
            self.count += 1;
        }
    }

    /// Returns whether it was one.
    pub(super) fn remove(&mut self, process: Pid) -> bool {
        let was_guard = self.contains(process);
        let (at, bit) = place(process);
        if let (true, Some(byte)) = (was_guard, self.bits.bytes_mut().get_mut(at)) {
            *byte &= !bit;
            self.count -= 1;
        }
        was_guard
    }

    pub(super) fn contains(&self, process: Pid) -> bool {
        let (at, bit) = place(process);
        self.bits
            .bytes()
            .get(at)
            .is_some_and(|byte| byte & bit != 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The byte of a process, and its bit there.
fn place(process: Pid) -> (usize, u8) {
    let number = process.as_raw_nonzero().get().cast_unsigned();
    let at = usize::try_from(number / 8).unwrap_or(usize::MAX);
    (at, 1 << (number % 8))
}

#[cfg(test)]
#[path = "guards_tests.rs"]
mod tests;
