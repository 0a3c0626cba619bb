//! The threads on which agents work. Requests and sockets have threads of their own, which then seldom run: the system lets such
//! a thread go first, so that an answer or a printed line does not queue behind the steps of many agents.

use std::io;

use openhands_sdk_rs::event_log::wait_for_files_here;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::config::EventDurability;

/// Threads for the runs of conversations.
#[derive(Debug)]
pub(super) struct Workers {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Workers {
    /// Where events are forced to the disk before they count, that takes milliseconds and is left to other threads; else what is written
    /// is written here.
    pub(super) fn start(durability: EventDurability) -> io::Result<Self> {
        // One processor is for requests and for commands. Where there are two, the one thread has no other to wake at every turn, which takes
        // longer than what agents do between a model's answer and the next question.
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let mut threads = Builder::new_multi_thread();
        threads
            .worker_threads(processors.saturating_sub(1).max(1))
            .thread_name("agents")
            .enable_all();
        if durability == EventDurability::Background {
            threads.on_thread_start(wait_for_files_here);
        }
        let runtime = threads.build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        // The runs have ended, or are given up: they are not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
