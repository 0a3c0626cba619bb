//! Room on the disk for large files, taken before they are written. Else the kernel looks for it block by block, which is a third of what it
//! takes to write them.

use std::fs::File;
use std::io;
use std::ops::Range;

use rustix::fs::FallocateFlags;
use rustix::io::Errno;

/// So much is taken at once where it is not known how much is to come.
const STEP_BYTES: u64 = 4 << 20;

/// The room of one file.
#[derive(Debug, Default)]
pub struct DiskRoom {
    /// Up to here there is room, or something written.
    taken: u64,
    /// The file system cannot do it, or has not that much. Whether there is enough, the writing tells.
    is_refused: bool,
}

impl DiskRoom {
    /// Sees to it that what is written next has room.
    pub fn reach(&mut self, file: &File, next: Range<u64>) {
        self.taken = self.taken.max(next.start);
        if next.end > self.taken {
            let missing = (next.end - self.taken).next_multiple_of(STEP_BYTES);
            self.take(file, missing);
        }
    }

    /// Takes room for a file of exactly this size.
    pub fn of(file: &File, size: u64) {
        Self::default().take(file, size);
    }

    fn take(&mut self, file: &File, more: u64) {
        if self.is_refused {
            return;
        }
        match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, self.taken, more) {
            Ok(()) => self.taken += more,
            Err(error) => {
                self.is_refused = true;
                // A part of it may be taken.
                if matches!(error, Errno::NOSPC | Errno::DQUOT) {
                    self.taken += more;
                }
            }
        }
    }

    /// Gives back what a file of this size does not need.
    pub fn give_back(self, file: &File, size: u64) -> io::Result<()> {
        if self.taken > size {
            file.set_len(size)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "disk_room_tests.rs"]
mod tests;
