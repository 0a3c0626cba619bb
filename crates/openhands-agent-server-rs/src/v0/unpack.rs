//! Unpacking an archive that was uploaded, so that whoever works in the sandbox can read it.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use zip::ZipArchive;

/// compat: 0.62 gives what it unpacks the usual modes, whatever the archive says. The server may be another user than
/// the commands are, so what only its owner could read would be out of their reach.
const FILE_MODE: u32 = 0o644;
const DIRECTORY_MODE: u32 = 0o755;
/// Rights of an owner, a group and the rest. An archive gives nobody another user's rights.
const PLAIN_BITS: u32 = 0o777;

/// Why an archive is not unpacked; it stays, so that it can be looked at.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnpackError {
    #[error("{} is not a zip file", .0.display())]
    NotZip(PathBuf),
    #[error("{}: {reason}", .archive.display())]
    Broken {
        archive: PathBuf,
        reason: zip::result::ZipError,
    },
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Unpacks an archive into a directory and removes it.
pub(super) fn unpack(archive: &Path, directory: &Path) -> Result<(), UnpackError> {
    let broken = |reason| UnpackError::Broken {
        archive: archive.to_owned(),
        reason,
    };
    let mut zip = ZipArchive::new(File::open(archive)?)
        .map_err(|_| UnpackError::NotZip(archive.to_owned()))?;
    // Refuses members that lead out of the directory.
    zip.extract(directory).map_err(broken)?;
    // A directory before what is in it, which may be out of reach until then.
    let mut names = BTreeSet::new();
    for index in 0..zip.len() {
        names.extend(zip.by_index_raw(index).map_err(broken)?.enclosed_name());
    }
    for name in names {
        make_readable(&directory.join(name))?;
    }
    Ok(fs::remove_file(archive)?)
}

/// Lets everybody read what was unpacked. What can be executed stays so.
fn make_readable(path: &Path) -> io::Result<()> {
    let there = fs::symlink_metadata(path)?;
    let needed = match there.file_type() {
        kind if kind.is_file() => FILE_MODE,
        kind if kind.is_dir() => DIRECTORY_MODE,
        _ => return Ok(()),
    };
    let mode = there.permissions().mode();
    let wanted = mode & PLAIN_BITS | needed;
    if mode & 0o7777 == wanted {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(wanted))
}

#[cfg(test)]
#[path = "unpack_tests.rs"]
mod tests;
