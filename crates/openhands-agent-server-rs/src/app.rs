//! Everything that a running server holds, and the routes over it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Config;
use crate::hands::{self, Hands};
use crate::http::{Behind, Dispatch, Front, Operation, Routes, WrongRoute};
use crate::services::activity::Activity;
use crate::services::bash::BashServices;
use crate::services::conversations::{Conversations, Setting};
use crate::services::files::Files;
use crate::services::git::{Git, GithubRepositories};
use crate::services::launch::Launches;
use crate::services::models::{ModelSource, hide_keys};
use crate::services::sandboxes::Sandboxes;
use crate::services::saved_models::{SavedModels, SecretLookup};
use crate::services::settings::Stores;
use crate::services::skills::Skills;
use crate::services::vscode::{VsCode, VsCodeSetup};
use crate::services::webhooks::Webhooks;
use crate::services::workspaces::Workspaces;
use crate::telemetry::metrics::Metrics;
use crate::{openapi, sockets, v1};

/// How long webhooks may take to hear of the end.
const WEBHOOK_TIME: Duration = Duration::from_millis(400);

/// A running server.
#[derive(Debug)]
pub struct App {
    config: Arc<Config>,
    /// When something last happened.
    pub(crate) activity: Arc<Activity>,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
    /// Who is told of events and conversations.
    pub(crate) webhooks: Arc<Webhooks>,
    /// The conversations.
    pub(crate) conversations: Arc<Conversations>,
    /// Commands beside the agent.
    pub(crate) bash: BashServices,
    /// Files of this machine.
    pub(crate) files: Files,
    /// The directories that the UI offers.
    pub(crate) workspaces: Workspaces,
    /// Git on this machine.
    pub(crate) git: Git,
    /// Repositories that can be cloned.
    pub(crate) github: GithubRepositories,
    /// Where skills come from.
    pub(crate) skills: Skills,
    /// The editor; none if the settings want none.
    pub(crate) vscode: Option<VsCode>,
    /// Settings, secrets, and what the user saved by name.
    pub(crate) stores: Arc<Stores>,
    /// How models are reached.
    pub(crate) models: ModelSource,
    /// What conversations are started with.
    pub(crate) launches: Launches,
    /// The tools of this server, for clients of MCP.
    pub(crate) hands: hands::Door,
    /// The sockets that are open.
    pub(crate) sockets: TaskTracker,
    /// Ends everything.
    stop: CancellationToken,
}

impl App {
    /// Starts all services. What is on disk is looked at; what ran when the last server died is taken up.
    pub async fn start(config: Config) -> anyhow::Result<Arc<Self>> {
        Self::start_since(config, Arc::new(Activity::new())).await
    }

    /// The same, in a process that runs already.
    pub(crate) async fn start_since(
        mut config: Config,
        activity: Arc<Activity>,
    ) -> anyhow::Result<Arc<Self>> {
        let models = ModelSource::new(&config.env);
        // Only the models have the keys: no command can print them into a conversation.
        hide_keys(&mut config.env);
        let config = Arc::new(config);
        let metrics = Metrics::new();
        let webhooks = Arc::new(Webhooks::new(&config.webhooks, config.first_session_key())?);
        let stop = CancellationToken::new();
        let stores = Stores::open(&config.persistence_dir, config.cipher()).await;
        let lookup = Arc::new(SecretLookup::new(Arc::clone(&stores)));
        if let Some(url) = config.internal_url() {
            // It need not ask itself over the network.
            lookup.set_own_address(url);
        }
        let skills = Skills::new(&config);
        let setting = Setting {
            config: Arc::clone(&config),
            activity: Arc::clone(&activity),
            metrics: Arc::clone(&metrics),
            webhooks: Arc::clone(&webhooks),
            models: models.for_host(),
            logged_models: models.logged_for_host(),
            profiles: Arc::new(SavedModels(Arc::clone(&stores))),
            lookup,
            skills: skills.sources(),
            sandboxes: Sandboxes::new(&config, stop.child_token()),
        };
        let conversations = Conversations::start(setting, stop.child_token()).await?;
        let wants_browser = config.enable_browser;
        let launches = Launches::new(Arc::clone(&stores), conversations.host(), wants_browser);
        let bash = BashServices::new(config.bash_events_dir.clone(), &config.env);
        if let Some(seconds) = config.bash_events_retention_seconds {
            bash.flat().keep_events_for(Duration::from_secs(seconds));
        }
        let hands = Hands::new(
            conversations.host().registry.clone(),
            config.env.clone(),
            &config.workspace_path,
            launches.has_browser(),
            stop.child_token(),
        );
        Ok(Arc::new(Self {
            bash,
            hands: hands::Door::new(hands),
            files: Files::of_config(&config),
            workspaces: Workspaces::of_config(&config),
            activity,
            metrics,
            webhooks,
            conversations,
            git: Git::new(&config.env),
            github: GithubRepositories::default(),
            skills,
            vscode: config
                .enable_vscode
                .then(|| VsCode::start(VsCodeSetup::of(&config))),
            config,
            stores,
            models,
            launches,
            sockets: TaskTracker::new(),
            stop,
        }))
    }

    /// The settings.
    pub fn config(&self) -> &Arc<Config> {
        &self.config
    }

    /// Is cancelled when the server is to end.
    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.stop
    }

    /// Every route, with what is known about it.
    pub(crate) fn routes() -> Routes {
        v1::routes()
            .merge(sockets::routes())
            .merge(openapi::routes())
            .merge(hands::routes())
    }

    /// What is served: for documentation and tests.
    pub fn operations() -> Vec<Operation> {
        Self::routes().operations().cloned().collect()
    }

    /// The same, made once.
    pub(crate) fn known_operations() -> &'static [Operation] {
        static KNOWN: OnceLock<Vec<Operation>> = OnceLock::new();
        KNOWN.get_or_init(Self::operations)
    }

    /// What every request goes through, and every route behind it.
    pub(crate) fn front(self: &Arc<Self>) -> Result<Front, WrongRoute> {
        let operations = Behind::Operations(Dispatch::new(Self::routes(), self)?);
        let metrics = Arc::clone(&self.metrics);
        Ok(Front::new(operations, &self.config, metrics))
    }

    /// Drops from memory the conversations that nobody has used for so long. Happens by itself now and then.
    pub async fn drop_idle(&self, idle: Duration) {
        self.conversations.evict(idle).await;
    }

    /// Ends everything: sockets are closed, what runs is cut off, all is saved, and webhooks hear of it.
    pub async fn stop(&self) {
        self.stop.cancel();
        let editor = async {
            if let Some(vscode) = &self.vscode {
                vscode.stop().await;
            }
        };
        let conversations = async {
            self.conversations.stop().await;
            self.webhooks.stop(WEBHOOK_TIME).await;
        };
        self.sockets.close();
        tokio::join!(
            self.bash.close(),
            self.hands.stop(),
            conversations,
            self.sockets.wait(),
            editor
        );
    }
}
