//! The conversations of the server: which there are, those that are in memory, and how many may run.
//!
//! ```text
//! Conversations ── catalog: id ──► Entry: meta.json, and the Conversation while it is in memory
//!       │                            ▲ Held: in use; keeps it in memory
//!       ├── permits (runs at once)   │
//!       └── Host ── Observer ────────┘ every event: times, activity, webhooks
//! ```

mod children;
mod create;
mod entry;
mod evict;
mod fork;
mod info;
mod list;
mod meta;
mod observe;
mod refuse;
mod remove;
mod run;
mod sandboxed;
mod shown;
mod title;
mod update;
mod workers;
mod worktree;

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use anyhow::Context as _;
use openhands_protocol::ConversationId;
use openhands_protocol::conversation::ExecutionStatus;
use openhands_sdk_rs::Host;
use openhands_sdk_rs::conversation::{LoggedModels, Models, Profiles, Versioned};
use openhands_sdk_rs::event_log::{Durability, LeaseOwner, Syncer};
use openhands_sdk_rs::secrets::Lookup;
use openhands_sdk_rs::skills::SkillSources;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::config::{Config, EventDurability};
use crate::services::activity::Activity;
use crate::services::conversations::sandboxed::SlotFinder;
use crate::services::conversations::workers::Workers;
use crate::services::sandboxes::Sandboxes;
use crate::services::webhooks::Webhooks;
use crate::telemetry::metrics::Metrics;

pub(crate) use entry::{Entry, Held};
pub(crate) use info::without_skills;
pub(crate) use list::ConversationQuery;
pub(crate) use refuse::RefusedRequest;

/// Conversations by id.
pub(crate) type Catalog = Versioned<HashMap<ConversationId, Arc<Entry>>>;

/// What the conversations are given by the rest of the server.
pub(crate) struct Setting {
    /// The settings.
    pub(crate) config: Arc<Config>,
    /// Notes that something happens.
    pub(crate) activity: Arc<Activity>,
    /// Counts events.
    pub(crate) metrics: Arc<Metrics>,
    /// Who is told of events and conversations.
    pub(crate) webhooks: Arc<Webhooks>,
    /// How models are made.
    pub(crate) models: Models,
    /// How models are made whose calls become events.
    pub(crate) logged_models: LoggedModels,
    /// Models that the user saved.
    pub(crate) profiles: Arc<dyn Profiles>,
    /// How secrets are fetched.
    pub(crate) lookup: Arc<dyn Lookup>,
    /// Where skills beyond those of the project come from.
    pub(crate) skills: SkillSources,
    /// The containers in which conversations may work.
    pub(crate) sandboxes: Arc<Sandboxes>,
}

/// The conversations of the server.
#[derive(Debug)]
pub(crate) struct Conversations {
    me: Weak<Self>,
    config: Arc<Config>,
    host: Arc<Host>,
    catalog: Arc<Catalog>,
    shown: shown::Shown,
    permits: Arc<Semaphore>,
    webhooks: Arc<Webhooks>,
    sandboxes: Arc<Sandboxes>,
    finder: SlotFinder,
    /// Held while a conversation is started under an id that the client chose.
    chosen_ids: tokio::sync::Mutex<()>,
    tasks: TaskTracker,
    /// Dropped with the conversations.
    workers: Workers,
    stop: CancellationToken,
}

