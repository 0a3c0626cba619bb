//! Conversations in containers: each gets one of its own, with our server inside.
//!
//! ```text
//! Docker::connect ─► provision / WarmPool::claim ─► DockerSandbox ─► endpoint ─► RemoteRuntime
//!                    find, after a restart     ─┘        └─► pause, resume, stop, remove, copy_in, copy_out
//! ```
//!
//! Containers carry the name of their owner as a label and end by themselves when nobody asks for them, so that a server
//! that dies leaves nothing behind, and two servers on one machine do not touch each other's.

mod attach;
mod build;
mod claim;
mod connect;
mod container;
mod copy;
mod error;
mod find;
mod image;
mod leftovers;
mod limits;
mod made;
mod podman;
mod pool;
mod progress;
mod reach;
mod runtime;
mod runtimes;
mod sandbox;
mod settings;
mod start;
mod watch;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch::Sender;
use tokio_util::task::TaskTracker;

pub use error::DockerError;
pub use leftovers::Leftovers;
pub use pool::WarmPool;
pub use progress::{Progress, Step};
pub use reach::SandboxPorts;
pub use runtime::DockerRuntime;
pub use runtimes::DockerRuntimes;
pub use sandbox::{DockerSandbox, SandboxState};
pub use settings::{DEFAULT_IMAGE, DockerSettings, Mount, SandboxSpec};

use connect::Connection;
use container::Purpose;

/// How long an engine may take to say that it is there.
const PING: Duration = Duration::from_secs(5);

/// An engine, Docker or Podman, and how containers are made on it.
#[derive(Clone)]
pub struct Docker(Arc<Inner>);

struct Inner {
    connection: Connection,
    settings: DockerSettings,
    /// For inner servers.
    http: reqwest::Client,
    /// Containers that someone in this process has, and how often.
    held: Mutex<HashMap<String, usize>>,
    /// Containers that had waited and were claimed, and the process that they had then.
    claimed: Mutex<HashMap<String, u32>>,
    /// Names of containers that are being started in this process.
    underway: Sender<HashSet<String>>,
    /// What goes on though nobody waits for it: containers that are made or removed.
    tasks: TaskTracker,
    /// Held while an image is built.
    building: tokio::sync::Mutex<()>,
}

impl Docker {
    /// Connects to the engine that the settings name, or to the first usual one that answers.
    pub async fn connect(settings: DockerSettings) -> Result<Self, DockerError> {
        let connection = connect::connect(settings.host.as_deref()).await?;
        // What is on this machine is not reached by a proxy.
        let http = reqwest::Client::builder()
            .no_proxy()
            .build()
            .map_err(|error| DockerError::Settings(format!("no HTTP client: {error}")))?;
        Ok(Self(Arc::new(Inner {
            connection,
            settings,
            http,
            held: Mutex::default(),
            claimed: Mutex::default(),
            underway: Sender::default(),
            tasks: TaskTracker::new(),
            building: tokio::sync::Mutex::default(),
        })))
    }

    /// Makes a container for a conversation, and waits until tools can run in it.
    pub async fn provision(
        &self,
        spec: SandboxSpec,
        progress: Progress,
    ) -> Result<DockerSandbox, DockerError> {
        self.start(&Purpose::Conversation(spec), &progress).await
    }

    /// Whether the engine answers now.
    pub async fn ping(&self) -> Result<(), DockerError> {
        let answered = tokio::time::timeout(PING, self.engine().ping()).await;
        let answered = answered.unwrap_or(Err(bollard::errors::Error::RequestTimeoutError));
        answered.map(drop).map_err(|source| DockerError::Engine {
            action: "asking the engine",
            source,
        })
    }

    /// How containers are made.
    pub fn settings(&self) -> &DockerSettings {
        &self.0.settings
    }

    fn connection(&self) -> &Connection {
        &self.0.connection
    }

    fn engine(&self) -> &bollard::Docker {
        &self.0.connection.engine
    }

    fn http(&self) -> &reqwest::Client {
        &self.0.http
    }

    fn building(&self) -> &tokio::sync::Mutex<()> {
        &self.0.building
    }

    fn is_held(&self, id: &str) -> bool {
        self.0.held.lock().contains_key(id)
    }

    fn hold(&self, id: &str) {
        *self.0.held.lock().entry(id.to_owned()).or_default() += 1;
    }

    fn let_go(&self, id: &str) {
        let mut held = self.0.held.lock();
        if let Some(count) = held.get_mut(id) {
            *count -= 1;
            if *count == 0 {
                held.remove(id);
            }
        }
    }

    fn underway(&self) -> &Sender<HashSet<String>> {
        &self.0.underway
    }

    fn tasks(&self) -> &TaskTracker {
        &self.0.tasks
    }
}

impl fmt::Debug for Docker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Docker")
            .field("settings", &self.0.settings)
            .finish_non_exhaustive()
    }
}
