//! File locks that are shared with the reference: `flock` on a lock file that stays.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// As long as the reference waits.
const PATIENCE: Duration = Duration::from_secs(30);

/// A lock that is held; released when dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    _file: File,
}

/// Takes a lock, waiting for whoever holds it. `None` when that took too long.
pub(crate) fn lock(path: &Path) -> io::Result<Option<FileLock>> {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(50);
    loop {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        // As the reference creates it; it holds nothing.
        let fd = rustix::fs::open(path, flags, Mode::from_raw_mode(0o644))?;
        match rustix::fs::flock(&fd, FlockOperation::NonBlockingLockExclusive) {
            // A lock file that was deleted meanwhile locks out nobody.
            Ok(()) if rustix::fs::fstat(&fd)?.st_nlink > 0 => {
                return Ok(Some(FileLock {
                    _file: File::from(fd),
                }));
            }
            Ok(()) => {}
            Err(Errno::AGAIN | Errno::ACCESS | Errno::INTR) => {
                if Instant::now() >= deadline {
                    return Ok(None);
                }
                // Blocking for ever is no choice, and flock knows no time limit.
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            Err(error) => return Err(error.into()),
        }
    }
}
