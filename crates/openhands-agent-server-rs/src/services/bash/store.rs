//! Bash events on disk, one file each, and who follows them.
//!
//! The names are kept in memory, so that a poll costs one look into a map and the files that it answers with. A file is
//! written aside and renamed, then its name becomes visible and the event is announced, in that order. While a
//! server runs, the directory is its own: files that others put there are seen after the next start.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use openhands_protocol::bash::{BashCommand, BashEvent, BashOutput};
use openhands_protocol::{BashEventId, Form, UtcTime};
use openhands_sdk_rs::tools::blocking;
use openhands_sdk_rs::tools::disk_room::DiskRoom;
use parking_lot::Mutex;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;

use super::joined::Stored;
use super::name;
use super::rooms::Room;
use super::search::{self, Page, Search};
use super::subscription::{Subscribers, Subscription, TooManySubscribers};
use super::written::{LARGE, Written};

/// How files that are being written begin. Those are no events.
const HIDDEN: char = '.';

/// Events on disk.
pub(crate) struct EventStore {
    directory: PathBuf,
    /// Whether directories above are made too.
    makes_parents: bool,
    loaded: OnceCell<()>,
    state: Mutex<State>,
}

/// An output that was announced.
#[derive(Debug)]
pub(super) struct Added {
    pub(super) stored: Stored,
    /// Whether it could be stored, too.
    pub(super) done: io::Result<()>,
    /// Memory for the text of the next output: a large one takes megabytes, which the allocator would keep for each thread by itself.
    pub(super) text_room: Option<String>,
}

#[derive(Default)]
struct State {
    /// Each event's number in the order of appearance, by name.
    names: BTreeMap<Box<str>, u64>,
    appeared: u64,
    /// The latest time that was given out, in microseconds.
    latest: i64,
    subscribers: Subscribers,
}

impl EventStore {
    /// The store in a directory, which is read when it is needed and made when something is written.
    pub(crate) fn new(directory: PathBuf) -> Arc<Self> {
        Self::in_directory(directory, true)
    }

    /// The same, but the directory above must be there.
    pub(crate) fn below(directory: PathBuf) -> Arc<Self> {
        Self::in_directory(directory, false)
    }

    fn in_directory(directory: PathBuf, makes_parents: bool) -> Arc<Self> {
        Arc::new(Self {
            directory,
            makes_parents,
            loaded: OnceCell::new(),
            state: Mutex::default(),
        })
    }

    /// The current time, later than every time that was given before: names stay in the order of events.
    pub(super) async fn stamp(&self) -> io::Result<UtcTime> {
        self.load().await?;
        let mut state = self.state.lock();
        state.latest = Timestamp::now().as_microsecond().max(state.latest + 1);
        Ok(UtcTime::from_timestamp(
            Timestamp::from_microsecond(state.latest).unwrap_or_else(|_| Timestamp::now()),
        ))
    }

    /// Stores a command and announces it. One that cannot be stored is not announced.
    pub(super) async fn add_command(self: &Arc<Self>, command: BashCommand) -> io::Result<()> {
        let store = Arc::clone(self);
        let added = blocking(move || {
            let name = name::of_command(&command);
            let json = Form::REST.to_vec(&BashEvent::from(command));
            let json = Bytes::from(json.map_err(io::Error::other)?);
            store.write(&name, &json)?;
            store.announce(&name, &json, true);
            Ok(())
        });
        added.await.map_err(io::Error::other)?
    }

    /// Stores an output and announces it. What cannot be stored, as on a full disk, is announced all the same: those
    /// who wait for it must not wait for ever. `room` is used for its JSON.
    ///
    /// It has begun when this returns: the caller may do something else meanwhile.
    pub(super) fn add_output(
        self: &Arc<Self>,
        output: BashOutput,
        mut room: Room,
    ) -> JoinHandle<io::Result<Added>> {
        let store = Arc::clone(self);
        // Here, and not on one of the many threads that write files: the allocator keeps some memory for each thread.
        Written::make_room(&output, &mut room);
        tokio::task::spawn_blocking(move || store.store_output(output, room))
    }

    fn store_output(&self, mut output: BashOutput, room: Room) -> io::Result<Added> {
        let name = name::of_output(&output);
        // Written once: the file, those who follow and who waits for the end all get these bytes.
        let (written, text_room) = Written::new(&mut output, room).map_err(io::Error::other)?;
        let (file, done) = match self.write(&name, &written.json) {
            Ok(file) => (Some(file), Ok(())),
            Err(error) => (None, Err(error)),
        };
        self.announce(&name, &written.json, done.is_ok());
        let file = file.filter(|_| written.json.len() >= LARGE);
        Ok(Added {
            stored: Stored {
                output,
                written,
                file,
            },
            done,
            text_room: text_room.filter(|text| text.capacity() >= LARGE),
        })
    }

    /// Makes an event visible. Appearing and being announced are one step: whoever subscribes has an event
    /// either among the known or among the announced.
    fn announce(&self, name: &str, json: &Bytes, stored: bool) {
        let mut state = self.state.lock();
        if stored {
            state.appeared += 1;
            let number = state.appeared;
            state.names.insert(name.into(), number);
        }
        state.subscribers.announce(json);
    }

