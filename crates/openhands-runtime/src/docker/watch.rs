//! What is done for a container while someone here has it: its output is passed on, and it is told that we live.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bollard::container::LogOutput;
use bollard::errors::Error as EngineError;
use futures_util::{Stream, StreamExt as _};
use openhands_protocol::Secret;
use parking_lot::Mutex;
use tokio_util::task::AbortOnDropHandle;

use crate::hands::KEY_HEADER;

const KEPT_LINES: usize = 200;
const KEPT_CHARS: usize = 2000;

/// The last lines that a container said.
#[derive(Debug, Clone, Default)]
pub(super) struct LogTail(Arc<Mutex<VecDeque<String>>>);

impl LogTail {
    /// Passes on what a container says to the log, and keeps the end of it.
    pub(super) fn follow(
        &self,
        container: &str,
        output: impl Stream<Item = Result<LogOutput, EngineError>> + Send + 'static,
    ) -> AbortOnDropHandle<()> {
        let tail = self.clone();
        let container: String = container.chars().take(12).collect();
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut output = Box::pin(output);
            while let Some(Ok(part)) = output.next().await {
                let text = String::from_utf8_lossy(&part.into_bytes()).into_owned();
                for line in text.lines().filter(|line| !line.trim().is_empty()) {
                    tail.push(line);
                    pass_on(&container, line);
                }
            }
        }))
    }

    fn push(&self, line: &str) {
        let mut lines = self.0.lock();
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(KEPT_CHARS).collect());
    }

    /// The lines that are kept, oldest first.
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.lock().iter().cloned().collect()
    }
}

/// What the inner server finds worth a warning is worth one here.
fn pass_on(container: &str, line: &str) {
    let is_grave = ["\"level\":\"WARN\"", "\"level\":\"ERROR\""]
        .iter()
        .any(|level| line.contains(level));
    if is_grave {
        tracing::warn!(target: "openhands::sandbox", container, "{line}");
    } else {
        tracing::debug!(target: "openhands::sandbox", container, "{line}");
    }
}

/// Tells an inner server that the outer one lives, several times within the time after which it would end. The key shows
/// that it is the outer one: programs inside may ask too.
pub(super) fn keep_alive(
    http: reqwest::Client,
    url: &str,
    key: &Secret,
    unwatched: Duration,
) -> AbortOnDropHandle<()> {
    let alive = format!("{url}/alive");
    let key = key.expose().unwrap_or_default().to_owned();
    let pause = (unwatched / 4).clamp(Duration::from_millis(200), Duration::from_secs(10));
    AbortOnDropHandle::new(tokio::spawn(async move {
        let mut ticks = tokio::time::interval(pause);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            // One that is paused or gone does not answer; whoever uses it finds out.
            let _ = http
                .get(&alive)
                .header(KEY_HEADER, &key)
                .timeout(pause.max(Duration::from_secs(2)))
                .send()
                .await;
        }
    }))
}
