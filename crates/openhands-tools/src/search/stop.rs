//! When a search has to end before it is done.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Longest time one search may take; a longer one is a runaway and helps nobody.
pub const SEARCH_LIMIT: Duration = Duration::from_secs(30);

/// Why a search ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    #[error("Search timed out after {} seconds. Use a more specific pattern or a smaller directory.", .0.as_secs())]
    TimedOut(Duration),
    #[error("Search was cancelled")]
    Cancelled,
}

/// A deadline and a cancellation, asked between files and between reads.
#[derive(Debug, Clone)]
pub struct Stop {
    started: Instant,
    limit: Duration,
    cancel: CancellationToken,
}

impl Stop {
    pub fn new(limit: Duration, cancel: CancellationToken) -> Self {
        Self {
            started: Instant::now(),
            limit,
            cancel,
        }
    }

    pub fn check(&self) -> Result<(), Stopped> {
        if self.cancel.is_cancelled() {
            Err(Stopped::Cancelled)
        } else if self.started.elapsed() >= self.limit {
            Err(Stopped::TimedOut(self.limit))
        } else {
            Ok(())
        }
    }

    pub(crate) fn is_due(&self) -> bool {
        self.check().is_err()
    }
}

/// A reader that fails once the search has to end, so that no single huge file outlives it.
pub(crate) struct StoppableReader<'s, R> {
    pub(crate) inner: R,
    pub(crate) stop: &'s Stop,
}

impl<R: Read> Read for StoppableReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check().map_err(io::Error::other)?;
        self.inner.read(buffer)
    }
}
