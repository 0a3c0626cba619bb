//! Writing aside: contents get their own name only when they are complete.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

/// Whether contents are forced to disk before they get their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Force {
    Now,
    Later,
}

/// Writes contents under a temporary name.
pub(crate) fn write(path: &Path, contents: &[u8], mode: u32, force: Force) -> io::Result<()> {
    fill(open(path, OFlags::TRUNC, mode)?, contents, force).map(drop)
}

/// Contents that are written and have no name of their own yet.
#[derive(Debug)]
pub(crate) enum Aside {
    /// Without any name. Nothing is left of them if nobody gives them one.
    Unnamed(File),
    /// Under a temporary one.
    Named(PathBuf),
}

/// A file without a name, in the file system of this directory.
pub(crate) fn unnamed(directory: &Path, mode: u32) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = rustix::fs::open(directory, flags, Mode::from_raw_mode(mode))?;
    Ok(file.into())
}

/// Writes contents that will be a new file: without a name where the file system can do that, which is less work for it than two names one after
/// the other; else under a temporary name. An empty `spare` file without a name may have been made before.
pub(crate) fn write_new(
    temporary: &Path,
    contents: &[u8],
    mode: u32,
    force: Force,
    spare: Option<File>,
) -> io::Result<Aside> {
    let directory = temporary.parent().unwrap_or(Path::new("."));
    if let Some(file) = spare.or_else(|| unnamed(directory, mode).ok()) {
        return fill(file, contents, force).map(Aside::Unnamed);
    }
    // Where it is full or forbidden, a temporary name meets the same, and says it with a path.
    write(temporary, contents, mode, force)?;
    Ok(Aside::Named(temporary.to_owned()))
}

impl Aside {
    /// Gives the contents their name unless something has it already.
    pub(crate) fn place(self, to: &Path) -> io::Result<()> {
        match self {
            Self::Named(from) => place(&from, to),
            Self::Unnamed(file) => Ok(link(&file, to)?),
        }
    }
}

/// Names an open file. The short way is not open to everybody on older kernels.
fn link(file: &File, to: &Path) -> rustix::io::Result<()> {
    match rustix::fs::linkat(file, c"", CWD, to, AtFlags::EMPTY_PATH) {
        Err(Errno::NOENT | Errno::PERM | Errno::INVAL) => {
            let open = format!("/proc/self/fd/{}", file.as_raw_fd());
            rustix::fs::linkat(CWD, open, CWD, to, AtFlags::SYMLINK_FOLLOW)
        }
        linked => linked,
    }
}

/// Writes contents where the temporary name may be that of contents of before, which [`exchange`] has left there: their file is used again, unless
/// it is somebody else's too.
pub(crate) fn rewrite(path: &Path, contents: &[u8], mode: u32, force: Force) -> io::Result<()> {
    let file = match open(path, OFlags::empty(), mode) {
        Ok(file) if is_ours_alone(&file, mode)? => file,
        Ok(_) | Err(Errno::ACCESS | Errno::PERM) => {
            std::fs::remove_file(path)?;
            open(path, OFlags::EXCL, mode)?
        }
        Err(error) => return Err(error.into()),
    };
    // Only what is emptied first does ext4 force to disk before its new name, if the power fails.
    file.set_len(0)?;
    fill(file, contents, force).map(drop)
}

fn open(path: &Path, flags: OFlags, mode: u32) -> rustix::io::Result<File> {
    let flags = flags | OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    rustix::fs::open(path, flags, Mode::from_raw_mode(mode)).map(File::from)
}

/// Whether a file has one name and these rights: a backup may be a second name of it, which keeps its contents.
fn is_ours_alone(file: &File, mode: u32) -> io::Result<bool> {
    let found = file.metadata()?;
    Ok(found.nlink() == 1 && found.mode() & 0o7777 == mode)
}

fn fill(mut file: File, contents: &[u8], force: Force) -> io::Result<File> {
    file.write_all(contents)?;
    if force == Force::Now {
        file.sync_all()?;
    }
    Ok(file)
}

/// Gives written contents their name, replacing what had it.
pub(crate) fn replace(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rustix::fs::rename(from, to)?)
}

/// Gives written contents their name, and what had it theirs: what is written often is written to two files in turns. To make a new file
/// each time and delete the old one is more work, and ext4 looks at each deleted one for minutes whenever a file is made near it.
pub(crate) fn exchange(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // The first time, or not on this file system.
        Err(Errno::NOENT | Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => replace(from, to),
        Err(error) => Err(error.into()),
    }
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

#[cfg(test)]
#[path = "aside_tests.rs"]
mod tests;
