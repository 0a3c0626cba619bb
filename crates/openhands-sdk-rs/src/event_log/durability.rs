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
use rustix::io::Errno;

use crate::event_log::alarm::Alarm;
use crate::event_log::files::{Force, PRIVATE, sync_directory, unnamed};

/// How long writes are collected. The rest of the promised 100 ms is for the disk.
const COLLECT: Duration = Duration::from_millis(40);
/// How long the thread waits for more work before it ends.
const LINGER: Duration = Duration::from_secs(5);
/// With more files than this in a batch, forcing the whole file system is less work than each of them: 36 of them took 1.1 ms of processor time one
/// by one and 0.2 ms so, on ext4.
const SOME_FILES: usize = 8;
/// With more than this it is so even where others write to the same file system.
const MANY_FILES: usize = 64;
/// With more pages than this waiting to be written by anybody, it may take long.
const MUCH_WAITING: u64 = 4096;
/// It did take longer than this: what others write to it was waited for, too.
const CROWDED: Duration = Duration::from_millis(30);
/// For so long batches of some files are then forced file by file.
const AVOID_CROWD: Duration = Duration::from_mins(5);

/// So many files are made before they are needed. To make one is a third of what it takes to store an event.
const SPARES: usize = 32;

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

    /// An empty file without a name, if one was made before.
    pub(crate) fn spare(&self) -> Option<File> {
        match self {
            Self::Background(syncer) => syncer.handle.shared.spares.lock().pop(),
            Self::Strict => None,
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
    /// Files for events to come, in the file system of those that came last. Nothing is left of them after the end of the process.
    spares: Mutex<Vec<File>>,
    /// Something was done.
    changed: Condvar,
    /// Until when others write so much to the file system that it is not to be forced as a whole.
    crowded_until: Mutex<Option<Instant>>,
}

#[derive(Debug, Default)]
struct State {
    /// Files by directory.
    waiting: HashMap<PathBuf, Vec<PathBuf>>,
    /// Since when something waits that the thread has not taken up.
    since: Option<Instant>,
    /// What wakes the thread, while there is one.
    alarm: Option<Arc<Alarm>>,
    /// Nobody is left to add more.
    is_over: bool,
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
        let shared = &self.handle.shared;
        let mut state = shared.state.lock();
        state.added += (files.len() as u64).max(1);
        match state.waiting.get_mut(directory) {
            Some(waiting) => waiting.extend(files),
            None => drop(state.waiting.insert(directory.to_owned(), files)),
        }
        if state.since.is_some() {
            return;
        }
        state.since = Some(Instant::now());
        let is_set = match &state.alarm {
            Some(alarm) => alarm.set(COLLECT),
            None => shared.start().map(|alarm| state.alarm = Some(alarm)),
        };
        if let Err(error) = is_set {
            tracing::warn!(%error, "events cannot be forced to disk in the background");
            shared.work(&mut state);
        }
    }

    /// Waits until all that was added so far is on disk. Fails with what went wrong since the last call.
    pub fn flush(&self) -> io::Result<()> {
        let shared = &self.handle.shared;
        let mut state = shared.state.lock();
        let wanted = state.added;
        while state.done < wanted {
            if let Some(alarm) = &state.alarm {
                alarm.set(Duration::ZERO)?;
            }
            shared.changed.wait(&mut state);
        }
        state.failure.take().map_or(Ok(()), Err)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.is_over = true;
        if let Some(alarm) = &state.alarm
            && let Err(error) = alarm.set(Duration::ZERO)
        {
            tracing::warn!(%error, "what was written is forced to disk later");
        }
    }
}

impl Shared {
    /// Starts the thread, which works after [`COLLECT`]. Not tied to an async runtime: it must finish its work also while one shuts down.
    fn start(self: &Arc<Self>) -> io::Result<Arc<Alarm>> {
        let alarm = Arc::new(Alarm::new()?);
        alarm.set(COLLECT)?;
        let (shared, its_alarm) = (Arc::clone(self), Arc::clone(&alarm));
        let thread = thread::Builder::new().name("event-sync".to_owned());
        thread.spawn(move || shared.run(&its_alarm))?;
        Ok(alarm)
    }

    fn run(&self, alarm: &Alarm) {
        loop {
            alarm.wait();
            let mut state = self.state.lock();
            if state.since.is_none() {
                // Nothing came for long.
                state.alarm = None;
                return;
            }
            self.work(&mut state);
            // What came meanwhile has set the alarm.
            if state.since.is_none() && (state.is_over || alarm.set(LINGER).is_err()) {
                state.alarm = None;
                return;
            }
        }
    }

