//! Writing aside: contents get their own name only when they are complete.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

/// Whether contents are forced to disk before they get their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Force {
    Now,
    Later,
}

/// Writes contents under a temporary name.
pub(crate) fn write(path: &Path, contents: &[u8], mode: u32, force: Force) -> io::Result<()> {
    let flags =
        OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let mut file = File::from(rustix::fs::open(path, flags, Mode::from_raw_mode(mode))?);
    file.write_all(contents)?;
    match force {
        Force::Now => file.sync_all(),
        Force::Later => Ok(()),
    }
}

/// Gives written contents their name, replacing what had it.
pub(crate) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rustix::fs::rename(from, to)?)
}

/// Gives written contents their name unless something has it already.
pub(crate) fn place(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        // Some file systems cannot do this in one step. The lock of the log keeps others out meanwhile.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if to.symlink_metadata().is_ok() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            replace(from, to)
        }
        Err(error) => Err(error.into()),
    }
}

/// Forces a directory to disk: the names in it.
pub(crate) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
