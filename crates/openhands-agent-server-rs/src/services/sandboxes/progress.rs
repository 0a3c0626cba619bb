//! What happens while a container is made, for those who wait for it.

use jiff::Timestamp;
use openhands_sdk_rs::runtime::docker::{self, Progress};
use serde::Serialize;
use tokio::sync::watch;

/// No start has more; a pull tells of every layer.
const MAX_STEPS: usize = 500;

/// Something that happened.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Step {
    /// When.
    pub(crate) timestamp: String,
    /// What, in words.
    pub(crate) message: String,
    /// How far it is, in percent, if that is known.
    pub(crate) percent: Option<u8>,
}

/// The steps of a start, from the first on.
#[derive(Debug, Clone)]
pub(crate) struct Steps(watch::Sender<Vec<Step>>);

impl Default for Steps {
    fn default() -> Self {
        Self(watch::Sender::new(Vec::new()))
    }
}

impl Steps {
    /// A start begins: what was said before is over.
    pub(super) fn begin(&self) {
        self.0.send_replace(Vec::new());
    }

    pub(super) fn add(&self, message: impl Into<String>, percent: Option<u8>) {
        let step = Step {
            timestamp: Timestamp::now().to_string(),
            message: message.into(),
            percent,
        };
        self.0.send_if_modified(|steps| {
            // A pull tells the same again and again, while it comes nearer to its end.
            let is_new = steps
                .last()
                .is_none_or(|last| (&last.message, last.percent) != (&step.message, step.percent));
            let has_room = is_new && steps.len() < MAX_STEPS;
            if has_room {
                steps.push(step);
            }
            has_room
        });
    }

    /// Writes down what is told of a container that comes up.
    pub(super) fn listener(&self) -> Progress {
        let this = self.clone();
        Progress::to(move |step| {
            let percent = match &step {
                docker::Step::Pulling { done, total, .. }
                | docker::Step::Building { done, total, .. } => (done * 100).checked_div(*total),
                _ => None,
            };
            let percent = percent.and_then(|percent| u8::try_from(percent.min(100)).ok());
            this.add(step.to_string(), percent);
        })
    }

    pub(super) fn follow(&self) -> Follow {
        Follow {
            steps: self.0.subscribe(),
            seen: 0,
        }
    }
}

/// Reads the steps one after the other.
#[derive(Debug)]
pub(crate) struct Follow {
    steps: watch::Receiver<Vec<Step>>,
    seen: usize,
}

impl Follow {
    /// What has not been read yet, if anything.
    pub(crate) fn take(&mut self) -> Vec<Step> {
        let steps = self.steps.borrow_and_update();
        // A new start has fewer.
        let from = if self.seen > steps.len() {
            0
        } else {
            self.seen
        };
        self.seen = steps.len();
        steps.iter().skip(from).cloned().collect()
    }

    /// Waits until there may be something to read.
    pub(crate) async fn changed(&mut self) {
        if self.steps.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
