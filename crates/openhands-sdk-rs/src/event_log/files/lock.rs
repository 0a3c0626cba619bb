//! File locks that are shared with the reference: `flock` on a lock file that stays.

use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::event_log::patient::wait_beside_others;

/// As long as the reference waits.
const PATIENCE: Duration = Duration::from_secs(30);

/// A lock that is held; released when dropped.
#[derive(Debug)]
pub(crate) struct FileLock {
    _file: File,
}

/// Takes a lock, waiting for whoever holds it. `None` when that took too long.
pub(crate) fn lock(path: &Path) -> io::Result<Option<FileLock>> {
    match try_lock(path)? {
        Some(lock) => Ok(Some(lock)),
        // Half a minute is too long for the others whose turn it is on this thread.
        None => wait_beside_others(|| wait_for(path)),
    }
}

fn wait_for(path: &Path) -> io::Result<Option<FileLock>> {
    let deadline = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(50);
    while Instant::now() < deadline {
        // Blocking for ever is no choice, and flock knows no time limit.
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
        if let Some(lock) = try_lock(path)? {
            return Ok(Some(lock));
        }
    }
    Ok(None)
}

/// Takes a lock that nobody holds.
fn try_lock(path: &Path) -> io::Result<Option<FileLock>> {
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
            Err(Errno::AGAIN | Errno::ACCESS | Errno::INTR) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}
