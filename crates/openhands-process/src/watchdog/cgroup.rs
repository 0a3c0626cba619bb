//! A cgroup for each tree, where the host lets us make one.
//!
//! A cgroup ends what ancestry cannot follow, and ends it at one stroke: not even a process that
//! forks faster than it can be listed escapes `cgroup.kill`. Layout, below our own cgroup:
//!
//! ```text
//! <our cgroup>/openhands-<pid>-<time>/    one per watchdog, its directory locked while anyone lives
//!              └── tree-<guard pid>/      one per guard, holds its command and all that starts
//! ```
//!
//! The lock is shared by the watchdog and its guards. A directory that nobody holds was left by
//! a watchdog that died with all its guards: whoever starts next ends what is in it.

mod locate;

use std::cell::Cell;
use std::ffi::CStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, kill_process};

const PREFIX: &str = "openhands-";

const DIRECTORY_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// How long a start waits for the processes of a dead watchdog to end. Killed processes end in
/// well under a millisecond unless the disk holds them.
const STALE_PATIENCE: Duration = Duration::from_millis(200);

/// The cgroup of one watchdog.
#[derive(Debug)]
pub(super) struct ServerGroup {
    directory: PathBuf,
    /// The directory, with the lock that it carries; guards inherit it by fork.
    handle: OwnedFd,
}

impl ServerGroup {
    /// Makes the watchdog's cgroup and removes those of dead ones. `None` where the host gives us none.
    pub(super) fn create() -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        let membership = fs::read_to_string("/proc/self/cgroup").ok()?;
        let parent = locate::own_group(&mounts, &membership)?;
        remove_stale(&parent);
        // A start that runs at the same time may take our directory for a stale one before we
        // have locked it; then the next name serves.
        (0..3).find_map(|_| Self::create_in(&parent).ok())
    }

    fn create_in(parent: &Path) -> io::Result<Self> {
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let name = format!(
            "{PREFIX}{}-{:x}",
            getpid().as_raw_nonzero(),
            time.as_nanos()
        );
        let directory = parent.join(name);
        fs::create_dir(&directory)?;
        let handle = lock(&directory)?;
        Ok(Self { directory, handle })
    }

    /// Makes the cgroup of one tree.
    #[inline(never)]
    pub(super) fn tree(&self, guard: Pid) -> Result<TreeGroup<'_>, Errno> {
        TreeGroup::create(self, guard)
    }

    /// Ends the tree of a guard that died. Returns whether nothing is left of it.
    pub(super) fn end_abandoned(&self, guard: Pid) -> bool {
        let directory = self.tree_directory(guard);
        if !directory.exists() {
            return true;
        }
        kill(&directory);
        remove(&directory)
    }

    /// Removes the watchdog's cgroup, if no tree is in it.
    pub(super) fn remove(&self) {
        let _ = fs::remove_dir(&self.directory);
    }

    fn tree_directory(&self, guard: Pid) -> PathBuf {
        self.directory.join(TreeName::of(guard).as_str())
    }
}

/// The cgroup of one tree. It is made without the heap, of which a guard would then have pages of its own.
#[derive(Debug)]
pub(super) struct TreeGroup<'a> {
    server: &'a ServerGroup,
    guard: Pid,
    handle: OwnedFd,
    /// Tells whether anyone is inside.
    events: OwnedFd,
    /// What root's commands may change, as in [`SETTINGS_WHEN_NEW`]; none where the kernel is older, and there is nothing to change.
    settings: [Option<OwnedFd>; SETTINGS_WHEN_NEW.len()],
    is_killed: Cell<bool>,
}

/// What the events of a cgroup say while it is as it was made.
const EVENTS_WHEN_NEW: &[u8] = b"populated 0\nfrozen 0\n";

/// What says how a cgroup may be used, and what it says when nobody has changed it. Controllers have no files here: our own cgroups
/// enable none.
const SETTINGS_WHEN_NEW: [(&CStr, &[u8]); 4] = [
    (c"cgroup.max.depth", b"max\n"),
    (c"cgroup.max.descendants", b"max\n"),
    (c"cgroup.subtree_control", b""),
    (c"cgroup.type", b"domain\n"),
];

/// Links to a cgroup's directory without one below it.
const LINKS_WHEN_NEW: u64 = 2;