impl Conversations {
    /// Looks at what is on disk, and takes up what ran when the last server died.
    pub(crate) async fn start(
        setting: Setting,
        stop: CancellationToken,
    ) -> anyhow::Result<Arc<Self>> {
        let config = &setting.config;
        let cipher = config.cipher();
        let entries = meta::read_all(&config.conversations_path, cipher.as_ref()).await?;
        let catalog = Arc::new(Catalog::new(entries));
        let finder = SlotFinder {
            config: Arc::clone(config),
            catalog: Arc::clone(&catalog),
            sandboxes: Arc::clone(&setting.sandboxes),
        };
        let workers = Workers::start(config.event_durability).context("threads for agents")?;
        let this = Arc::new_cyclic(|me| {
            let mut host = Host::new(config.env.clone()).keeping_in(&config.conversations_path);
            host.cipher = cipher;
            host.models = Arc::clone(&setting.models);
            host.logged_models = Some(Arc::clone(&setting.logged_models));
            host.profiles = Some(Arc::clone(&setting.profiles));
            host.lookup = Some(Arc::clone(&setting.lookup));
            host.skills = setting.skills.clone();
            host.durability = match config.event_durability {
                EventDurability::Strict => Durability::Strict,
                EventDurability::Background => Durability::Background(Syncer::new()),
            };
            host.user_directory = Some(config.persistence_dir.clone());
            host.owner = (!config.lease_ttl.is_zero()).then(|| LeaseOwner {
                ttl: config.lease_ttl,
                ..LeaseOwner::this_process(Uuid::new_v4().simple().to_string())
            });
            host.observer = Some(Arc::new(observe::Watch::new(
                &catalog,
                &setting,
                me.clone(),
            )));
            host.children = Some(children::starter(me.clone()));
            host.workers = Some(workers.handle().clone());
            let slots = finder.clone();
            host.runtimes = Sandboxes::runtimes(host.runtimes, move |id| slots.slot(id));
            Self {
                me: me.clone(),
                config: Arc::clone(config),
                host: Arc::new(host),
                catalog,
                shown: shown::Shown::default(),
                permits: Arc::new(Semaphore::new(config.max_concurrent_runs)),
                webhooks: Arc::clone(&setting.webhooks),
                sandboxes: Arc::clone(&setting.sandboxes),
                finder,
                chosen_ids: tokio::sync::Mutex::new(()),
                tasks: TaskTracker::new(),
                workers,
                stop,
            }
        });
        this.take_up_sandboxes();
        this.recover().await;
        this.evict_when_idle();
        Ok(this)
    }

    /// What the conversations share.
    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// A conversation that there is.
    pub(crate) fn entry(&self, id: ConversationId) -> Option<Arc<Entry>> {
        self.catalog.read().get(&id).cloned()
    }

    /// A conversation that there is, loaded into memory and kept there as long as it is held.
    pub(crate) async fn open(&self, id: ConversationId) -> Result<Held, RefusedRequest> {
        let entry = self.entry(id).ok_or(RefusedRequest::Unknown(id))?;
        self.load(&entry).await
    }

    async fn load(&self, entry: &Arc<Entry>) -> Result<Held, RefusedRequest> {
        let was_resting = entry.loaded().is_none();
        let held = entry.open(&self.host).await?;
        if was_resting {
            self.tell_state(&held);
        }
        Ok(held)
    }

    /// Tells webhooks the whole state of a conversation that has just come into memory.
    fn tell_state(&self, held: &Held) {
        if !self.webhooks.is_empty() {
            match held.conversation().full_state() {
                Ok(state) => self.webhooks.full_state(held.entry().id(), &state),
                Err(error) => {
                    tracing::error!(conversation = %held.entry().id(), %error, "the state cannot be told");
                }
            }
        }
    }

    /// Takes up what was under way when the last server died.
    async fn recover(&self) {
        let entries: Vec<_> = self.catalog.read().values().cloned().collect();
        for entry in entries {
            if entry.status() != ExecutionStatus::Running {
                continue;
            }
            if let Err(error) = self.load(&entry).await {
                tracing::warn!(conversation = %entry.id(), %error, "a conversation that was running cannot be taken up");
            }
        }
    }

    /// How many tasks there are on the threads of agents.
    pub(crate) fn tasks_of_agents(&self) -> usize {
        self.workers.handle().metrics().num_alive_tasks()
    }

    /// How many conversations are in memory, and how many of them run.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let catalog = self.catalog.read();
        let loaded = catalog.values().filter_map(|entry| entry.loaded());
        loaded.fold((0, 0), |(loaded, running), conversation| {
            (loaded + 1, running + usize::from(conversation.is_active()))
        })
    }

    /// Removes the containers of all conversations, which have ended.
    pub(crate) async fn remove_sandboxes(&self) {
        self.sandboxes.close().await;
    }

    /// Ends all that runs and saves it.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        let entries: Vec<_> = self.catalog.read().values().cloned().collect();
        let closing = entries.iter().map(|entry| entry.close(&self.host));
        futures_util::future::join_all(closing).await;
        self.tasks.close();
    }
}
