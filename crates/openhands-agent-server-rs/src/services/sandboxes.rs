//! The containers in which conversations work: a slot for each conversation, filled when it is needed.
//!
//! ```text
//! Conversations ── id ──► Slot: missing ─► starting ─► available ─► missing …      one container at a time
//!                          │                              └── Sandbox: where the server inside is, and its key
//!                          └── Endpoints, for the runtime of the conversation and its sub-agents
//! ```
//!
//! Containers carry the name of this server in their labels. So one that was killed finds its containers again, several servers
//! share an engine without seeing each other, and what belongs to no conversation any more is removed.

mod attempt;
mod covers;
mod limits;
mod mounts;
mod owner;
mod plan;
mod progress;
mod runtime;
mod sandbox;
mod slot;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use openhands_protocol::ConversationId;
use openhands_sdk_rs::conversation::{RuntimeRequest, Runtimes};
use openhands_sdk_rs::runtime::Runtime;
use openhands_sdk_rs::runtime::docker::{Docker, DockerSandbox, SandboxSpec, WarmPool};
use parking_lot::Mutex;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use crate::config::Config;
use runtime::SandboxRuntime;

pub(crate) use covers::OwnData;
pub(crate) use mounts::{Kept, find_repository, mounts_of};
pub(crate) use plan::SlotPlan;
pub(crate) use progress::{Follow, Step};
pub(crate) use sandbox::Sandbox;
pub(crate) use slot::{Slot, SlotState};

/// How long an engine may take to answer before what needs it fails.
const ENGINE_WAIT: Duration = Duration::from_secs(40);
/// How long the removal of all containers may take when the server ends. Those that are left end by themselves.
const LAST_REMOVALS: Duration = Duration::from_secs(8);

