//! A reader that follows the log: it never lags out, never drops an event, and never slows the writer.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

use crate::event_log::{EventLog, LogError, Progress, StoredEvent};

/// How many events are read at once by a cursor that is behind. Bounds what a slow reader holds in memory.
const BATCH: u64 = 64;

/// A reader that follows the log.
#[derive(Debug)]
pub struct Cursor {
    log: EventLog,
    progress: watch::Receiver<Progress>,
    ready: VecDeque<Arc<StoredEvent>>,
    /// Position after what is in `ready`.
    fetched: u64,
    /// Position after what was given out.
    position: u64,
}

impl Cursor {
    pub(crate) fn new(log: EventLog, from: u64) -> Self {
        Self {
            progress: log.watch(),
            log,
            ready: VecDeque::new(),
            fetched: from,
            position: from,
        }
    }

    /// The next event, as soon as there is one; none when the log is closed and all of it was given out.
    ///
    /// May be dropped while it waits: nothing is lost. Unreadable events are skipped.
    pub async fn next(&mut self) -> Result<Option<Arc<StoredEvent>>, LogError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.position = event.index() + 1;
                return Ok(Some(event));
            }
            self.position = self.fetched;
            let now = *self.progress.borrow_and_update();
            if self.fetched < now.len {
                let end = now.len.min(self.fetched + BATCH);
                let wanted = self.fetched..end;
                if !self.log.add_at_hand(wanted.clone(), &mut self.ready) {
                    self.ready.extend(self.log.range(wanted).await?);
                }
                self.fetched = end;
            } else if now.closed || self.progress.changed().await.is_err() {
                return Ok(None);
            }
        }
    }

    /// Whether the next event is there without a wait.
    pub fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// How far the log has come. [`Self::changed`] waits for more than this.
    pub(crate) fn look(&mut self) -> Progress {
        *self.progress.borrow_and_update()
    }

    /// Whether [`Self::next`] has an answer without a wait for the log to grow, as of this progress.
    pub(crate) fn has_more(&self, now: Progress) -> bool {
        self.is_ready() || self.fetched < now.len || now.closed
    }

    /// Waits for progress of any kind. Says whether there can be any.
    pub(crate) async fn changed(&mut self) -> bool {
        self.progress.changed().await.is_ok()
    }

    /// The position after the last event that was given out or skipped.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Whether all events so far were given out.
    pub fn is_at_end(&self) -> bool {
        self.ready.is_empty() && self.fetched >= self.log.len()
    }
}