impl<'a> TreeGroup<'a> {
    fn create(server: &'a ServerGroup, guard: Pid) -> Result<Self, Errno> {
        let name = TreeName::of(guard);
        // What a new directory allows if the user has set no limits.
        let mode = Mode::RWXU | Mode::RWXG | Mode::RWXO;
        rustix::fs::mkdirat(&server.handle, name.as_str(), mode)?;
        let handle = rustix::fs::openat(
            &server.handle,
            name.as_str(),
            DIRECTORY_FLAGS,
            Mode::empty(),
        )?;
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let events = rustix::fs::openat(&handle, c"cgroup.events", flags, Mode::empty())?;
        let mut settings = [const { None }; SETTINGS_WHEN_NEW.len()];
        for (place, (name, _)) in settings.iter_mut().zip(SETTINGS_WHEN_NEW) {
            match rustix::fs::openat(&handle, name, flags, Mode::empty()) {
                Ok(setting) => *place = Some(setting),
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(Self {
            server,
            guard,
            handle,
            events,
            settings,
            is_killed: Cell::new(false),
        })
    }

    /// Whether nobody is inside or was killed there, no cgroup was made in it, it is not frozen, and nobody has changed its settings.
    /// Far cheaper than to remove it and make another.
    #[inline(never)]
    pub(super) fn is_as_new(&self) -> bool {
        !self.is_killed.get()
            && says(&self.events, EVENTS_WHEN_NEW)
            && rustix::fs::fstat(&self.handle).is_ok_and(|stat| stat.st_nlink == LINKS_WHEN_NEW)
            && self
                .settings
                .iter()
                .zip(SETTINGS_WHEN_NEW)
                .filter_map(|(setting, (_, when_new))| Some((setting.as_ref()?, when_new)))
                .all(|(setting, when_new)| says(setting, when_new))
    }

    fn directory(&self) -> PathBuf {
        self.server.tree_directory(self.guard)
    }

    /// Moves the calling process in.
    pub(super) fn join(&self) -> io::Result<()> {
        fs::write(self.directory().join("cgroup.procs"), "0")
    }

    /// Kills everyone inside. It is not used again after that: a kernel may kill whoever is born into it later, too (6.18 does).
    #[inline(never)]
    pub(super) fn kill(&self) {
        self.is_killed.set(true);
        kill(&self.directory());
    }

    /// Removes the cgroup with all that was made below it. Returns false if anyone is inside.
    #[inline(never)]
    pub(super) fn remove(&self) -> bool {
        remove(&self.directory())
    }

    /// A descriptor with an exceptional condition when the cgroup becomes empty.
    #[inline(never)]
    pub(super) fn events(&self) -> io::Result<File> {
        let mut events = File::open(self.directory().join("cgroup.events"))?;
        // The condition counts from the last read.
        io::copy(&mut events, &mut io::sink())?;
        Ok(events)
    }
}

impl AsFd for TreeGroup<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// The name of a tree's cgroup in that of its watchdog.
struct TreeName {
    bytes: [u8; 16],
    length: usize,
}

impl TreeName {
    fn of(guard: Pid) -> Self {
        let mut bytes = [0; 16];
        let mut rest = bytes.as_mut_slice();
        // There is room for every number.
        let _ = write!(rest, "tree-{}", guard.as_raw_nonzero());
        let left = rest.len();
        Self {
            bytes,
            length: bytes.len() - left,
        }
    }

    fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.length).unwrap_or_default();
        str::from_utf8(bytes).unwrap_or_default()
    }
}

/// Whether a file of a cgroup says this, and nothing else.
fn says(file: &OwnedFd, text: &[u8]) -> bool {
    let mut said = [0_u8; 64];
    rustix::io::pread(file, &mut said, 0).is_ok_and(|read| said.get(..read) == Some(text))
}

fn open_directory(directory: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(directory, DIRECTORY_FLAGS, Mode::empty())?)
}

/// Locks a directory that is still the one at its path.
fn lock(directory: &Path) -> io::Result<OwnedFd> {
    let handle = open_directory(directory)?;
    flock(&handle, FlockOperation::NonBlockingLockExclusive)?;
    let locked = rustix::fs::fstat(&handle)?;
    if fs::metadata(directory)?.ino() == locked.st_ino {
        Ok(handle)
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}

/// Ends everything in a cgroup and those below it.
fn kill(directory: &Path) {
    if fs::write(directory.join("cgroup.kill"), "1").is_ok() {
        return;
    }
    // Kernels before 5.14. Frozen first, so that nobody forks while we go through the list;
    // a frozen process still dies when killed.
    let _ = fs::write(directory.join("cgroup.freeze"), "1");
    each_group(directory, &mut |group| {
        let listed = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
        for pid in listed
            .lines()
            .filter_map(|line| Pid::from_raw(line.parse().ok()?))
        {
            let _ = kill_process(pid, Signal::KILL);
        }
    });
    let _ = fs::write(directory.join("cgroup.freeze"), "0");
}

/// Removes a cgroup and those below it; false if anyone is inside.
fn remove(directory: &Path) -> bool {
    match fs::remove_dir(directory) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        // Somebody is inside, or the command made cgroups of its own.
        Err(_) => {
            each_group(directory, &mut |group| {
                let _ = fs::remove_dir(group);
            });
            !directory.exists()
        }
    }
}

/// Visits a cgroup after all those below it.
fn each_group(directory: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            each_group(&entry.path(), visit);
        }
    }
    visit(directory);
}

/// Ends and removes what dead watchdogs left behind.
fn remove_stale(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let directory = entry.path();
        let ours = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX));
        // Someone alive holds the lock; if we get it, nobody is.
        if !ours || lock(&directory).is_err() {
            continue;
        }
        kill(&directory);
        if !remove(&directory) {
            await_empty(&directory, STALE_PATIENCE);
            remove(&directory);
        }
    }
}

/// Waits until nobody is inside, or the time is over.
fn await_empty(directory: &Path, patience: Duration) {
    let Ok(mut events) = File::open(directory.join("cgroup.events")) else {
        return;
    };
    let deadline = Instant::now() + patience;
    let mut text = String::new();
    loop {
        text.clear();
        let read = events
            .rewind()
            .and_then(|()| events.read_to_string(&mut text));
        let left = deadline.saturating_duration_since(Instant::now());
        if read.is_err() || text.contains("populated 0") || left.is_zero() {
            return;
        }
        // Told of every change since the read.
        let mut list = [PollFd::new(&events, PollFlags::PRI)];
        let _ = poll(&mut list, Timespec::try_from(left).ok().as_ref());
    }
}

#[cfg(test)]
#[path = "cgroup_tests.rs"]
mod tests;
