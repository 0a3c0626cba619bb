//! A store in files, in the layout that the reference uses: either can go on where the other stopped.
//!
//! ```text
//! <conversation>/base_state.json
//!                .base_state.json.tmp              the one before it, or the next one while it is written
//!                events/event-NNNNN-<id>.json      one event each, complete or not there
//!                       .eventlog.lock             held while an event is added
//!                       .eventlog-len-<n>.marker   how many there are, in its name
//!                       .eventlog-index            ours: see the index file
//! ```

mod aside;
mod layout;
pub(crate) mod lock;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::EventId;
use parking_lot::Mutex;
use rustix::fs::Access;

use crate::event_log::durability::Durability;
use crate::event_log::lease::WriteGuard;
use crate::event_log::{Document, EventStore, Lease, Listing, Problem, StoreError};
pub(crate) use aside::{Force, unnamed, write as write_aside};
pub(crate) use aside::{replace, sync_directory};
use layout::{Layout, Name};
use lock::FileLock;

/// The rights of what belongs to a conversation.
pub(crate) const PRIVATE: u32 = 0o600;

/// The events and the state of one conversation, in a directory.
#[derive(Debug)]
pub struct FileStore {
    layout: Layout,
    access: Rights,
    durability: Durability,
    lease: Option<Arc<Lease>>,
    leftovers: Mutex<Leftovers>,
    /// Taken for several appends, one after the other.
    held: Mutex<Option<Turn>>,
}

/// The right to append: the lock of the log, and the lease, which cannot change hands while its guard is held. As in the reference, the guard
/// is inside the lock.
#[derive(Debug)]
struct Turn {
    _guard: Option<WriteGuard>,
    _lock: FileLock,
    /// How many events are to come.
    left: u64,
    /// The position that is known to be free, after the first one.
    next: Option<u64>,
    written: Written,
}

/// The files of one turn, which are forced to disk together. Also when what comes after them fails.
#[derive(Debug)]
struct Written {
    durability: Durability,
    directory: PathBuf,
    files: Vec<PathBuf>,
}