    /// Where the events are.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    async fn load(&self) -> io::Result<()> {
        let scan = async || {
            let directory = self.directory.clone();
            let names = blocking(move || scan(&directory))
                .await
                .map_err(io::Error::other)??;
            let mut state = self.state.lock();
            for name in names {
                state.appeared += 1;
                let number = state.appeared;
                state.names.insert(name, number);
            }
            let latest = state
                .names
                .last_key_value()
                .and_then(|(name, _)| name::time_of(name));
            // A file from the far future must not drag the clock along.
            let bound = Timestamp::now().as_microsecond();
            state.latest = latest.map_or(0, |time| time.as_microsecond().min(bound));
            Ok(())
        };
        self.loaded.get_or_try_init(scan).await.copied()
    }

    /// A page of events.
    pub(crate) async fn search(self: &Arc<Self>, search: Search) -> io::Result<Page> {
        self.load().await?;
        let store = Arc::clone(self);
        blocking(move || {
            let names = store.names(|name, _| search.admits(name));
            search::page(&store.directory, names, &search)
        })
        .await
        .map_err(io::Error::other)
    }

    /// The names that pass, in order.
    fn names(&self, passes: impl Fn(&str, u64) -> bool) -> Vec<Box<str>> {
        let state = self.state.lock();
        state
            .names
            .iter()
            .filter(|(name, number)| passes(name, **number))
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// The events with these ids, in their order; nothing where there is none.
    pub(crate) async fn events(
        self: &Arc<Self>,
        ids: Vec<String>,
    ) -> io::Result<Vec<Option<BashEvent>>> {
        self.load().await?;
        let store = Arc::clone(self);
        blocking(move || {
            ids.iter()
                .map(|id| {
                    let name = store.name_of(id)?;
                    search::read(&store.directory, &name)
                })
                .collect()
        })
        .await
        .map_err(io::Error::other)
    }

    fn name_of(&self, id: &str) -> Option<Box<str>> {
        let state = self.state.lock();
        state
            .names
            .keys()
            .find(|name| name::has_id(name, id))
            .cloned()
    }

    /// Whether there is an event with this id.
    pub(super) async fn knows(&self, id: BashEventId) -> io::Result<bool> {
        self.load().await?;
        Ok(self.name_of(&id.hex()).is_some())
    }

    /// Removes all events, and says how many there were.
    pub(crate) async fn clear(self: &Arc<Self>) -> io::Result<usize> {
        self.load().await?;
        self.remove(|_| true).await
    }

    /// Removes the events from before that time, and says how many there were.
    pub(crate) async fn expire(self: &Arc<Self>, before: Timestamp) -> io::Result<usize> {
        self.load().await?;
        let prefix = name::time_prefix(before);
        self.remove(move |name| name < prefix.as_str()).await
    }

    async fn remove(
        self: &Arc<Self>,
        goes: impl Fn(&str) -> bool + Send + 'static,
    ) -> io::Result<usize> {
        let store = Arc::clone(self);
        blocking(move || {
            let names = store.names(|name, _| goes(name));
            for name in &names {
                match std::fs::remove_file(store.directory.join(&**name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        tracing::warn!(%error, %name, "a bash event cannot be removed");
                        continue;
                    }
                    Ok(()) | Err(_) => {}
                }
                store.state.lock().names.remove(name);
            }
            names.len()
        })
        .await
        .map_err(io::Error::other)
    }

    /// Follows the events from now on.
    pub(crate) async fn subscribe(&self) -> io::Result<Result<Subscription, TooManySubscribers>> {
        self.load().await?;
        let mut state = self.state.lock();
        let known = state.appeared;
        Ok(state.subscribers.add(known))
    }

    /// Events from before the subscription, oldest first, after the one with this name; none at the end.
    pub(crate) async fn history(
        self: &Arc<Self>,
        subscription: &Subscription,
        after: Option<Box<str>>,
    ) -> io::Result<Vec<(Box<str>, BashEvent)>> {
        let store = Arc::clone(self);
        let known = subscription.known;
        blocking(move || {
            let names = store.names(|name, number| {
                number <= known && after.as_deref().is_none_or(|after| name > after)
            });
            let mut found = Vec::new();
            let mut bytes = 0;
            let _ = search::each(&store.directory, names, |name, event, size| {
                found.push((name, event));
                bytes += size;
                if found.len() >= search::MAX_LIMIT || bytes >= search::MAX_PAGE_BYTES {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            });
            found
        })
        .await
        .map_err(io::Error::other)
    }

    /// Writes aside and renames. The directory is made when it is not there, also when it was removed meanwhile. Not
    /// forced to the disk: output of a command that ended with the machine is of no use to anybody.
    fn write(&self, name: &str, text: &[u8]) -> io::Result<File> {
        let aside = self.directory.join(format!("{HIDDEN}{name}"));
        let open = || {
            OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&aside)
        };
        let mut file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new()
                    .recursive(self.makes_parents)
                    .create(&self.directory)?;
                open()
            }
            opened => opened,
        }?;
        if text.len() >= LARGE {
            DiskRoom::of(&file, text.len() as u64);
        }
        let done = file
            .write_all(text)
            .and_then(|()| std::fs::rename(&aside, self.directory.join(name)));
        if done.is_err() {
            // The first error is the one that matters.
            let _ = std::fs::remove_file(&aside);
        }
        done.map(|()| file)
    }

    /// Tells all who follow that nothing more comes.
    pub(super) fn close(&self) {
        self.state.lock().subscribers.close();
    }
}

fn scan(directory: &Path) -> io::Result<Vec<Box<str>>> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if name.starts_with(HIDDEN) || !entry.file_type()?.is_file() {
            continue;
        }
        names.push(name.into_boxed_str());
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
