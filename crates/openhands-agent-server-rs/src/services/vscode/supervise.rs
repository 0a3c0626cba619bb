//! Run after run of VS Code, until there is nothing to run or the server stops.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::services::vscode::VsCodeSetup;
use crate::services::vscode::child::Child;
use crate::services::vscode::program::Program;

/// The longest pause between two starts.
const LONGEST_DELAY: Duration = Duration::from_mins(1);
/// A run of this length makes up for all failures before it.
const GOOD_RUN: Duration = Duration::from_mins(1);
/// For the end of VS Code when the server stops.
const STOP_GRACE: Duration = Duration::from_millis(300);

/// Keeps VS Code running.
#[derive(Debug)]
pub(super) struct Supervisor {
    pub(super) token: String,
    pub(super) running: watch::Sender<bool>,
    pub(super) stop: CancellationToken,
}

/// Why a run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Stopped,
    Failed,
}

impl Supervisor {
    pub(super) async fn run(self, program: &Program, setup: &VsCodeSetup) {
        let mut failures = 0_u32;
        loop {
            let begin = Instant::now();
            let end = self.run_once(program, setup).await;
            self.running.send_replace(false);
            match end {
                End::Stopped => return,
                End::Failed if begin.elapsed() >= GOOD_RUN => failures = 1,
                End::Failed => failures = failures.saturating_add(1),
            }
            let pause = tokio::time::sleep(delay(setup.first_delay, failures));
            tokio::select! {
                () = pause => {}
                () = self.stop.cancelled() => return,
            }
        }
    }

    async fn run_once(&self, program: &Program, setup: &VsCodeSetup) -> End {
        let mut child = match Child::start(program, setup, &self.token).await {
            Ok(child) => child,
            Err(error) => {
                tracing::warn!(%error, "VS Code does not start");
                return End::Failed;
            }
        };
        let (end, grace) = self.follow(&mut child, setup).await;
        self.running.send_replace(false);
        // Whatever it left behind would keep its port.
        child.end(grace).await;
        end
    }

    /// Waits for the end of a run, or for a reason to end it; the grace is for how it is ended.
    async fn follow(&self, child: &mut Child, setup: &VsCodeSetup) -> (End, Duration) {
        let ready = tokio::select! {
            ready = child.ready(setup) => ready,
            () = self.stop.cancelled() => return (End::Stopped, Duration::ZERO),
        };
        if let Err(error) = ready {
            tracing::warn!(%error, "VS Code does not start");
            return (End::Failed, Duration::ZERO);
        }
        tracing::info!(port = setup.port, "VS Code runs");
        self.running.send_replace(true);
        tokio::select! {
            () = child.ended() => {
                tracing::warn!("VS Code ended and is started again");
                (End::Failed, Duration::ZERO)
            }
            () = self.stop.cancelled() => (End::Stopped, STOP_GRACE),
        }
    }
}

/// The pause after so many failures in a row.
fn delay(first: Duration, failures: u32) -> Duration {
    let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
    first.saturating_mul(doubled).min(LONGEST_DELAY)
}

#[cfg(test)]
#[path = "supervise_tests.rs"]
mod tests;
