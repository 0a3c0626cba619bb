//! The log itself: what it is made of, its length, its head and its end.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::EventId;
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use crate::event_log::cache::Cache;
use crate::event_log::cursor::Cursor;
use crate::event_log::index::Index;
use crate::event_log::index_file::{self, StateMark};
use crate::event_log::open::MAX_PROBLEMS;
use crate::event_log::patient::is_patient;
use crate::event_log::{Document, EventStore, Head, LogError, Problem, StoreError};

/// Index records are kept back until there are this many bytes of them. What is lost by a kill is read from
/// the event files at the next opening: some hundred of them at most.
const INDEX_BUFFER_BYTES: usize = 16 << 10;

/// Events that a conversation does not keep in memory while its agent does nothing: what the model was told at the beginning, above all.
const LARGE_BYTES: usize = 8 << 10;
/// Events that are read again in less than a millisecond, all of them together: there may be thousands of short conversations.
const FEW_BYTES: usize = 16 << 10;

/// How far a log has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// How many events there are, unreadable ones included.
    pub len: u64,
    /// Whether there will be no more.
    pub closed: bool,
    /// Counts what is sent beside the log: whoever follows both waits for one thing.
    pub(crate) beside: u64,
}

/// The events of a conversation. Clones share one log.
#[derive(Clone)]
pub struct EventLog {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Arc<dyn EventStore>,
    /// Held for the whole of an append; readers never take it.
    pub(crate) writer: Mutex<Writer>,
    /// Changed only by who holds the writer.
    pub(crate) head: Mutex<Head>,
    pub(crate) index: RwLock<Index>,
    pub(crate) cache: Mutex<Cache>,
    pub(crate) progress: watch::Sender<Progress>,
    pub(crate) problems: Mutex<Vec<Problem>>,
}

/// What only the appending side knows.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) mark: Option<StateMark>,
    pub(crate) records: Records,
}

/// Index records that are not in the file yet.
#[derive(Debug)]
pub(crate) enum Records {
    /// These come after what is in the file.
    Add(Vec<u8>),
    /// The file is missing or wrong and must be written anew.
    Rewrite,
}

impl EventLog {
    /// Number of events, unreadable ones included.
    pub fn len(&self) -> u64 {
        self.inner.progress.borrow().len
    }

    /// The same with those that are stored and not shown yet.
    pub(crate) fn stored_len(&self) -> u64 {
        self.inner.index.read().len()
    }

    /// Whether nothing has happened yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The length as it grows.
    pub fn watch(&self) -> watch::Receiver<Progress> {
        self.inner.progress.subscribe()
    }

    /// Wakes whoever follows the log for something that is no part of it.
    pub(crate) fn tell_beside(&self) {
        self.inner
            .progress
            .send_modify(|progress| progress.beside = progress.beside.wrapping_add(1));
    }

    /// A reader that starts at a position and waits for what comes after the last event.
    pub fn cursor(&self, from: u64) -> Cursor {
        Cursor::new(self.clone(), from)
    }

    /// Keeps no large events in memory, and none of a short conversation; they are read again when they are asked for.
    pub(crate) fn rest(&self) {
        let mut cache = self.inner.cache.lock();
        cache.drop_larger(LARGE_BYTES);
        if cache.weight() <= FEW_BYTES {
            *cache = cache.emptied();
        }
    }

    /// What is wrong with the stored events, as far as it was noticed.
    pub fn problems(&self) -> Vec<Problem> {
        self.inner.problems.lock().clone()
    }

    /// Where the next event is attached.
    pub fn head(&self) -> Head {
        self.inner.head.lock().clone()
    }

    /// Moves the head to an event, or before all of them. Survives a restart once the state is saved with it.
    pub fn navigate(&self, to: Option<EventId>) -> Result<(), LogError> {
        let _writer = self.inner.writer.lock();
        let head = match to {
            None => Head::Empty,
            Some(id) if self.index_of(&id).is_some() => Head::At(id),
            Some(id) => return Err(LogError::UnknownEvent(id)),
        };
        *self.inner.head.lock() = head;
        Ok(())
    }

    /// The saved state, as text.
    pub async fn load_state(&self) -> Result<Option<Bytes>, LogError> {
        self.blocking(|inner| Ok(inner.store.load(Document::State)?))
            .await
    }

    /// Saves the state. `as_of` is the length of the log that the state takes into account: what comes after
    /// moves the head again when the log is opened.
    pub async fn save_state(&self, json: Bytes, as_of: u64) -> Result<(), LogError> {
        self.short(move |inner| inner.save_state(&json, as_of))
            .await
    }

