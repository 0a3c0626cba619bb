//! What is told while a container comes up.

use std::fmt;
use std::sync::Arc;

use tokio::sync::mpsc;

/// One thing that happens on the way to a container that works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The image is fetched.
    Pulling {
        /// Which image.
        image: String,
        /// Bytes that have come, of the layers whose size is known.
        done: u64,
        /// Bytes of these layers.
        total: u64,
        /// What the engine says, as in `4f4fb700ef54: Downloading`.
        status: String,
    },
    /// The image is built.
    Building {
        /// Which image.
        image: String,
        /// How many lines of its Dockerfile are done.
        done: u64,
        /// How many it has.
        total: u64,
        /// What the engine says, as in `Step 2/5 : RUN true`.
        status: String,
    },
    /// The container is made.
    Creating,
    /// It is started.
    Starting,
    /// Its server has to answer.
    WaitingForHealth,
    /// Tools can run.
    Ready {
        /// Where the inner server is.
        url: String,
        /// Whether it had been waiting for a conversation.
        warm: bool,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pulling { image, status, .. } => write!(f, "pulling {image}: {status}"),
            Self::Building { image, status, .. } => write!(f, "building {image}: {status}"),
            Self::Creating => f.write_str("creating the container"),
            Self::Starting => f.write_str("starting the container"),
            Self::WaitingForHealth => f.write_str("waiting for its server"),
            Self::Ready { url, warm: false } => write!(f, "ready at {url}"),
            Self::Ready { url, warm: true } => write!(f, "ready at {url}, it was waiting"),
        }
    }
}

/// Who is told of each step.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(Step) + Send + Sync>>);

impl Progress {
    /// Nobody.
    pub fn none() -> Self {
        Self::default()
    }

    /// A function, which must not block.
    pub fn to(listener: impl Fn(Step) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    /// A channel. A listener that is slow misses steps.
    pub fn channel() -> (Self, mpsc::Receiver<Step>) {
        let (sender, receiver) = mpsc::channel(256);
        let tell = move |step| {
            let _ = sender.try_send(step);
        };
        (Self::to(tell), receiver)
    }

    pub(super) fn tell(&self, step: Step) {
        if let Some(listener) = &self.0 {
            listener(step);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}
