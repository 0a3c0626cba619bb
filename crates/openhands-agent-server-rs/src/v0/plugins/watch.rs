//! Looking after a plugin: one that cannot be used any more is started again.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Plugin;

/// How often a plugin is asked how it is.
const INTERVAL: Duration = Duration::from_secs(5);
/// How many times in a row it must be unwell: a machine that is busy may make it look so once.
const TIMES: u32 = 3;
/// The longest pause between two restarts.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// Restarts the plugin whenever it is unwell, with longer and longer pauses while that does not help.
pub(super) async fn look_after(plugin: Arc<dyn Plugin>, stop: CancellationToken) {
    let mut unwell = 0;
    let mut restarts = 0;
    loop {
        let look = async {
            tokio::time::sleep(pause(restarts)).await;
            plugin.is_healthy().await
        };
        let healthy = tokio::select! {
            healthy = look => healthy,
            () = stop.cancelled() => return,
        };
        if healthy {
            (unwell, restarts) = (0, 0);
            continue;
        }
        unwell += 1;
        if unwell < TIMES {
            continue;
        }
        unwell = 0;
        restarts += 1;
        tracing::warn!(name = plugin.name(), restarts, "a plugin is started again");
        let restarted = tokio::select! {
            restarted = plugin.restart() => restarted,
            () = stop.cancelled() => return,
        };
        if let Err(error) = restarted {
            let name = plugin.name();
            tracing::warn!(
                name,
                error = format!("{error:#}"),
                "a plugin does not start"
            );
        }
    }
}

/// The time until the plugin is looked at again, after so many restarts without success.
fn pause(restarts: u32) -> Duration {
    let doubled = 2_u32.saturating_pow(restarts);
    INTERVAL.saturating_mul(doubled).min(LONGEST_PAUSE)
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