/// The containers of all conversations.
pub(crate) struct Sandboxes {
    config: Arc<Config>,
    engine: OnceCell<Engine>,
    slots: Mutex<HashMap<ConversationId, Arc<Slot>>>,
    /// Made with the first container: it reads the certificates of the machine.
    web: LazyLock<reqwest::Client>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// The engine that runs containers, and those that wait.
struct Engine {
    docker: Docker,
    pool: OnceLock<Option<WarmPool>>,
    /// Removes what was made and will never be started.
    _tidy: AbortOnDropHandle<()>,
}

/// A client for containers. Never by a proxy: they are near.
fn near() -> reqwest::Client {
    let client = reqwest::Client::builder().no_proxy().build();
    client.unwrap_or_default()
}

impl Sandboxes {
    pub(crate) fn new(config: &Arc<Config>, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            config: Arc::clone(config),
            engine: OnceCell::new(),
            slots: Mutex::default(),
            web: LazyLock::new(near),
            tasks: TaskTracker::new(),
            stop,
        })
    }

    /// The slot of a conversation, if it has one.
    pub(crate) fn slot(&self, id: ConversationId) -> Option<Arc<Slot>> {
        self.slots.lock().get(&id).cloned()
    }

    /// The slot of a conversation, made if it has none. Nothing is started.
    pub(crate) fn slot_for(
        self: &Arc<Self>,
        id: ConversationId,
        plan: impl FnOnce() -> SlotPlan,
    ) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        let slot = slots.entry(id).or_insert_with(|| Slot::new(self, plan()));
        Arc::clone(slot)
    }

    /// Where tools run: in the container of the conversation that they work for, if it has one, else as `local` says.
    pub(crate) fn runtimes(
        local: Runtimes,
        slot_of: impl Fn(ConversationId) -> Option<Arc<Slot>> + Send + Sync + 'static,
    ) -> Runtimes {
        Arc::new(move |request: RuntimeRequest| match slot_of(request.root) {
            None => local(request),
            Some(slot) => Box::pin(async move {
                let runtime = SandboxRuntime::new(slot, request).await?;
                Ok(Arc::new(runtime) as Arc<dyn Runtime>)
            }),
        })
    }

    /// Takes up the containers that an earlier server left, and removes those that belong to none of the conversations.
    pub(crate) fn take_up(
        self: &Arc<Self>,
        is_known: impl Fn(ConversationId) -> Option<Arc<Slot>> + Send + Sync + 'static,
    ) {
        let this = Arc::clone(self);
        let work = async move {
            let engine = match this.engine().await {
                Ok(engine) => engine,
                Err(error) => {
                    tracing::warn!(%error, "conversations in containers cannot start yet");
                    return;
                }
            };
            let found = match engine.docker.conversations().await {
                Ok(found) => found,
                Err(error) => {
                    tracing::warn!(%error, "earlier containers cannot be found");
                    return;
                }
            };
            for slot in found.into_iter().filter_map(&is_known) {
                // It finds the container by itself.
                slot.begin();
            }
            match engine.docker.sweep(|id| is_known(id).is_some()).await {
                Ok(removed) if removed.is_empty() => {}
                Ok(removed) => tracing::info!(
                    count = removed.len(),
                    "removed containers that nobody needs"
                ),
                Err(error) => {
                    tracing::warn!(%error, "containers that nobody needs cannot be removed");
                }
            }
            engine.pool();
        };
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            stop.run_until_cancelled(work).await;
        });
    }

    /// Removes the container of a conversation and forgets its slot.
    pub(crate) async fn remove(&self, id: ConversationId) {
        let slot = self.slots.lock().remove(&id);
        if let Some(slot) = slot {
            slot.close().await;
        }
    }

    /// Removes containers that nobody has used for so long and whose conversations rest.
    pub(crate) async fn evict(&self, idle: Duration, rests: impl Fn(ConversationId) -> bool) {
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        for slot in slots {
            if slot.is_idle(idle) && rests(slot.conversation()) {
                slot.vacate().await;
            }
        }
    }

    /// Removes all containers: the server ends. Those that cannot be removed in time end by themselves.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        let slots: Vec<_> = self.slots.lock().drain().map(|(_, slot)| slot).collect();
        let closing = async {
            let slots = slots.iter().map(|slot| slot.close());
            let pool = async {
                if let Some(pool) = self.engine.get().and_then(Engine::started_pool) {
                    pool.close().await;
                }
            };
            tokio::join!(futures_util::future::join_all(slots), pool);
            // Those that were being made are given up now. What is left of them must be gone before this process is.
            self.tasks.close();
            self.tasks.wait().await;
            if let Some(engine) = self.engine.get() {
                engine.docker.settled().await;
            }
        };
        if tokio::time::timeout(LAST_REMOVALS, closing).await.is_err() {
            tracing::warn!("not all containers were removed in time; they end by themselves");
        }
    }

    /// The engine, once it answers. One that does not is waited for.
    async fn engine(&self) -> Result<&Engine, String> {
        let deadline = tokio::time::Instant::now() + ENGINE_WAIT;
        loop {
            let reason = match self.engine.get_or_try_init(|| self.connect()).await {
                // It may have been stopped since.
                Ok(engine) => match engine.docker.ping().await {
                    Ok(()) => return Ok(engine),
                    Err(error) => error.to_string(),
                },
                Err(reason) => reason,
            };
            if tokio::time::Instant::now() + Duration::from_secs(1) > deadline {
                return Err(reason);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    async fn connect(&self) -> Result<Engine, String> {
        let owner = owner::of(&self.config.conversations_path)
            .await
            .map_err(|error| format!("the name of this server cannot be kept: {error}"))?;
        let docker = Docker::connect(limits::settings(&self.config, owner)?)
            .await
            .map_err(|error| error.to_string())?;
        Ok(Engine {
            _tidy: docker.keep_tidy(),
            docker,
            pool: OnceLock::new(),
        })
    }
}

impl Engine {
    /// The containers that wait, from now on; none if none shall.
    fn pool(&self) -> Option<&WarmPool> {
        let start = || (self.docker.settings().warm > 0).then(|| WarmPool::start(&self.docker));
        self.pool.get_or_init(start).as_ref()
    }

    fn started_pool(&self) -> Option<&WarmPool> {
        self.pool.get()?.as_ref()
    }

    /// A started container whose server answers.
    async fn start(
        &self,
        spec: SandboxSpec,
        steps: &progress::Steps,
    ) -> Result<DockerSandbox, String> {
        let progress = steps.listener();
        let started = match self.pool() {
            Some(pool) => pool.claim(spec, progress).await,
            None => self.docker.provision(spec, progress).await,
        };
        started.map_err(|error| error.to_string())
    }
}

impl std::fmt::Debug for Sandboxes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandboxes").finish_non_exhaustive()
    }
}
