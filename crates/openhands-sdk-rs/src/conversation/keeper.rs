//! Keeps the leases of all open conversations: one task for all of them, none when there are none.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;

use crate::event_log::{LEASE_RENEW_EVERY, Lease, LeaseError};

/// Renews leases until they are dropped or lost.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeaseKeeper {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    leases: Vec<Weak<Lease>>,
    task: Option<AbortOnDropHandle<()>>,
}

impl LeaseKeeper {
    /// Renews a lease from now on.
    pub(crate) fn keep(&self, lease: &Arc<Lease>) {
        let mut state = self.state.lock();
        state.leases.push(Arc::downgrade(lease));
        // A task ends with the async runtime that it runs on; the host may outlive that.
        let is_kept = state.task.as_ref().is_some_and(|task| !task.is_finished());
        if !is_kept {
            let shared = Arc::downgrade(&self.state);
            state.task = Some(AbortOnDropHandle::new(tokio::spawn(renew(shared))));
        }
    }
}

/// Ends when there is nothing to renew, or nobody who could add more.
async fn renew(shared: Weak<Mutex<State>>) {
    loop {
        tokio::time::sleep(LEASE_RENEW_EVERY).await;
        let Some(state) = shared.upgrade() else {
            return;
        };
        let leases: Vec<Arc<Lease>> = {
            let mut state = state.lock();
            state.leases.retain(|lease| lease.strong_count() > 0);
            if state.leases.is_empty() {
                state.task = None;
                return;
            }
            state.leases.iter().filter_map(Weak::upgrade).collect()
        };
        let renewed = tokio::task::spawn_blocking(move || renew_all(leases));
        let Ok(lost) = renewed.await else {
            return;
        };
        let is_lost = |lease: &Weak<Lease>| lost.iter().any(|gone| gone.ptr_eq(lease));
        state.lock().leases.retain(|lease| !is_lost(lease));
    }
}

/// Renews leases and gives those that were given up or taken by another. Writers notice by themselves that a lease is
/// lost: every write checks.
fn renew_all(leases: Vec<Arc<Lease>>) -> Vec<Weak<Lease>> {
    let mut lost = Vec::new();
    for lease in leases {
        match lease.renew() {
            Ok(()) => {}
            Err(LeaseError::Lost) => lost.push(Arc::downgrade(&lease)),
            // It may go better next time, well before the lease runs out.
            Err(error) => tracing::warn!(%error, "a lease could not be renewed"),
        }
    }
    lost
}

#[cfg(test)]
#[path = "keeper_tests.rs"]
mod tests;
