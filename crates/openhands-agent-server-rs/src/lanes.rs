//! The threads on which clients are served. Each has a queue of its own, and a connection stays on one of them: what belongs to a request is
//! done by one thread. Threads that share a queue wake one another at every turn, to look whether something is left for them; for requests
//! that are answered in microseconds that is most of the work.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::urgent::take_short_turns;

/// More than this is not needed to talk to clients, whatever the machine has.
const MOST: usize = 8;

/// So many connections come to one lane before the next ones come to another.
const TOGETHER: usize = 4;

/// Threads, each with a queue of its own.
#[derive(Debug)]
pub(crate) struct Lanes {
    lanes: Vec<Arc<Lane>>,
    started: Vec<Runtime>,
}

#[derive(Debug)]
struct Lane {
    handle: Handle,
    users: AtomicUsize,
}

/// A connection's place in a lane, for as long as the connection lasts.
#[derive(Debug)]
pub(crate) struct InLane(Arc<Lane>);

impl Lanes {
    /// The calling thread's runtime alone.
    pub(crate) fn here() -> Self {
        Self {
            lanes: vec![Lane::new(Handle::current())],
            started: Vec::new(),
        }
    }

    /// The calling thread's runtime, which is to have one thread, and one more for each other processor.
    pub(crate) fn start() -> io::Result<Self> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let mut this = Self::here();
        for _ in 1..processors.min(MOST) {
            let runtime = runtime()?;
            this.lanes.push(Lane::new(runtime.handle().clone()));
            this.started.push(runtime);
        }
        Ok(this)
    }

    /// How many tasks there are on all of them.
    pub(crate) fn tasks(&self) -> usize {
        self.lanes
            .iter()
            .map(|lane| lane.handle.metrics().num_alive_tasks())
            .sum()
    }

    /// A place where few are. Those who come together are likely to have to do with each other, as a client's requests and its socket, and
    /// stay together: an event then wakes one thread for both.
    pub(crate) fn enter(&self) -> Option<InLane> {
        let lane = self
            .lanes
            .iter()
            .min_by_key(|lane| lane.users.load(Ordering::Relaxed) / TOGETHER)?;
        lane.users.fetch_add(1, Ordering::Relaxed);
        Some(InLane(Arc::clone(lane)))
    }
}

/// A runtime with one thread for what must not wait.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("requests")
        .enable_all()
        .on_thread_start(take_short_turns)
        .build()
}

impl Lane {
    fn new(handle: Handle) -> Arc<Self> {
        Arc::new(Self {
            handle,
            users: AtomicUsize::new(0),
        })
    }
}

impl InLane {
    /// Where its work is to be done.
    pub(crate) fn handle(&self) -> &Handle {
        &self.0.handle
    }
}

impl Drop for InLane {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // What still runs is given up: a runtime must not be waited for by a thread of another one.
        for runtime in self.started.drain(..) {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