    /// Forces what is waiting to disk, without holding the lock meanwhile.
    fn work(&self, state: &mut parking_lot::MutexGuard<'_, State>) {
        let batch = std::mem::take(&mut state.waiting);
        state.since = None;
        let upto = state.added;
        let is_over = state.is_over;
        let result = parking_lot::MutexGuard::unlocked(state, || {
            if let Some(directory) = batch.keys().next().filter(|_| !is_over) {
                self.make_spares(directory);
            }
            self.force(&batch)
        });
        state.done = state.done.max(upto);
        if let Err(error) = result {
            tracing::error!(%error, "events cannot be forced to disk");
            state.failure = Some(error);
        }
        self.changed.notify_all();
    }
}

impl Shared {
    /// While nobody waits for them.
    fn make_spares(&self, directory: &Path) {
        let missing = SPARES.saturating_sub(self.spares.lock().len());
        for _ in 0..missing {
            // A conversation may have been deleted meanwhile, and not every file system can do it.
            let Ok(file) = unnamed(directory, PRIVATE) else {
                return;
            };
            self.spares.lock().push(file);
        }
    }

    /// Files first, then the directories that name them.
    fn force(&self, batch: &HashMap<PathBuf, Vec<PathBuf>>) -> io::Result<()> {
        let count: usize = batch.values().map(Vec::len).sum();
        if self.forces_all(count, little_waits) {
            let began = Instant::now();
            let forced = self.force_file_systems(batch.keys());
            self.note_crowd(began.elapsed());
            return forced;
        }
        let mut result = Ok(());
        let mut files = Vec::with_capacity(count);
        for path in batch.values().flatten() {
            match self.open(path) {
                Ok(file) => files.extend(file),
                Err(error) => result = result.and(Err(error)),
            }
        }
        begin_to_write(&files);
        for file in files {
            result = result.and(file.sync_all());
        }
        for directory in batch.keys() {
            let forced = self
                .open(directory)
                .and_then(|file| file.map_or(Ok(()), |file| file.sync_all()));
            result = result.and(forced);
        }
        result
    }

    /// Whether so many files are forced together with all else in their file systems.
    fn forces_all(&self, count: usize, little_waits: impl FnOnce() -> bool) -> bool {
        let is_crowded = || {
            let until = *self.crowded_until.lock();
            until.is_some_and(|until| Instant::now() < until)
        };
        count > MANY_FILES || count > SOME_FILES && !is_crowded() && little_waits()
    }

    /// Takes note of how long it took to force a file system.
    fn note_crowd(&self, took: Duration) {
        *self.crowded_until.lock() = (took > CROWDED).then(|| Instant::now() + AVOID_CROWD);
    }

    /// Forces all that is waiting on the file systems of these directories.
    fn force_file_systems<'a>(
        &self,
        directories: impl Iterator<Item = &'a PathBuf>,
    ) -> io::Result<()> {
        let mut forced = HashSet::new();
        let mut result = Ok(());
        for directory in directories {
            let done = self.open(directory).and_then(|file| match file {
                Some(file) if forced.insert(file.metadata()?.dev()) => {
                    Ok(rustix::fs::syncfs(&file)?)
                }
                Some(_) | None => Ok(()),
            });
            result = result.and(done);
        }
        result
    }

    /// Opens what is to be forced. A conversation may have been deleted meanwhile.
    fn open(&self, path: &Path) -> io::Result<Option<File>> {
        let opened = match File::open(path) {
            // Files that were made for later may be what is too much. What cannot be forced is never tried again: the kernel tells of it once.
            Err(error) if is_too_many(&error) => {
                self.spares.lock().clear();
                File::open(path)
            }
            opened => opened,
        };
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Whether little of what anybody has written waits to be on a disk.
fn little_waits() -> bool {
    let counts = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
    pages_waiting(&counts).is_some_and(|pages| pages <= MUCH_WAITING)
}

/// Pages that were written to, or are being written to a disk.
fn pages_waiting(vmstat: &str) -> Option<u64> {
    let count = |name: &str| {
        let mut lines = vmstat.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        value.parse::<u64>().ok()
    };
    Some(count("nr_dirty")? + count("nr_writeback")?)
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

/// Whether there are as many open files as there may be.
fn is_too_many(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

#[cfg(test)]
#[path = "durability_tests.rs"]
mod tests;
