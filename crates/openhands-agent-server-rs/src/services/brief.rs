//! Short work with files on the thread that asks for it, instead of on another that has to be woken for it and then wakes this one again: both
//! take longer than the work.
//!
//! A slow disk must not hold up requests all the same. One thread of the runtime never does such work, so that there is always one to serve
//! all others; it is woken when work takes long, by a watcher that is there while there is work. And once work took long, the next is
//! done by the threads that may block, until many in a row were quick again. Only what the calling task itself woke just before may wait with
//! it, that one time.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, spawn_blocking};

/// Work that takes so long is slow. A few system calls take a hundredth of it.
const SLOW: Duration = Duration::from_millis(2);

/// How often the watcher looks. It does so while there is work, and for some more looks.
const LOOK: Duration = Duration::from_millis(4);
const IDLE_LOOKS: u32 = 5;

/// After this time without work there is no watcher.
const IDLE: Duration = Duration::from_secs(10);

/// So much work in a row has to be quick after some that was slow.
const QUICK_IN_A_ROW: u32 = 64;

static WATCH: LazyLock<Arc<Watch>> = LazyLock::new(Arc::default);

/// Does a few system calls that touch files.
pub(crate) async fn brief_file_work<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    WATCH.work(work).await
}

/// Who is at work on a thread of a runtime.
#[derive(Default)]
struct Watch {
    state: Mutex<State>,
    /// Tells the watcher that there is work.
    begun: Condvar,
}

#[derive(Default)]
struct State {
    at_work: Vec<Work>,
    /// How much work has begun so far.
    begun: u64,
    /// How much of it has to be quick elsewhere before it is done here.
    distrust: u32,
    has_watcher: bool,
}

struct Work {
    number: u64,
    since: Instant,
    runtime: Handle,
    /// Whether another thread was woken.
    is_relieved: bool,
}

/// Someone at work.
struct Shift<'a> {
    watch: &'a Watch,
    number: u64,
}

impl Watch {
    async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        if let Some(_shift) = self.enter() {
            return Ok(work());
        }
        let watch = Arc::clone(self);
        let elsewhere = move || {
            let since = Instant::now();
            let done = work();
            watch.state.lock().learn(since.elapsed());
            done
        };
        spawn_blocking(elsewhere).await
    }

    /// Begins work on this thread, if that can be done.
    fn enter(self: &Arc<Self>) -> Option<Shift<'_>> {
        let runtime = Handle::current();
        if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread {
            return None;
        }
        let most = runtime.metrics().num_workers().saturating_sub(1);
        let mut state = self.state.lock();
        if state.distrust > 0 || state.at_work.len() >= most || !self.has_watcher(&mut state) {
            return None;
        }
        state.begun += 1;
        let number = state.begun;
        state.at_work.push(Work {
            number,
            since: Instant::now(),
            runtime,
            is_relieved: false,
        });
        drop(state);
        self.begun.notify_one();
        Some(Shift {
            watch: self,
            number,
        })
    }

    fn has_watcher(self: &Arc<Self>, state: &mut State) -> bool {
        if !state.has_watcher {
            let watch = Arc::clone(self);
            let watcher = std::thread::Builder::new().name("brief-work".to_owned());
            state.has_watcher = watcher.spawn(move || watch.watch()).is_ok();
        }
        state.has_watcher
    }

    /// Looks after those at work, until there are none for a while.
    fn watch(&self) {
        let (mut seen, mut idle) = (0, 0);
        let mut state = self.state.lock();
        loop {
            idle = if state.begun == seen { idle + 1 } else { 0 };
            seen = state.begun;
            state.relieve();
            if idle < IDLE_LOOKS || !state.at_work.is_empty() {
                drop(state);
                std::thread::sleep(LOOK);
                state = self.state.lock();
                continue;
            }
            let waited = self.begun.wait_for(&mut state, IDLE);
            if waited.timed_out() && state.begun == seen {
                state.has_watcher = false;
                return;
            }
        }
    }
}

impl State {
    /// Wakes another thread for each at work that takes long: it serves what this one would have, and sees what comes in.
    fn relieve(&mut self) {
        for work in &mut self.at_work {
            if !work.is_relieved && work.since.elapsed() >= SLOW {
                work.is_relieved = true;
                work.runtime.spawn(async {});
            }
        }
    }

    fn learn(&mut self, took: Duration) {
        self.distrust = if took < SLOW {
            self.distrust.saturating_sub(1)
        } else {
            QUICK_IN_A_ROW
        };
    }
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        let mut state = self.watch.state.lock();
        let mine = |work: &Work| work.number == self.number;
        if let Some(place) = state.at_work.iter().position(mine) {
            let took = state.at_work.swap_remove(place).since.elapsed();
            state.learn(took);
        }
    }
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