    /// Saves the state, on the calling thread.
    pub fn save_state_blocking(&self, json: &[u8], as_of: u64) -> Result<(), LogError> {
        self.inner.save_state(json, as_of)
    }

    /// How many events the saved state takes into account: what comes after may tell of changes that it lacks. None if there is no state.
    pub(crate) fn saved_as_of(&self) -> Option<u64> {
        self.inner.writer.lock().mark.map(|mark| mark.len)
    }

    /// Waits until all events survive the loss of power.
    pub async fn sync(&self) -> Result<(), LogError> {
        self.blocking(Inner::sync).await
    }

    /// Ends the log: nothing is appended any more, cursors end after the last event, all is on disk.
    pub async fn close(&self) -> Result<(), LogError> {
        self.blocking(|inner| {
            {
                // After an append that is under way, so that cursors end behind it.
                let _writer = inner.writer.lock();
                inner.progress.send_modify(|at| at.closed = true);
            }
            inner.sync()
        })
        .await
    }

    /// Runs store work that is soon done: here, if this thread may wait for files, else where it may block.
    pub(crate) async fn short<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        if is_patient() {
            return work(&self.inner);
        }
        self.blocking(work).await
    }

    /// Runs store work where it may block, or at once if it never does.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, LogError> {
        if self.inner.store.is_immediate() {
            return work(&self.inner);
        }
        let inner = Arc::clone(&self.inner);
        // Not cancelled with the caller: an append that has begun is finished, so index and files agree.
        tokio::task::spawn_blocking(move || work(&inner))
            .await
            .map_err(|_| LogError::ShuttingDown)?
    }
}

impl Inner {
    /// Reports something wrong, once.
    pub(crate) fn report(&self, problem: Problem) {
        let mut problems = self.problems.lock();
        if problems.len() < MAX_PROBLEMS && !problems.contains(&problem) {
            tracing::warn!(store = ?self.store, "{problem}");
            problems.push(problem);
        }
    }

    pub(crate) fn save_state(&self, json: &[u8], as_of: u64) -> Result<(), LogError> {
        let mut writer = self.writer.lock();
        self.store.save(Document::State, json)?;
        let mark = StateMark {
            len: as_of,
            fingerprint: index_file::fingerprint(json),
        };
        writer.mark = Some(mark);
        if let Records::Add(records) = &mut writer.records {
            index_file::put_mark(records, mark);
        }
        self.flush_index(&mut writer);
        Ok(())
    }

    fn sync(&self) -> Result<(), LogError> {
        self.flush_index(&mut self.writer.lock());
        Ok(self.store.sync()?)
    }

    /// Writes kept-back index records once there are many.
    pub(crate) fn flush_full_index(&self, writer: &mut Writer) {
        match &writer.records {
            Records::Add(records) if records.len() < INDEX_BUFFER_BYTES => {}
            Records::Add(_) | Records::Rewrite => self.flush_index(writer),
        }
    }

    /// Writes what the index file lacks. The file is disposable, so a failure costs time later and nothing now.
    pub(crate) fn flush_index(&self, writer: &mut Writer) {
        let written = match &writer.records {
            Records::Add(records) if records.is_empty() => return,
            Records::Add(records) => self.store.extend_index(records),
            Records::Rewrite => self
                .store
                .save(Document::Index, &self.whole_index(writer.mark)),
        };
        writer.records = match written {
            Ok(()) | Err(StoreError::ReadOnly) => Records::Add(Vec::new()),
            Err(error) => {
                tracing::warn!(%error, "index of the event log cannot be written");
                Records::Rewrite
            }
        };
    }

    fn whole_index(&self, mark: Option<StateMark>) -> Vec<u8> {
        let index = self.index.read();
        let mut file = Vec::with_capacity(index.entries().len() * 128);
        index_file::begin(&mut file);
        for (at, entry) in index.entries().iter().enumerate() {
            index_file::put_entry(&mut file, at as u64, entry);
        }
        if let Some(mark) = mark {
            index_file::put_mark(&mut file, mark);
        }
        file
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Small and rare: what was kept back since the last write.
        let records =
            std::mem::replace(&mut self.writer.get_mut().records, Records::Add(Vec::new()));
        if let Records::Add(records) = records
            && !records.is_empty()
            && let Err(error) = self.store.extend_index(&records)
        {
            tracing::debug!(%error, "index of the event log is left behind");
        }
    }
}

impl fmt::Debug for EventLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLog")
            .field("store", &self.inner.store)
            .field("progress", &*self.inner.progress.borrow())
            .finish_non_exhaustive()
    }
}
