//! The output of one command: a capped record of its bytes whose end can still be corrected.

use crate::output::HeadTail;

/// Bytes at the end that can be taken back, for what the shell prints after a command.
const RECENT_BYTES: usize = 8 << 10;

/// Output as it was captured: the first and the last bytes within the cap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes; all of them, if nothing was dropped.
    pub head: Vec<u8>,
    /// The last bytes, if some between were dropped.
    pub tail: Vec<u8>,
    /// How many bytes there were in all.
    pub total: u64,
}

impl Captured {
    /// How many bytes between head and tail are missing.
    pub fn omitted(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }
}

#[derive(Debug)]
pub(crate) struct Capture {
    settled: HeadTail,
    recent: Vec<u8>,
}

impl Capture {
    pub(crate) fn new(cap: usize) -> Self {
        Self {
            settled: HeadTail::new(cap),
            recent: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.recent.len() + bytes.len() <= RECENT_BYTES {
            self.recent.extend_from_slice(bytes);
            return;
        }
        self.settled.push(&self.recent);
        self.recent.clear();
        let (old, new) = bytes.split_at(bytes.len().saturating_sub(RECENT_BYTES));
        self.settled.push(old);
        self.recent.extend_from_slice(new);
    }

    pub(crate) fn total(&self) -> u64 {
        self.settled.total() + self.recent.len() as u64
    }

    /// Corrects the end of the output, as far back as it can still be changed.
    pub(crate) fn edit_end(&mut self, edit: impl FnOnce(&mut Vec<u8>)) {
        edit(&mut self.recent);
    }

    /// Corrects the output if all of it can still be changed.
    pub(crate) fn edit_whole(&mut self, edit: impl FnOnce(&mut Vec<u8>)) {
        if self.settled.is_empty() {
            edit(&mut self.recent);
        }
    }

    /// Takes the last occurrence of `bytes` out of the end of the output.
    pub(crate) fn remove_last(&mut self, bytes: &[u8]) {
        if let Some(at) = memchr::memmem::rfind(&self.recent, bytes) {
            self.recent.drain(at..at + bytes.len());
        }
    }

    /// A copy of what there is now.
    pub(crate) fn snapshot(&self) -> Captured {
        let (older, newer) = self.settled.tail();
        let rest = [older, newer, &self.recent].concat();
        if self.settled.dropped() == 0 {
            Captured {
                head: [self.settled.head(), &rest].concat(),
                tail: Vec::new(),
                total: self.total(),
            }
        } else {
            Captured {
                head: self.settled.head().to_vec(),
                tail: rest,
                total: self.total(),
            }
        }
    }
}

#[cfg(test)]
#[path = "capture_tests.rs"]
mod tests;
