//! Writing a file so that it is never seen half-written: the new bytes go to a temporary file beside it,
//! which then takes its name.
//!
//! What survives: the mode bits, owner and group, extended attributes (access lists among them), and every
//! symbolic link on the way, because the link's target is what is replaced. What does not: a second hard
//! link keeps the old content, since the other name may belong to somebody else (a package store, a backup).
//!
//! Some files cannot be replaced by a rename: the directory is closed to us, the owner could not be kept,
//! or the file is a mount point of its own. Those are overwritten in place: the space is reserved first, and
//! the old bytes are put back when anything fails.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, Gid, Uid, XattrFlags};
use rustix::io::Errno;

use crate::resolve::resolve;

/// The longest name a file system takes, in bytes. Temporary names are kept below it.
const MAX_NAME_BYTES: usize = 255;
const PERMISSION_BITS: u32 = 0o7777;

/// A write that did not happen. The old file is whole and no temporary file is left.
#[derive(Debug)]
pub struct WriteError {
    /// The file that the system call named, when it named one.
    path: Option<PathBuf>,
    source: io::Error,
}

impl WriteError {
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self {
            path: Some(path),
            source,
        }
    }

    /// There is no such place.
    pub(crate) fn not_found(path: &Path) -> Self {
        Self::at(path)(Errno::NOENT.into())
    }

    /// What the system said.
    pub fn system(&self) -> &io::Error {
        &self.source
    }

    /// What kind of failure it was.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&os_error_text(&self.source, self.path.as_deref()))
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// An error in the words of a Python `OSError`, which clients know: `[Errno 2] No such file or directory: '/x'`.
pub fn os_error_text(error: &io::Error, path: Option<&Path>) -> String {
    let Some(code) = error.raw_os_error() else {
        return error.to_string();
    };
    let full = error.to_string();
    let words = full
        .strip_suffix(&format!(" (os error {code})"))
        .unwrap_or(&full);
    match path {
        Some(path) => format!("[Errno {code}] {words}: '{}'", path.display()),
        None => format!("[Errno {code}] {words}"),
    }
}

/// Puts `bytes` into the file at `path`, creating it when it does not exist (its directory must). Only what is a regular
/// file, or nothing yet, is written to: a device or a pipe would be replaced by a file.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let (target, existing) = target_of(path)?;
    match replace(&target, existing.as_ref(), |file| file.write_all(bytes)) {
        Ok(()) => Ok(()),
        Err(refused) if existing.is_some() && calls_for_in_place(&refused.source) => {
            overwrite_in_place(&target, |file| file.write_all_at(bytes, 0), bytes.len())
        }
        Err(error) => Err(error),
    }
}

/// Like [`write_file`], for content that is too large to hold: `fill` writes it. A file that must be written in place
/// loses its old content when `fill` fails.
pub fn write_file_with(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), WriteError> {
    let (target, existing) = target_of(path)?;
    let aside = temporary_name(&target);
    let mut file = match create_aside(&aside, existing.as_ref()) {
        Err(refused) if existing.is_some() && calls_for_in_place(&refused.source) => {
            let open = OpenOptions::new().write(true).truncate(true).open(&target);
            let mut file = open.map_err(WriteError::at(&target))?;
            return fill(&mut file).map_err(|source| WriteError { path: None, source });
        }
        created => created?,
    };
    let filled = fill(&mut file).map_err(|source| WriteError { path: None, source });
    let done = filled.and_then(
        |()| match settle(&file, &aside, &target, existing.as_ref()) {
            Ok(()) => Ok(true),
            Err(refused) if existing.is_some() && calls_for_in_place(&refused.source) => {
                let copied = copy_over(&aside, &target).map_err(WriteError::at(&target));
                copied.map(|()| false)
            }
            Err(error) => Err(error),
        },
    );
    let done = match done {
        Ok(true) => return Ok(()),
        other => other.map(drop),
    };
    // The error that matters is the first one.
    let _ = fs::remove_file(&aside);
    done
}

fn copy_over(from: &Path, target: &Path) -> io::Result<()> {
    let mut to = OpenOptions::new().write(true).truncate(true).open(target)?;
    io::copy(&mut File::open(from)?, &mut to).map(drop)
}

/// The file behind all links, and what is there now.
fn target_of(path: &Path) -> Result<(PathBuf, Option<Metadata>), WriteError> {
    let there = fs::symlink_metadata(path);
    if let Ok(there) = there.as_ref()
        && there.is_file()
    {
        return Ok((path.to_owned(), Some(there.clone())));
    }
    if there.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok((path.to_owned(), None));
    }
    let target = resolve(path);
    let existing = match fs::metadata(&target) {
        // Renaming over a link that leads nowhere but to itself would turn it into a file.
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return Err(WriteError::at(&target)(error));
        }
        metadata => metadata.ok(),
    };
    if existing.as_ref().is_some_and(Metadata::is_dir) {
        return Err(WriteError::at(&target)(Errno::ISDIR.into()));
    }
    if existing.as_ref().is_some_and(|there| !there.is_file()) {
        return Err(WriteError::at(&target)(Errno::NODEV.into()));
    }
    Ok((target, existing))
}

/// Failures of the rename way that say nothing against writing to the file itself.
fn calls_for_in_place(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::ACCESS, Errno::PERM, Errno::BUSY, Errno::XDEV]
        .iter()
        .any(|errno| code == Some(errno.raw_os_error()))
}