impl Drop for Written {
    fn drop(&mut self) {
        let files = std::mem::take(&mut self.files);
        self.durability.files_written(&self.directory, files);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rights {
    Read,
    Write,
}

/// What the first append has to clear away.
#[derive(Debug, Default)]
struct Leftovers {
    /// Files behind a gap.
    stranded: Vec<String>,
    /// Markers that count wrong.
    markers: Vec<u64>,
}

impl FileStore {
    /// A store in the directory of a conversation. Nothing is created before something is stored.
    ///
    /// Whoever shares the directory with other servers claims its lease first.
    pub fn new(conversation: impl AsRef<Path>, durability: Durability) -> Self {
        Self {
            layout: Layout::new(conversation.as_ref()),
            access: Rights::Write,
            durability,
            lease: None,
            leftovers: Mutex::default(),
            held: Mutex::default(),
        }
    }

    /// A store that changes nothing in the directory: for a conversation that another process may be writing.
    pub fn reader(conversation: impl AsRef<Path>) -> Self {
        Self {
            access: Rights::Read,
            ..Self::new(conversation, Durability::Strict)
        }
    }

    /// Makes every write depend on a lease.
    #[must_use]
    pub fn with_lease(mut self, lease: Arc<Lease>) -> Self {
        self.lease = Some(lease);
        self
    }

    /// The directory of the conversation.
    pub fn directory(&self) -> &Path {
        &self.layout.conversation
    }

    fn check_rights(&self) -> Result<(), StoreError> {
        match self.access {
            Rights::Write => Ok(()),
            Rights::Read => Err(StoreError::ReadOnly),
        }
    }

    /// Creates the directories, if this is the first write.
    fn create_directories(&self) -> Result<(), StoreError> {
        let events = &self.layout.events;
        if events.is_dir() {
            return Ok(());
        }
        fs::create_dir_all(events).map_err(|e| StoreError::io(doing("creating", events), e))?;
        let mut named_in = self.layout.conversation.as_path();
        for _ in 0..2 {
            self.durability
                .directory_changed(named_in)
                .map_err(|e| StoreError::io(doing("syncing", named_in), e))?;
            match named_in.parent() {
                Some(parent) if !parent.as_os_str().is_empty() => named_in = parent,
                Some(_) | None => break,
            }
        }
        Ok(())
    }

    fn lock(&self) -> Result<FileLock, StoreError> {
        let path = self.layout.events.join(layout::LOCK);
        let taken = match lock::lock(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create_directories()?;
                lock::lock(&path)
            }
            other => other,
        };
        taken
            .map_err(|e| StoreError::io(doing("locking", &path), e))?
            .ok_or(StoreError::Locked)
    }

    /// Makes sure that this position is free. The marker proves it; without it the directory is read.
    fn check_position(&self, index: u64) -> Result<(), StoreError> {
        let marker = self.layout.marker(index);
        if rustix::fs::access(&marker, Access::EXISTS).is_ok() {
            return Ok(());
        }
        let listing = self.list()?;
        if listing.ids.len() as u64 == index {
            return Ok(());
        }
        Err(StoreError::Behind { index })
    }

    /// Moves files behind a gap aside and removes wrong markers. Only ever needed once, and under the lock.
    fn clear_leftovers(&self) {
        let leftovers = std::mem::take(&mut *self.leftovers.lock());
        for name in leftovers.stranded {
            let from = self.layout.events.join(&name);
            if let Err(error) = aside::place(&from, &self.layout.stranded(&name)) {
                tracing::warn!(%name, %error, "event file behind a gap cannot be moved aside");
            }
        }
        for len in leftovers.markers {
            let _gone_anyway = fs::remove_file(self.layout.marker(len));
        }
    }

    fn turn(&self, left: u64) -> Result<Turn, StoreError> {
        self.check_rights()?;
        let lock = self.lock()?;
        let guard = self.lease.as_ref().map(|lease| lease.guard()).transpose()?;
        Ok(Turn {
            _guard: guard,
            _lock: lock,
            left: left.max(1),
            next: None,
            written: Written {
                durability: self.durability.clone(),
                directory: self.layout.events.clone(),
                files: Vec::new(),
            },
        })
    }

    /// Stores an event for who has the turn.
    fn add(
        &self,
        turn: &mut Turn,
        index: u64,
        id: &EventId,
        json: &Bytes,
    ) -> Result<(), StoreError> {
        let is_first = turn.next != Some(index);
        if is_first {
            self.check_position(index)?;
            self.clear_leftovers();
        }
        let next = self.layout.events.join(layout::NEXT);
        let path = self.layout.event(index, id);
        let force = self.durability.force();
        let write = |spare| {
            aside::write_new(&next, json, PRIVATE, force, spare)
                .map_err(|e| StoreError::io(doing("writing", &next), e))
        };
        let spare = self.durability.spare().map(|spare| write(Some(spare)));
        // One of another file system may be full when this one is not.
        let written = match spare {
            Some(Ok(written)) => written,
            Some(Err(_)) | None => write(None)?,
        };
        if is_first {
            // Before an event gets its name: a kill in between leaves a marker that fits no writer, so each of
            // them counts. The other way round it could leave one that tells a writer to use a position again.
            self.advance_marker(index, index + turn.left);
        }
        let placed = match written.place(&path) {
            // The spare file was one of another file system.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                write(None)?.place(&path)
            }
            placed => placed,
        };
        match placed {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(StoreError::Behind { index });
            }
            Err(error) => return Err(StoreError::io(doing("naming", &path), error)),
        }
        self.durability
            .file_named(&self.layout.events)
            .map_err(|e| {
                // It was not promised to anyone yet, and must not turn up later as if it had been.
                let _gone_anyway = fs::remove_file(&path);
                StoreError::io(doing("syncing", &self.layout.events), e)
            })?;
        turn.written.files.push(path);
        turn.left = turn.left.saturating_sub(1).max(1);
        turn.next = Some(index + 1);
        Ok(())
    }

    /// Moves the marker on. Without it nothing is lost but time, so a failure is only logged.
    fn advance_marker(&self, from: u64, to: u64) {
        let (old, new) = (self.layout.marker(from), self.layout.marker(to));
        let moved = match aside::replace(&old, &new) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                aside::write(&new, b"", PRIVATE, Force::Later)
            }
            other => other,
        };
        if let Err(error) = moved {
            tracing::warn!(path = %new.display(), %error, "marker of the event log cannot be written");
        }
    }

    fn document(&self, document: Document) -> PathBuf {
        match document {
            Document::State => self.layout.conversation.join(layout::STATE),
            Document::Index => self.layout.events.join(layout::INDEX),
        }
    }
}

fn doing(what: &str, path: &Path) -> String {
    format!("{what} {}", path.display())
}

