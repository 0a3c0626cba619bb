//! The files below a directory, opened so that no link leads out of it, however the tree changes meanwhile.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// The top of a walk.
pub(crate) struct Root(OwnedFd);

/// A directory's own entries, sorted by name.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// Those that are regular files, links left out.
    pub(crate) files: Vec<OsString>,
    /// Those that are directories, links left out.
    pub(crate) directories: Vec<OsString>,
}

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Opening must not wait for the other end of a pipe.
const REGULAR: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC)
    .union(OFlags::NOCTTY);

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let root = openat(rustix::fs::CWD, path, DIRECTORY, Mode::empty())?;
        Ok(Self(root))
    }

    fn open_below(&self, path: &Path, flags: OFlags) -> io::Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let flags = flags | OFlags::NOFOLLOW;
        let within =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match openat2(&self.0, path, flags, Mode::empty(), within) {
            // An older kernel, or a sandbox that does not know the call: the last part at least is no link.
            Err(Errno::NOSYS | Errno::PERM) => Ok(openat(&self.0, path, flags, Mode::empty())?),
            opened => Ok(opened?),
        }
    }

    /// A regular file below, and what is known about it.
    pub(crate) fn file(&self, path: &Path) -> io::Result<(File, Metadata)> {
        let file = File::from(self.open_below(path, REGULAR)?);
        let metadata = file.metadata()?;
        if metadata.is_file() {
            Ok((file, metadata))
        } else {
            Err(io::ErrorKind::InvalidInput.into())
        }
    }

    /// A directory below: what is known about it, and what is in it.
    pub(crate) fn directory(&self, path: &Path) -> io::Result<(Metadata, Entries)> {
        let directory = self.open_below(path, DIRECTORY)?;
        let metadata = File::from(directory.try_clone()?).metadata()?;
        let mut entries = Entries::default();
        for entry in Dir::read_from(&directory)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            match kind(&directory, name, entry.file_type()) {
                FileType::RegularFile => entries.files.push(name.to_owned()),
                FileType::Directory => entries.directories.push(name.to_owned()),
                _ => {}
            }
        }
        entries.files.sort_unstable();
        entries.directories.sort_unstable();
        Ok((metadata, entries))
    }
}

/// Some file systems do not tell the kind with the name.
fn kind(directory: &impl AsFd, name: &OsStr, told: FileType) -> FileType {
    if told != FileType::Unknown {
        return told;
    }
    rustix::fs::statat(directory, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
}

/// Visits directories from the top: `enter` gets each with its entries, and takes away what is not to be visited. One
/// that cannot be read is passed over: the tree may be changing.
pub(crate) fn walk(
    root: &Root,
    mut enter: impl FnMut(&Path, &Metadata, &mut Entries) -> io::Result<()>,
) -> io::Result<()> {
    let mut pending = vec![PathBuf::new()];
    while let Some(path) = pending.pop() {
        let (metadata, mut entries) = match root.directory(&path) {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a directory is left out of an archive");
                continue;
            }
        };
        enter(&path, &metadata, &mut entries)?;
        // The first one is visited next.
        pending.extend(entries.directories.iter().rev().map(|name| path.join(name)));
    }
    Ok(())
}
