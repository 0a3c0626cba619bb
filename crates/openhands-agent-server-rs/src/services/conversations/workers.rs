//! The threads on which agents work. Requests and sockets have threads of their own, which then seldom run: the system lets such
//! a thread go first, so that an answer or a printed line does not queue behind the steps of many agents.

use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

/// Threads for the runs of conversations.
#[derive(Debug)]
pub(super) struct Workers {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Workers {
    pub(super) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .thread_name("agents")
            .enable_all()
            .build()?;
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
