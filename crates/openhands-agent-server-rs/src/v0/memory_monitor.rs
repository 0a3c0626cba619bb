//! The memory of the server and all that it started, written to the log while it changes.

use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::task::AbortOnDropHandle;

use crate::telemetry::system::{TreeMemory, tree_memory};

const INTERVAL: Duration = Duration::from_millis(100);
/// It is for the memory of one task, not for the life of a server.
const WATCH_TIME: Duration = Duration::from_hours(1);

/// Watches until it is dropped, or for an hour.
#[derive(Debug)]
pub(super) struct MemoryMonitor {
    _task: AbortOnDropHandle<()>,
}

impl MemoryMonitor {
    pub(super) fn start() -> Self {
        tracing::info!("the memory of the process tree is watched");
        Self {
            _task: AbortOnDropHandle::new(tokio::spawn(watch(WATCH_TIME, report))),
        }
    }
}

fn report(found: TreeMemory) {
    tracing::info!(
        "Memory usage: {}.{} MB in {} processes",
        found.bytes >> 20,
        ((found.bytes % (1 << 20)) * 10) >> 20,
        found.processes
    );
}

/// Looks in intervals and tells of what has changed.
async fn watch(time: Duration, tell: impl Fn(TreeMemory)) {
    let end = Instant::now() + time;
    let mut ticks = tokio::time::interval(INTERVAL);
    // A look that took long is followed by a pause, not by a burst of looks.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = TreeMemory::default();
    while ticks.tick().await < end {
        let Ok(found) = tokio::task::spawn_blocking(tree_memory).await else {
            return;
        };
        if is_news(told, found) {
            tell(found);
            told = found;
        }
    }
}

/// Ten lines a second that all say the same would hide the one that matters, so one percent more or less is no news.
fn is_news(told: TreeMemory, found: TreeMemory) -> bool {
    found.bytes.abs_diff(told.bytes).saturating_mul(100) > told.bytes
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    #[test]
    fn one_percent_is_no_news() {
        let of = |bytes| TreeMemory {
            bytes,
            processes: 1,
        };
        assert!(is_news(of(0), of(1)));
        assert!(!is_news(of(1000), of(1000)));
        assert!(!is_news(of(1000), of(1010)));
        assert!(!is_news(of(1000), of(990)));
        assert!(is_news(of(1000), of(1011)));
        assert!(is_news(of(1000), of(989)));
    }

    #[tokio::test]
    async fn memory_that_grows_is_told_of_and_the_watch_ends() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let tell = {
            let told = Arc::clone(&told);
            move |found: TreeMemory| told.lock().push(found.bytes)
        };
        let watching = tokio::spawn(watch(Duration::from_mins(5), tell));
        let until = async |is_so: &dyn Fn(&[u64]) -> bool| {
            let asked = async {
                while !is_so(&told.lock()) {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
            };
            let in_time = tokio::time::timeout(Duration::from_mins(1), asked).await;
            in_time.expect("it is told of");
        };
        until(&|told| !told.is_empty()).await;
        let before = told.lock().last().copied().unwrap();
        // Much more than what tests beside this one give back meanwhile.
        let held = vec![1_u8; 128 << 20];
        until(&|told| told.last().is_some_and(|last| *last > before + (32 << 20))).await;
        drop(held);
        watching.abort();
        watch(Duration::ZERO, |_| ()).await;
    }
}
