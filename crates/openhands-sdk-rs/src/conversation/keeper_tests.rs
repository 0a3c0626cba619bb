use std::path::Path;
use std::time::Duration;

use super::*;
use crate::event_log::{Clock, LEASE_TTL, LeaseOwner};

/// An owner whose clock is the paused one of the test.
fn owner(name: &str) -> LeaseOwner {
    let began = tokio::time::Instant::now();
    LeaseOwner {
        clock: Clock::from_fn(move || began.elapsed().as_secs_f64()),
        ..LeaseOwner::this_process(name)
    }
}

fn expires_at(dir: &Path) -> f64 {
    let text = std::fs::read_to_string(dir.join("owner_lease.json")).unwrap();
    let lease: serde_json::Value = serde_json::from_str(&text).unwrap();
    lease["expires_at"].as_f64().unwrap()
}

/// Waits in paused time until something holds, no longer than until a time.
async fn by(limit: tokio::time::Instant, holds: impl Fn() -> bool) {
    while !holds() {
        assert!(
            tokio::time::Instant::now() < limit,
            "it did not happen in time"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_kept_never_runs_out() {
    let dir = tempfile::tempdir().unwrap();
    let began = tokio::time::Instant::now();
    let (ours, other) = (owner("a"), owner("b"));
    let lease = Arc::new(Lease::claim(dir.path(), ours).unwrap());
    let keeper = LeaseKeeper::default();
    keeper.keep(&lease);
    for round in 1..=20 {
        let due = LEASE_RENEW_EVERY * round;
        let expiry = (due + LEASE_TTL).as_secs_f64();
        // Another 15 s are twice the time that is left for a late renewal.
        let limit = began + due + Duration::from_secs(15);
        by(limit, || expires_at(dir.path()) >= expiry - 0.01).await;
        assert!(Lease::claim(dir.path(), other.clone()).is_err());
    }
    // Nobody holds it any more: the task ends, and another may have it when its time is over.
    drop(lease);
    by(began + Duration::from_mins(10), || {
        keeper.state.lock().task.is_none()
    })
    .await;
    tokio::time::sleep(LEASE_TTL).await;
    Lease::claim(dir.path(), other).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_was_given_up_is_no_longer_kept() {
    let dir = tempfile::tempdir().unwrap();
    let lease = Arc::new(Lease::claim(dir.path(), owner("a")).unwrap());
    let keeper = LeaseKeeper::default();
    keeper.keep(&lease);
    lease.release().unwrap();
    let limit = tokio::time::Instant::now() + LEASE_RENEW_EVERY * 3;
    by(limit, || keeper.state.lock().leases.is_empty()).await;
    assert!(!dir.path().join("owner_lease.json").exists());
}

#[test]
fn a_keeper_outlives_the_async_runtime_that_it_began_on() {
    let dir = tempfile::tempdir().unwrap();
    let keeper = LeaseKeeper::default();
    let mut expiry = 0.0;
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let lease = Arc::new(Lease::claim(dir.path(), LeaseOwner::this_process("a")).unwrap());
            assert!(expires_at(dir.path()) > expiry);
            expiry = expires_at(dir.path());
            keeper.keep(&lease);
            let limit = tokio::time::Instant::now() + LEASE_RENEW_EVERY * 3;
            by(limit, || expires_at(dir.path()) > expiry).await;
            expiry = expires_at(dir.path());
        });
    }
}
