//! When something last happened: whoever runs sandboxes stops those in which nothing does.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Since when the server runs, and when it was last used.
#[derive(Debug)]
pub(crate) struct Activity {
    started: Instant,
    /// Milliseconds after the start.
    last: AtomicU64,
}

impl Activity {
    /// Now.
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    /// Something happens.
    pub(crate) fn touch(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last.fetch_max(now, Ordering::Relaxed);
    }

    /// Whole seconds since the start, as a float: the form of the wire.
    pub(crate) fn uptime(&self) -> f64 {
        self.started.elapsed().as_secs_f64().floor()
    }

    /// Whole seconds since something happened.
    pub(crate) fn idle_time(&self) -> f64 {
        let last = std::time::Duration::from_millis(self.last.load(Ordering::Relaxed));
        self.started
            .elapsed()
            .saturating_sub(last)
            .as_secs_f64()
            .floor()
    }
}
