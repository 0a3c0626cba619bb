//! What all conversations of a process share: tools, models, places to run, where things are kept.

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, OnceLock};

use futures_util::future::BoxFuture;
use openhands_llm::{ChatModel, CompletionSink, Connector, Http, LlmError};
use openhands_protocol::ConversationId;
use openhands_protocol::conversation::{
    StartChildConversationRequest, StartChildConversationResponse,
};
use openhands_protocol::llm::Llm;
use openhands_protocol::tool::Tool;
use openhands_runtime::docker::DockerRuntimes;
use openhands_runtime::{LocalRuntime, RemoteRequest, Runtime, RuntimeError};
use openhands_tools::{Machine, Place, Registry};

use crate::conversation::keeper::LeaseKeeper;
use crate::conversation::{FullState, Profiles};
use crate::event_log::{Durability, LeaseOwner, StoredEvent, Syncer};
use crate::secrets::{Cipher, Lookup};
use crate::skills::SkillSources;

/// Makes a model from its settings.
pub type Models = Arc<dyn Fn(&Llm) -> Result<Arc<dyn ChatModel>, LlmError> + Send + Sync>;

/// Makes a model whose calls are logged somewhere else than in a folder.
pub type LoggedModels = Arc<
    dyn Fn(&Llm, Arc<dyn CompletionSink>) -> Result<Arc<dyn ChatModel>, LlmError> + Send + Sync,
>;

/// Makes the place where a conversation's tools run.
pub type Runtimes = Arc<
    dyn Fn(RuntimeRequest) -> BoxFuture<'static, Result<Arc<dyn Runtime>, RuntimeError>>
        + Send
        + Sync,
>;

/// Starts a conversation that lives on by itself. The error is prose for the model.
pub type Children = Arc<
    dyn Fn(ChildRequest) -> BoxFuture<'static, Result<StartChildConversationResponse, String>>
        + Send
        + Sync,
>;

/// A conversation that an agent wants to start.
#[derive(Debug, Clone)]
pub struct ChildRequest {
    /// Which conversation asks.
    pub parent: ConversationId,
    /// What is to be started.
    pub request: StartChildConversationRequest,
    /// Who starts it, if not the server itself.
    pub launch_url: Option<String>,
}

/// Hears of everything that happens in the conversations of a host, in order, right after it was stored. It is called
/// by the writer: it must be quick and never wait.
pub trait Observer: Send + Sync {
    /// An event was stored.
    fn event(&self, conversation: ConversationId, event: &Arc<StoredEvent>);

    /// The whole state is sent to watchers. Told only to who [wants it](Self::wants_full_state).
    fn full_state(&self, conversation: ConversationId, state: &FullState);

    /// Whether it wants the whole state, also when nobody else watches.
    fn wants_full_state(&self) -> bool {
        false
    }
}

/// What a conversation needs from the place where its tools run.
#[derive(Debug, Clone)]
pub struct RuntimeRequest {
    /// Which conversation asks.
    pub conversation: ConversationId,
    /// The conversation for which it works, at whatever depth; itself if it is no sub-agent.
    pub root: ConversationId,
    /// The tools that its agent wants.
    pub tools: Vec<Tool>,
    /// Where it works and keeps its files.
    pub place: Place,
}

/// What all conversations of a process share.
#[derive(Clone)]
pub struct Host {
    /// The tools that agents can ask for.
    pub registry: Registry,
    /// How models are made.
    pub models: Models,
    /// How models are made whose calls are logged as events of the conversation; none leaves logs to `models`.
    pub logged_models: Option<LoggedModels>,
    /// Where tools run.
    pub runtimes: Runtimes,
    /// Where conversations are kept, each in a directory of its own; none keeps them in memory.
    pub directory: Option<PathBuf>,
    /// Where the user keeps skills, hooks and memory.
    pub user_directory: Option<PathBuf>,
    /// Where skills beyond those of a project come from.
    pub skills: SkillSources,
    /// For services that are asked over HTTP; made when the first one is.
    pub web: Arc<LazyLock<reqwest::Client>>,
    /// The environment of the process, for commands.
    pub env: Vec<(String, String)>,
    /// When events are forced to disk.
    pub durability: Durability,
    /// How secrets that are kept elsewhere are fetched; none fetches nothing.
    pub lookup: Option<Arc<dyn Lookup>>,
    /// What seals secrets on disk; without it they are not kept.
    pub cipher: Option<Cipher>,
    /// Models that the user saved by name; none if there are none here.
    pub profiles: Option<Arc<dyn Profiles>>,
    /// How a conversation starts another one that lives on by itself; none if that cannot be done here.
    pub children: Option<Children>,
    /// Hears of everything that happens; none if nobody wants to.
    pub observer: Option<Arc<dyn Observer>>,
    /// The threads on which agents work; none lets them work where they are told to. With threads of their own, many
    /// agents at work do not delay those who answer requests; threads that call [`crate::event_log::wait_for_files_here`] write
    /// events by themselves.
    pub workers: Option<tokio::runtime::Handle>,
    pub(crate) keeper: LeaseKeeper,
    /// Under which name this process owns conversations; none takes no leases.
    pub owner: Option<LeaseOwner>,
}

