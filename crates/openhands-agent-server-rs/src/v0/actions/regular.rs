//! Reading files that have an end. A pipe or a device can block for ever or never end, and one action is done at a time.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// The most that is read of a file. What is longer would be held in memory several times over.
const MAX_BYTES: u64 = 256 << 20;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub(in crate::v0) enum Unread {
    /// It is no file with an end: a pipe, a device, a socket.
    #[error("it is not a regular file")]
    Special,
    /// It is longer than what is read.
    #[error("it is larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
    /// The system does not let us.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens a file for reading, if reading it comes to an end.
pub(in crate::v0) fn open(path: &Path) -> Result<File, Unread> {
    // Before it is opened, because that alone may block, or move a tape.
    check(&fs::metadata(path)?)?;
    // The name may be another file's by now; and files of the kernel that wait for news say that there are none.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(there: &Metadata) -> Result<(), Unread> {
    if there.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    if there.is_file() {
        Ok(())
    } else {
        Err(Unread::Special)
    }
}

/// All bytes of a file.
pub(in crate::v0) fn bytes(path: &Path) -> Result<Vec<u8>, Unread> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    if size > MAX_BYTES {
        return Err(Unread::TooLarge);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // Some files (those of `/proc`) are longer than they say.
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > MAX_BYTES {
        return Err(Unread::TooLarge);
    }
    Ok(bytes)
}

/// All text of a file.
pub(in crate::v0) fn text(path: &Path) -> Result<String, Unread> {
    let text = String::from_utf8(bytes(path)?);
    Ok(text.map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?)
}

#[cfg(test)]
#[path = "regular_tests.rs"]
mod tests;