impl EventStore for FileStore {
    fn list(&self) -> Result<Listing, StoreError> {
        let mut found: Vec<(u64, EventId)> = Vec::new();
        let mut listing = Listing::default();
        let mut markers = Vec::new();
        let directory = &self.layout.events;
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listing),
            Err(error) => return Err(StoreError::io(doing("listing", directory), error)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| StoreError::io(doing("listing", directory), e))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match layout::parse(&name) {
                Name::Event(index, id) => found.push((index, id.into())),
                Name::Marker(len) => markers.push(len),
                Name::Hidden => {}
                Name::Unknown => listing.problems.push(Problem::UnknownFile {
                    name: name.into_owned(),
                }),
            }
        }
        // By position, then by id: which of two rivals counts does not depend on how the directory lists them.
        found.sort_unstable();
        listing.ids.reserve(found.len());
        let mut stranded = Vec::new();
        for (index, id) in found {
            let next = listing.ids.len() as u64;
            match listing.ids.last() {
                _ if index == next && stranded.is_empty() => listing.ids.push(id),
                Some(kept) if index.checked_add(1) == Some(next) => {
                    listing.problems.push(Problem::SamePosition {
                        index,
                        kept: kept.clone(),
                        left_out: id,
                    });
                }
                Some(_) | None => stranded.push(layout::event_name(index, &id)),
            }
        }
        let len = listing.ids.len() as u64;
        if !stranded.is_empty() {
            listing.problems.push(Problem::Gap {
                index: len,
                behind: stranded.len(),
            });
        }
        markers.retain(|counted| *counted != len);
        *self.leftovers.lock() = Leftovers { stranded, markers };
        Ok(listing)
    }

    fn append(&self, index: u64, id: &EventId, json: &Bytes) -> Result<(), StoreError> {
        if !layout::is_storable(id.as_str()) {
            return Err(StoreError::UnstorableId(id.clone()));
        }
        match &mut *self.held.lock() {
            Some(turn) => self.add(turn, index, id, json),
            None => self.add(&mut self.turn(1)?, index, id, json),
        }
    }

    fn hold(&self, appends: u64) -> Result<(), StoreError> {
        if appends > 1 {
            let mut held = self.held.lock();
            // One that was left by a panic would lock this one out.
            *held = None;
            *held = Some(self.turn(appends)?);
        }
        Ok(())
    }

    fn release(&self) {
        *self.held.lock() = None;
    }

    fn read(&self, index: u64, id: &EventId) -> Result<Bytes, StoreError> {
        let path = self.layout.event(index, id);
        match fs::read(&path) {
            Ok(json) => Ok(json.into()),
            Err(error) => Err(StoreError::io(doing("reading", &path), error)),
        }
    }

    fn load(&self, document: Document) -> Result<Option<Bytes>, StoreError> {
        let path = self.document(document);
        match fs::read(&path) {
            Ok(contents) => Ok(Some(contents.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            // An index that cannot be read is as good as none.
            Err(_) if document == Document::Index => Ok(None),
            Err(error) => Err(StoreError::io(doing("reading", &path), error)),
        }
    }

    fn save(&self, document: Document, contents: &[u8]) -> Result<(), StoreError> {
        self.check_rights()?;
        self.create_directories()?;
        let path = self.document(document);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let next = path.with_file_name(format!(".{}.tmp", name.trim_start_matches('.')));
        let force = match document {
            Document::State => self.durability.force(),
            Document::Index => Force::Later,
        };
        let _guard = self.lease.as_ref().map(|lease| lease.guard()).transpose()?;
        aside::rewrite(&next, contents, PRIVATE, force)
            .and_then(|()| aside::exchange(&next, &path))
            .map_err(|e| StoreError::io(doing("writing", &path), e))?;
        match document {
            Document::State => {
                let directory = &self.layout.conversation;
                self.durability
                    .file_named(directory)
                    .map_err(|e| StoreError::io(doing("syncing", &path), e))?;
                self.durability.files_written(directory, vec![path]);
                Ok(())
            }
            Document::Index => Ok(()),
        }
    }

    fn extend_index(&self, records: &[u8]) -> Result<(), StoreError> {
        self.check_rights()?;
        let path = self.document(Document::Index);
        OpenOptions::new()
            .append(true)
            .mode(PRIVATE)
            .open(&path)
            .and_then(|mut file| file.write_all(records))
            .map_err(|e| StoreError::io(doing("writing", &path), e))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.durability
            .flush()
            .map_err(|e| StoreError::io("syncing the event log", e))
    }
}
