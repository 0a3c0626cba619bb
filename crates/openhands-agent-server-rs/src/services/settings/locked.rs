//! A directory of files that several servers may share: a lock file, and writes that are whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde_json::Value;
use uuid::Uuid;

use crate::services::settings::error::StoreError;
use crate::services::settings::names::{ProfileName, is_profile_name};
use crate::services::settings::python_json;

/// Only the owner may look.
const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// How long a caller waits for its turn.
const LOCK_WAIT: Duration = Duration::from_secs(30);
/// How often another process is asked whether it is done.
const LOCK_POLL: Duration = Duration::from_millis(10);

/// A directory with a lock file. All of its methods block.
#[derive(Debug)]
pub(crate) struct LockedDirectory {
    path: PathBuf,
    lock_name: &'static str,
    /// What it is called when it is busy.
    title: &'static str,
    /// Takes turns among the threads of this process, so that only other processes are polled.
    turn: Mutex<()>,
}

/// The right to change what is in a directory.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    directory: &'a Path,
    // The order matters: the file is unlocked before the next thread may lock it.
    _file: File,
    _turn: MutexGuard<'a, ()>,
}

impl LockedDirectory {
    /// A directory that is made when it is first locked.
    pub(crate) fn new(path: PathBuf, lock_name: &'static str, title: &'static str) -> Self {
        Self {
            path,
            lock_name,
            title,
            turn: Mutex::new(()),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for its turn, among the threads of this process and among processes.
    pub(crate) fn lock(&self) -> Result<Held<'_>, StoreError> {
        self.lock_within(LOCK_WAIT)
    }

    fn lock_within(&self, wait: Duration) -> Result<Held<'_>, StoreError> {
        let deadline = Instant::now() + wait;
        let turn = self.turn.try_lock_until(deadline);
        let turn = turn.ok_or(StoreError::Busy(self.title))?;
        ensure_private(&self.path)?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(FILE_MODE)
            .open(self.path.join(self.lock_name))?;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < deadline => {
                    std::thread::sleep(LOCK_POLL);
                }
                Err(Errno::WOULDBLOCK) => return Err(StoreError::Busy(self.title)),
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        Ok(Held {
            directory: &self.path,
            _file: file,
            _turn: turn,
        })
    }
}

impl Held<'_> {
    /// Writes a file of this directory: aside, to the disk, and then under its name.
    pub(crate) fn write(&self, name: &str, value: &Value) -> Result<(), StoreError> {
        let text = python_json::to_text(value).map_err(io::Error::other)?;
        let path = self.directory.join(name);
        let aside = self
            .directory
            .join(format!(".{name}.{}.tmp", Uuid::new_v4().simple()));
        let written = write_new(&aside, &text).and_then(|()| fs::rename(&aside, &path));
        if let Err(error) = written {
            // The error that matters is the first one.
            let _ = fs::remove_file(&aside);
            return Err(error.into());
        }
        self.sync()
    }

    /// Removes a file. Tells whether it was there.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, StoreError> {
        match fs::remove_file(self.directory.join(name)) {
            Ok(()) => self.sync().map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a file another name.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        fs::rename(self.directory.join(from), self.directory.join(to))?;
        self.sync()
    }

    /// Whether a file is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.directory.join(name).exists()
    }

    /// The text of a file, if it is there.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        read_if_there(&self.directory.join(name))
    }

    /// The names of the profiles whose files are here, in the order of the files.
    pub(crate) fn profiles(&self) -> Result<Vec<ProfileName>, StoreError> {
        let mut files = Vec::new();
        for entry in fs::read_dir(self.directory)? {
            files.extend(entry?.file_name().into_string());
        }
        files.sort();
        let names = files.iter().filter_map(|file| file.strip_suffix(".json"));
        // What has another name is no profile, whatever it is.
        let names = names.filter(|name| is_profile_name(name));
        Ok(names
            .filter_map(|name| ProfileName::parse(name).ok())
            .collect())
    }

    /// A name is only safe when its directory is on the disk.
    fn sync(&self) -> Result<(), StoreError> {
        Ok(File::open(self.directory)?.sync_all()?)
    }
}

/// The text of a file, if it is there.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn write_new(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

/// Makes a directory that only its owner can look into, and takes the others' rights from one that is there.
fn ensure_private(path: &Path) -> Result<(), StoreError> {
    DirBuilder::new()
        .recursive(true)
        .mode(DIR_MODE)
        .create(path)?;
    if fs::metadata(path)?.permissions().mode() & 0o777 != DIR_MODE
        && let Err(error) = fs::set_permissions(path, Permissions::from_mode(DIR_MODE))
    {
        // A directory of somebody else's that we may write to is no reason to fail.
        tracing::warn!(path = %path.display(), %error, "others may look into this directory");
    }
    Ok(())
}

#[cfg(test)]
#[path = "locked_tests.rs"]
mod tests;