fn replace(
    target: &Path,
    existing: Option<&Metadata>,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), WriteError> {
    let aside = temporary_name(target);
    let mut file = create_aside(&aside, existing)?;
    let filled = fill(&mut file).map_err(|source| WriteError { path: None, source });
    let done = filled.and_then(|()| settle(&file, &aside, target, existing));
    if done.is_err() {
        // The error that matters is the first one; a temporary file that cannot be removed has no better report.
        let _ = fs::remove_file(&aside);
    }
    done
}

fn create_aside(aside: &Path, existing: Option<&Metadata>) -> Result<File, WriteError> {
    // A file that is about to get its owner and mode must not be readable by others until it has them.
    let mode = if existing.is_some() { 0o600 } else { 0o666 };
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(aside)
        .map_err(WriteError::at(aside))
}

/// Gives the filled file what the old one had, and then its name.
fn settle(
    file: &File,
    aside: &Path,
    target: &Path,
    existing: Option<&Metadata>,
) -> Result<(), WriteError> {
    if let Some(existing) = existing {
        take_over(file, target, existing).map_err(|source| WriteError { path: None, source })?;
    }
    fs::rename(aside, target).map_err(WriteError::at(target))
}

/// Gives the temporary file what the old file had beside its content.
fn take_over(file: &File, target: &Path, existing: &Metadata) -> io::Result<()> {
    let made = file.metadata()?;
    if (made.uid(), made.gid()) != (existing.uid(), existing.gid()) {
        let owner = Uid::from_raw(existing.uid());
        let group = Gid::from_raw(existing.gid());
        rustix::fs::fchown(file, Some(owner), Some(group))?;
    }
    // After the owner: changing that clears the set-user-id bits.
    file.set_permissions(Permissions::from_mode(existing.mode() & PERMISSION_BITS))?;
    copy_attributes(file, target);
    Ok(())
}

/// Copies extended attributes as far as the system lets us. Most files have none; a file system without them,
/// or an attribute that only the system may set, is no reason to refuse an edit.
fn copy_attributes(file: &File, target: &Path) {
    let Ok(size @ 1..) = rustix::fs::listxattr_query(target) else {
        return;
    };
    let mut names = vec![0_u8; size];
    let Ok(length) = rustix::fs::listxattr(target, names.as_mut_slice()) else {
        return;
    };
    names.truncate(length);
    for name in names
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
    {
        // Signatures and capabilities speak of the old content.
        if [
            b"security.ima".as_slice(),
            b"security.evm",
            b"security.capability",
        ]
        .contains(&name)
        {
            continue;
        }
        let Ok(size) = rustix::fs::getxattr_query(target, name) else {
            continue;
        };
        let mut value = vec![0_u8; size];
        let Ok(length) = rustix::fs::getxattr(target, name, value.as_mut_slice()) else {
            continue;
        };
        value.truncate(length);
        let _ = rustix::fs::fsetxattr(file, name, &value, XattrFlags::empty());
    }
}

fn overwrite_in_place(
    target: &Path,
    fill: impl FnOnce(&File) -> io::Result<()>,
    length: usize,
) -> Result<(), WriteError> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(target)
        .map_err(WriteError::at(target))?;
    let mut before = Vec::new();
    file.read_to_end(&mut before)
        .map_err(WriteError::at(target))?;
    let new_size = u64::try_from(length).unwrap_or(u64::MAX);
    let old_size = u64::try_from(before.len()).unwrap_or(u64::MAX);
    let written = reserve(&file, old_size, new_size)
        .and_then(|()| fill(&file))
        .and_then(|()| file.set_len(new_size));
    written.map_err(|source| {
        // The blocks of the old content are still the file's own, so putting it back needs no space.
        let _ = file.write_all_at(&before, 0);
        let _ = file.set_len(old_size);
        WriteError { path: None, source }
    })
}

/// Makes a full disk show before a byte of the old content is touched.
fn reserve(file: &File, old_size: u64, new_size: u64) -> io::Result<()> {
    if new_size <= old_size {
        return Ok(());
    }
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, new_size) {
        // Not every file system can promise space.
        Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// `.<name>.<random>.tmp` in the target's directory; a long name is shortened so that only the real name can be too long.
pub(crate) fn temporary_name(target: &Path) -> PathBuf {
    let token = random_token();
    let name = target.file_name().unwrap_or_default().as_bytes();
    let room = MAX_NAME_BYTES - ".".len() - ".".len() - token.len() - ".tmp".len();
    let mut aside = b".".to_vec();
    aside.extend(name.iter().take(room));
    aside.push(b'.');
    aside.extend(token.bytes());
    aside.extend(b".tmp");
    target.with_file_name(OsString::from_vec(aside))
}

fn random_token() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnopqrstuvwxyz0123456";
    // A fresh `RandomState` is seeded by the system, which is all a name beside the target needs.
    let mut bits = RandomState::new().build_hasher().finish();
    (0..8)
        .filter_map(|_| {
            let letter = LETTERS.get(usize::try_from(bits % 32).ok()?)?;
            bits /= 32;
            Some(char::from(*letter))
        })
        .collect()
}

#[cfg(test)]
#[path = "safe_write_tests.rs"]
mod tests;
