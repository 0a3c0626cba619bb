//! When what was written survives the loss of power.
//!
//! A written and renamed file survives the death of the process at once. To survive the loss of power it has
//! to be forced to disk, which takes milliseconds: either before anyone sees the event, or soon after by a
//! thread that serves all logs of the process and lives only while there is work.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use rustix::fs::Advice;

use crate::event_log::files::{Force, sync_directory};

/// How long writes are collected. The rest of the promised 100 ms is for the disk.
const COLLECT: Duration = Duration::from_millis(40);
/// How long the thread waits for more work before it ends.
const LINGER: Duration = Duration::from_secs(5);
/// With more files than this in a batch, forcing the whole file system is cheaper than each of them.
const MANY_FILES: usize = 64;

/// When what was written is forced to disk.
#[derive(Debug, Clone)]
pub enum Durability {
    /// Within 100 ms, in the background: files first, then their directory.
    Background(Syncer),
    /// Before anyone sees it.
    Strict,
}

impl Durability {
    pub(crate) fn force(&self) -> Force {
        match self {
            Self::Background(_) => Force::Later,
            Self::Strict => Force::Now,
        }
    }

    /// A file got its name. Strictly, its contents are on disk already and the name follows now. Else it is to be forced to disk by
    /// [`Self::files_written`].
    pub(crate) fn file_named(&self, directory: &Path) -> io::Result<()> {
        match self {
            Self::Background(_) => Ok(()),
            Self::Strict => sync_directory(directory),
        }
    }

    /// Files in a directory got their names: those of one turn are told of together when it is over. Whoever waits for the disk is woken by
    /// it, and would be in the way of the next file.
    pub(crate) fn files_written(&self, directory: &Path, files: Vec<PathBuf>) {
        if let Self::Background(syncer) = self
            && !files.is_empty()
        {
            syncer.add(directory, files);
        }
    }

    /// Names in a directory changed.
    pub(crate) fn directory_changed(&self, directory: &Path) -> io::Result<()> {
        match self {
            Self::Background(syncer) => {
                syncer.add(directory, Vec::new());
                Ok(())
            }
            Self::Strict => sync_directory(directory),
        }
    }

    /// Waits until all that was written so far is on disk.
    pub(crate) fn flush(&self) -> io::Result<()> {
        match self {
            Self::Background(syncer) => syncer.flush(),
            Self::Strict => Ok(()),
        }
    }
}

/// Forces files to disk in the background, for all logs that share it.
#[derive(Debug, Clone, Default)]
pub struct Syncer {
    handle: Arc<Handle>,
}

/// All handles but the thread's own: when the last one goes, the thread hurries to its end.
#[derive(Debug, Default)]
struct Handle {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Files by directory.
    waiting: HashMap<PathBuf, Vec<PathBuf>>,
    since: Option<Instant>,
    has_thread: bool,
    /// Nobody is left to add more, or somebody waits for the rest.
    hurry: bool,
    added: u64,
    done: u64,
    failure: Option<io::Error>,
}

impl Syncer {
    /// A syncer without a thread; it starts one when there is work.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many writes were not forced to disk yet.
    pub fn waiting(&self) -> u64 {
        let state = self.handle.shared.state.lock();
        state.added - state.done
    }

    fn add(&self, directory: &Path, files: Vec<PathBuf>) {
        let mut state = self.handle.shared.state.lock();
        state.added += (files.len() as u64).max(1);
        match state.waiting.get_mut(directory) {
            Some(waiting) => waiting.extend(files),
            None => drop(state.waiting.insert(directory.to_owned(), files)),
        }
        if state.since.is_none() {
            state.since = Some(Instant::now());
            self.handle.shared.changed.notify_all();
        }
        if !state.has_thread {
            state.has_thread = true;
            let shared = Arc::clone(&self.handle.shared);
            // Not tied to an async runtime: it must finish its work also while one shuts down.
            let thread = thread::Builder::new().name("event-sync".to_owned());
            if thread.spawn(move || shared.run()).is_err() {
                state.has_thread = false;
                self.handle.shared.work(&mut state);
            }
        }
    }

    /// Waits until all that was added so far is on disk. Fails with what went wrong since the last call.
    pub fn flush(&self) -> io::Result<()> {
        let mut state = self.handle.shared.state.lock();
        let wanted = state.added;
        while state.done < wanted {
            state.hurry = true;
            self.handle.shared.changed.notify_all();
            self.handle.shared.changed.wait(&mut state);
        }
        state.failure.take().map_or(Ok(()), Err)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.state.lock().hurry = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn run(&self) {
        let mut state = self.state.lock();
        loop {
            while let Some(since) = state.since {
                if state.hurry
                    || self
                        .changed
                        .wait_until(&mut state, since + COLLECT)
                        .timed_out()
                {
                    state.hurry = false;
                    self.work(&mut state);
                }
            }
            let idle = self.changed.wait_for(&mut state, LINGER).timed_out();
            if state.since.is_none() && (idle || state.hurry) {
                state.hurry = false;
                state.has_thread = false;
                return;
            }
        }
    }

    /// Forces what is waiting to disk, without holding the lock meanwhile.
    fn work(&self, state: &mut parking_lot::MutexGuard<'_, State>) {
        let batch = std::mem::take(&mut state.waiting);
        state.since = None;
        let upto = state.added;
        let result = parking_lot::MutexGuard::unlocked(state, || force(&batch));
        state.done = upto;
        if let Err(error) = result {
            tracing::error!(%error, "events cannot be forced to disk");
            state.failure = Some(error);
        }
        self.changed.notify_all();
    }
}

/// Files first, then the directories that name them.
fn force(batch: &HashMap<PathBuf, Vec<PathBuf>>) -> io::Result<()> {
    let count: usize = batch.values().map(Vec::len).sum();
    if count > MANY_FILES {
        return force_file_systems(batch.keys());
    }
    let mut result = Ok(());
    let mut files = Vec::with_capacity(count);
    for path in batch.values().flatten() {
        match open(path) {
            Ok(file) => files.extend(file),
            Err(error) => result = result.and(Err(error)),
        }
    }
    begin_to_write(&files);
    for file in files {
        result = result.and(file.sync_all());
    }
    for directory in batch.keys() {
        let forced = open(directory).and_then(|file| file.map_or(Ok(()), |file| file.sync_all()));
        result = result.and(forced);
    }
    result
}

/// Lets the kernel begin to write all of them, before the first one is waited for. A file system with a journal finds room on the disk for a
/// file when it begins to write it: one by one each file would need an entry of its own in the journal, and whoever makes a file
/// meanwhile waits for each of them.
fn begin_to_write(files: &[File]) {
    for file in files {
        // The advice is that what was written is not read again soon; to follow it the kernel has to write it. One that does not is slower.
        let _ = rustix::fs::fadvise(file, 0, None, Advice::DontNeed);
    }
}

/// Forces all that is waiting on the file systems of these directories.
fn force_file_systems<'a>(directories: impl Iterator<Item = &'a PathBuf>) -> io::Result<()> {
    let mut forced = HashSet::new();
    let mut result = Ok(());
    for directory in directories {
        let done = open(directory).and_then(|file| match file {
            Some(file) if forced.insert(file.metadata()?.dev()) => Ok(rustix::fs::syncfs(&file)?),
            Some(_) | None => Ok(()),
        });
        result = result.and(done);
    }
    result
}

/// Opens what is to be forced. A conversation may have been deleted meanwhile.
fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[path = "durability_tests.rs"]
mod tests;
