//! Keeps the leases of all open conversations: one task for all of them, none when there are none.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;

use crate::event_log::{LEASE_RENEW_EVERY, Lease};

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
        if state.task.is_none() {
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
        let renewed = tokio::task::spawn_blocking(move || {
            for lease in leases {
                if let Err(error) = lease.renew() {
                    // Writers notice by themselves: every write checks.
                    tracing::warn!(%error, "a lease could not be renewed");
                }
            }
        });
        if renewed.await.is_err() {
            return;
        }
    }
}
