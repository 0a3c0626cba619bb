use super::*;
use crate::v0::plugins::KernelSetup;
use futures_util::future::BoxFuture;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use tokio::time::Instant;

/// A plugin that is as well as one says.
#[derive(Debug, Default)]
struct Patient {
    healthy: AtomicBool,
    heals: AtomicBool,
    asked: AtomicU32,
    restarts: AtomicU32,
}

impl Plugin for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }

    fn check(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn start(&self, _setup: KernelSetup) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn is_healthy(&self) -> BoxFuture<'_, bool> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { self.healthy.load(Ordering::Relaxed) })
    }

    fn restart(&self) -> BoxFuture<'_, anyhow::Result<()>> {
        Box::pin(async {
            self.restarts.fetch_add(1, Ordering::Relaxed);
            let heals = self.heals.load(Ordering::Relaxed);
            self.healthy.store(heals, Ordering::Relaxed);
            anyhow::ensure!(heals, "it does not help");
            Ok(())
        })
    }
}

/// Looks after a patient for this long, on a clock that runs by itself.
async fn watched(patient: &Arc<Patient>, time: Duration) {
    let stop = CancellationToken::new();
    let plugin: Arc<dyn Plugin> = Arc::clone(patient) as _;
    let end = Instant::now() + time;
    let watch = look_after(plugin, stop.clone());
    let timer = async {
        tokio::time::sleep_until(end).await;
        stop.cancel();
    };
    tokio::join!(watch, timer);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_well_is_left_alone() {
    let patient = Arc::new(Patient::default());
    patient.healthy.store(true, Ordering::Relaxed);
    watched(&patient, Duration::from_mins(10)).await;
    assert_eq!(patient.restarts.load(Ordering::Relaxed), 0);
    assert!(patient.asked.load(Ordering::Relaxed) > 100);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_unwell_for_a_while_is_restarted_once() {
    let patient = Arc::new(Patient::default());
    patient.heals.store(true, Ordering::Relaxed);
    watched(&patient, Duration::from_secs(14)).await;
    assert_eq!(patient.restarts.load(Ordering::Relaxed), 0);
    watched(&patient, Duration::from_mins(10)).await;
    assert_eq!(patient.restarts.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn restarts_that_do_not_help_become_rare() {
    let patient = Arc::new(Patient::default());
    watched(&patient, Duration::from_hours(1)).await;
    let restarts = patient.restarts.load(Ordering::Relaxed);
    assert!((5..20).contains(&restarts), "{restarts}");
}
