//! What came of each call: one that is asked for again does not run again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use openhands_sdk_rs::runtime::hands::Fault;
use parking_lot::Mutex;
use rmcp::model::CallToolResult;
use tokio::sync::{broadcast, watch};
use tokio_util::sync::CancellationToken;

use super::{Owner, result};

/// How long an answer is kept: much longer than anybody tries to get it.
const KEPT_FOR: Duration = Duration::from_mins(10);
/// How much of answers is kept. Of older ones it is only known that there was one.
const KEPT_BYTES: usize = 64 << 20;
/// Pieces of output that a watcher may be behind.
const OUTPUT_BACKLOG: usize = 64;

type Key = (Owner, String);

/// All calls that run, and those that ended a while ago.
#[derive(Debug, Default)]
pub(super) struct Calls(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    by_id: HashMap<Key, Arc<Call>>,
    /// In the order of their end.
    ended: VecDeque<Ended>,
    kept_bytes: usize,
}

#[derive(Debug)]
struct Ended {
    at: Instant,
    key: Key,
    bytes: usize,
}

/// A call that runs or has ended.
#[derive(Debug)]
pub(super) struct Call {
    /// Of which tool.
    pub(super) tool: String,
    /// Ends it early.
    pub(super) cancel: CancellationToken,
    /// Its output while it runs.
    pub(super) output: broadcast::Sender<Arc<str>>,
    pub(super) state: watch::Sender<CallState>,
}

/// How far a call is.
#[derive(Debug, Clone)]
pub(super) enum CallState {
    /// It runs.
    Running,
    /// It has ended.
    Answered(Arc<CallToolResult>),
    /// It ended, and its answer was too much to be kept.
    Forgotten,
}

/// What is to be done with a call that is asked for.
#[derive(Debug)]
pub(super) enum Entry {
    /// It is new: whoever asks first runs it.
    New(Arc<Call>),
    /// It is known.
    Known(Arc<Call>),
}

impl Call {
    pub(super) fn new(tool: &str, stop: &CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            tool: tool.to_owned(),
            cancel: stop.child_token(),
            output: broadcast::Sender::new(OUTPUT_BACKLOG),
            state: watch::Sender::new(CallState::Running),
        })
    }

    fn is_running(&self) -> bool {
        matches!(*self.state.borrow(), CallState::Running)
    }

    /// Waits for its end.
    pub(super) async fn ended(&self) {
        let mut state = self.state.subscribe();
        // It fails when the call is gone altogether, which is an end, too.
        let _ = state
            .wait_for(|state| !matches!(state, CallState::Running))
            .await;
    }
}

impl Calls {
    /// The call of this id; a new one if there is none.
    pub(super) fn enter(
        &self,
        owner: Owner,
        id: &str,
        tool: &str,
        stop: &CancellationToken,
    ) -> Entry {
        let mut table = self.0.lock();
        table.drop_old();
        let key = (owner, id.to_owned());
        if let Some(call) = table.by_id.get(&key) {
            return Entry::Known(Arc::clone(call));
        }
        let call = Call::new(tool, stop);
        table.by_id.insert(key, Arc::clone(&call));
        Entry::New(call)
    }

    /// Whether a call of this id has come.
    pub(super) fn knows(&self, owner: Owner, id: &str) -> bool {
        self.0.lock().by_id.contains_key(&(owner, id.to_owned()))
    }

    /// The call of this id has ended.
    pub(super) fn end(&self, owner: Owner, id: &str, call: &Call, answer: CallToolResult) {
        let bytes = result::size(&answer);
        call.state
            .send_replace(CallState::Answered(Arc::new(answer)));
        let mut table = self.0.lock();
        table.kept_bytes += bytes;
        table.ended.push_back(Ended {
            at: Instant::now(),
            key: (owner, id.to_owned()),
            bytes,
        });
        table.drop_old();
    }

    /// Tells a call to end. One that has not come yet has ended when it comes: it is on its way on another connection.
    pub(super) fn cancel(&self, owner: Owner, id: &str, stop: &CancellationToken) -> Arc<Call> {
        match self.enter(owner, id, "", stop) {
            Entry::Known(call) => {
                call.cancel.cancel();
                call
            }
            Entry::New(call) => {
                call.cancel.cancel();
                self.end(owner, id, &call, result::fault(Fault::Cancelled, ""));
                call
            }
        }
    }

    /// Tells all calls of an owner to end, and waits for it.
    pub(super) async fn end_all_of(&self, owner: Owner) {
        let running: Vec<Arc<Call>> = {
            let table = self.0.lock();
            let own = table.by_id.iter().filter(|((of, _), _)| *of == owner);
            own.map(|(_, call)| call)
                .filter(|call| call.is_running())
                .cloned()
                .collect()
        };
        for call in &running {
            call.cancel.cancel();
        }
        for call in running {
            call.ended().await;
        }
    }
}

impl Table {
    fn drop_old(&mut self) {
        while let Some(ended) = self.ended.front()
            && ended.at.elapsed() > KEPT_FOR
        {
            self.kept_bytes -= ended.bytes;
            self.by_id.remove(&ended.key);
            self.ended.pop_front();
        }
        for ended in &mut self.ended {
            if self.kept_bytes <= KEPT_BYTES {
                break;
            }
            if ended.bytes > 0
                && let Some(call) = self.by_id.get(&ended.key)
            {
                call.state.send_replace(CallState::Forgotten);
            }
            self.kept_bytes -= ended.bytes;
            ended.bytes = 0;
        }
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
