//! Opening a log: names and index are read, bodies only where the index falls short.

use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::EventId;
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use crate::event_log::cache::Cache;
use crate::event_log::head::advances_head;
use crate::event_log::header::Header;
use crate::event_log::index::{Index, place};
use crate::event_log::index_file::{self, Found, StateMark};
use crate::event_log::log::{Inner, Progress, Records, Writer};
use crate::event_log::{Document, EventLog, EventStore, Head, LogError, Problem};

/// Bodies that a log keeps in memory. Enough for what a step looks at and for the newest page, little enough for many logs at work:
/// with 4 MiB, 32 of them took 340 MB (`just bench-compare --only many`).
const CACHE_BYTES: usize = 256 << 10;

/// Problems that are kept. A log with more is beyond being described one by one.
pub(crate) const MAX_PROBLEMS: usize = 1000;
/// Problems that are told one by one when a log is opened.
const PROBLEMS_TOLD: usize = 20;

impl EventLog {
    /// Opens the log in a store, away from the async threads.
    pub async fn open(store: impl EventStore) -> Result<Self, LogError> {
        if store.is_immediate() {
            return Self::open_blocking(store);
        }
        tokio::task::spawn_blocking(move || Self::open_blocking(store))
            .await
            .map_err(|_| LogError::ShuttingDown)?
    }

    /// Opens the log in a store, on the calling thread.
    pub fn open_blocking(store: impl EventStore) -> Result<Self, LogError> {
        Self::open_with_cache(store, CACHE_BYTES)
    }

    /// Opens the log in a store, with a bound on the bodies that it keeps in memory.
    pub fn open_with_cache(store: impl EventStore, cache_bytes: usize) -> Result<Self, LogError> {
        let listing = store.list()?;
        let (found, unreadable) = indexed(&store, &listing.ids)?;
        let complete = found.whole && found.index.len() == listing.ids.len() as u64;
        let mut problems = listing.problems;
        let mut index = found.index;
        problems.extend(found.problems);
        problems.extend(unreadable);
        extend(&store, &mut index, &listing.ids, &mut problems);

        let state = store.load(Document::State)?;
        let (head, lost) = head_of(&index, state.as_ref(), found.mark);
        problems.extend(lost);
        // From here on the state is behind by what is appended now, whoever saved it.
        let mark = state.as_ref().map(|text| StateMark {
            len: index.len(),
            fingerprint: index_file::fingerprint(text),
        });
        let mark = found
            .mark
            .filter(|known| is_same_state(known, mark))
            .or(mark);
        let count = problems.len();
        problems.truncate(MAX_PROBLEMS);
        for problem in problems.iter().take(PROBLEMS_TOLD) {
            tracing::warn!(?store, "{problem}");
        }
        if count > PROBLEMS_TOLD {
            tracing::warn!(?store, "{count} problems in all");
        }
        let mut records = Records::Rewrite;
        // An empty log gets its index with its first event.
        if complete && !index.entries().is_empty() {
            let mut news = Vec::new();
            if let Some(mark) = mark.filter(|mark| found.mark != Some(*mark)) {
                index_file::put_mark(&mut news, mark);
            }
            records = Records::Add(news);
        }
        let writer = Writer { mark, records };
        let progress = Progress {
            len: index.len(),
            ..Progress::default()
        };
        let inner = Inner {
            store: Arc::new(store),
            index: RwLock::new(index),
            cache: Mutex::new(Cache::new(cache_bytes)),
            progress: watch::Sender::new(progress),
            problems: Mutex::new(problems),
            writer: Mutex::new(writer),
            head: Mutex::new(head),
        };
        if progress.len > 0 {
            inner.flush_index(&mut inner.writer.lock());
        }
        Ok(Self {
            inner: Arc::new(inner),
        })
    }
}

/// What the index file has to say. An event that was unreadable is looked at again; if it can be read by
/// now, the file is worthless.
fn indexed(store: &impl EventStore, ids: &[EventId]) -> Result<(Found, Vec<Problem>), LogError> {
    let file = store.load(Document::Index)?.unwrap_or_default();
    let found = index_file::read(&file, ids);
    let mut unreadable = Vec::new();
    for (at, entry) in found.index.entries().iter().enumerate() {
        if entry.readable {
            continue;
        }
        match peek(store, at as u64, &entry.id) {
            Ok(_) => {
                let mark = found.mark;
                return Ok((
                    Found {
                        mark,
                        ..Found::default()
                    },
                    Vec::new(),
                ));
            }
            Err(reason) => unreadable.push(Problem::Unreadable {
                index: at as u64,
                id: entry.id.clone(),
                reason,
            }),
        }
    }
    Ok((found, unreadable))
}

/// The header of a stored event, or why it has none.
pub(crate) fn peek(
    store: &(impl EventStore + ?Sized),
    index: u64,
    id: &EventId,
) -> Result<Header, String> {
    let json = store.read(index, id).map_err(|error| chain(&error))?;
    Header::peek(&json)
}

/// An error and its causes in one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// Reads the bodies of the events that the index lacks.
pub(crate) fn extend(
    store: &(impl EventStore + ?Sized),
    index: &mut Index,
    ids: &[EventId],
    problems: &mut Vec<Problem>,
) {
    for id in ids.iter().skip(place(index.len())) {
        let at = index.len();
        let header = peek(store, at, id);
        if let Err(reason) = &header {
            problems.push(Problem::Unreadable {
                index: at,
                id: id.clone(),
                reason: reason.clone(),
            });
        }
        let entry = index.entry(id.clone(), header);
        problems.extend(index.push(entry));
    }
}

fn is_same_state(known: &StateMark, now: Option<StateMark>) -> bool {
    now.is_some_and(|now| now.fingerprint == known.fingerprint)
}

/// The head: as the state has it, brought up to date with what was appended after the state was saved.
fn head_of(
    index: &Index,
    state: Option<&Bytes>,
    mark: Option<StateMark>,
) -> (Head, Option<Problem>) {
    let (mut head, is_running) = state.map_or((Head::Unset, false), |text| Head::peek(text));
    let ours = mark
        .filter(|mark| state.is_some_and(|text| index_file::fingerprint(text) == mark.fingerprint));
    if let Some(mark) = ours {
        let after = index.entries().get(place(mark.len)..).unwrap_or_default();
        if let Some(last) = after
            .iter()
            .rfind(|entry| entry.readable && advances_head(entry.kind.as_str()))
        {
            head = Head::At(last.id.clone());
        }
    } else if is_running && let Some(last) = grown_from(index, &head) {
        head = Head::At(last.clone());
    }
    let last = || {
        index
            .last_of_tree()
            .map_or(Head::Unset, |id| Head::At(id.clone()))
    };
    match head {
        Head::Unset => (last(), None),
        Head::At(leaf) if index.find(&leaf).is_none() => (last(), Some(Problem::LostHead { leaf })),
        Head::At(_) | Head::Empty => (head, None),
    }
}

/// The last event, if it grew from the head. Another writer saves its state at the end of a step: when it died in the
/// middle of one, its head is where the step began.
fn grown_from<'a>(index: &'a Index, head: &Head) -> Option<&'a EventId> {
    let head = index.find(head.leaf()?)?;
    let last = index.last_of_tree()?;
    let mut up = index.up(index.find(last)).skip_while(|at| *at > head);
    (up.next() == Some(head)).then_some(last)
}