impl Host {
    /// A host that keeps conversations in memory, asks real models and runs tools in this process.
    pub fn new(env: Vec<(String, String)>) -> Self {
        let registry = Registry::standard();
        // Made when it is first needed: it reads the certificates of the machine.
        let connector = OnceLock::new();
        Self {
            models: Arc::new(move |llm| {
                match connector.get_or_init(|| Http::new().map(Connector::new)) {
                    Ok(connector) => connector.connect(llm),
                    Err(error) => Err(error.clone()),
                }
            }),
            logged_models: None,
            runtimes: local_runtimes(registry.clone(), env.clone()),
            registry,
            directory: None,
            user_directory: None,
            skills: SkillSources::default(),
            web: Arc::default(),
            env,
            durability: Durability::Background(Syncer::new()),
            owner: None,
            lookup: None,
            cipher: None,
            profiles: None,
            children: None,
            observer: None,
            workers: None,
            keeper: LeaseKeeper::default(),
        }
    }

    /// The same, with conversations kept in a directory.
    #[must_use]
    pub fn keeping_in(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// The same, with one model in place of all: for scripts and tests.
    #[must_use]
    pub fn with_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.models = Arc::new(move |_| Ok(Arc::clone(&model)));
        self
    }

    /// The same, with other tools, which run in this process.
    #[must_use]
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.runtimes = local_runtimes(registry.clone(), self.env.clone());
        self.registry = registry;
        self
    }

    /// The same, with tools that run in containers: one for each conversation, which its sub-agents share. The working
    /// directory is seen there under its own path; the model's keys and the log stay here.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use openhands_sdk_rs::Host;
    /// use openhands_sdk_rs::runtime::docker::{Docker, DockerRuntimes, DockerSettings, Progress};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut settings = DockerSettings::new("my-program");
    /// settings.memory = Some(2 << 30);
    /// let docker = Docker::connect(settings).await?;
    /// let containers = DockerRuntimes::new(&docker, Progress::none());
    /// let host = Host::new(Vec::new()).in_docker(Arc::new(containers));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn in_docker(mut self, containers: Arc<DockerRuntimes>) -> Self {
        self.runtimes = Arc::new(move |request: RuntimeRequest| {
            let runtime = containers.runtime(RemoteRequest {
                conversation: request.conversation,
                root: request.root,
                tools: request.tools,
                place: request.place,
                env: Vec::new(),
            });
            Box::pin(async move { Ok(Arc::new(runtime?) as Arc<dyn Runtime>) })
        });
        self
    }

    /// The directory of a conversation.
    pub(crate) fn directory_of(&self, id: ConversationId) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(id.hex()))
    }
}

/// Runs tools in this process.
fn local_runtimes(registry: Registry, env: Vec<(String, String)>) -> Runtimes {
    Arc::new(move |request: RuntimeRequest| {
        let machine = Machine {
            place: request.place,
            env: env.clone(),
            ..Machine::default()
        };
        let runtime = LocalRuntime::new(&registry, &request.tools, &machine);
        Box::pin(async move { Ok(Arc::new(runtime?) as Arc<dyn Runtime>) })
    })
}

impl fmt::Debug for Host {
    /// Without the environment: some of it is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("registry", &self.registry)
            .field("directory", &self.directory)
            .field("user_directory", &self.user_directory)
            .field("durability", &self.durability)
            .finish_non_exhaustive()
    }
}
