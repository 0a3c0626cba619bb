//! The private folder of a browser: made for one process, gone with it.

use super::error::BrowserError;
use openhands_process::User;
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Begins the name of every profile.
const PREFIX: &str = "openhands-browser-";
/// How often and how long a folder is tried to be removed into which ending processes still write.
const TRIES: u32 = 250;
const BETWEEN: Duration = Duration::from_millis(20);
/// How old a profile is before it is looked at whether its owner is gone.
const NEW: Duration = Duration::from_mins(1);

/// A folder that is removed when it is dropped, however long the browser takes to leave it.
#[derive(Debug)]
pub(super) struct Profile {
    path: PathBuf,
    /// Locked as long as its owner lives, whatever becomes of it.
    _lock: OwnedFd,
}

impl Profile {
    /// Makes one. Profiles of processes that were killed are removed on the way.
    pub(super) fn make(user: Option<&User>) -> Result<Self, BrowserError> {
        let root = std::env::temp_dir();
        sweep(&root);
        let path = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(root)
            .map_err(BrowserError::file("a folder for the browser's profile"))?
            .keep();
        let lock = locked(&path)
            .map_err(|errno| BrowserError::file("the browser's profile")(errno.into()))?;
        let profile = Self { path, _lock: lock };
        if let Some(user) = user {
            let owner = rustix::fs::Uid::from_raw(user.uid);
            let group = rustix::fs::Gid::from_raw(user.gid);
            rustix::fs::chown(profile.path(), Some(owner), Some(group))
                .map_err(|errno| BrowserError::file("the browser's profile")(errno.into()))?;
        }
        Ok(profile)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        if !self.path.exists() {
            return;
        }
        let path = std::mem::take(&mut self.path);
        // Nobody waits for it: whoever wants to ends the browser first.
        let removing = std::thread::Builder::new().name("browser profile".to_owned());
        let spawned = removing.spawn(move || {
            for _ in 0..TRIES {
                let _ = std::fs::remove_dir_all(&path);
                std::thread::sleep(BETWEEN);
                if !path.exists() {
                    return;
                }
            }
        });
        if let Err(error) = spawned {
            tracing::warn!(%error, "a browser's profile is left behind");
        }
    }
}

/// The folder, locked; an error if somebody else has it.
fn locked(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let folder = rustix::fs::open(path, flags, Mode::empty())?;
    rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
    Ok(folder)
}

/// Removes profiles whose owners are gone: a server that is killed cannot clean up.
fn sweep(root: &Path) {
    let Ok(entries) = std::fs::read_dir(root) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_profile = name.to_str().is_some_and(|name| name.starts_with(PREFIX));
        // One that is just being made is not locked yet.
        let is_old = entry
            .metadata()
            .and_then(|data| data.modified())
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age > NEW));
        if is_profile && is_old && locked(&entry.path()).is_ok() {
            // Another user's cannot be removed, and need not.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
