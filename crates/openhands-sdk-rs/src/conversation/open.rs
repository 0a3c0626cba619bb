//! Beginning a conversation, and taking one up again.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use openhands_protocol::agent::AgentSpec;
use openhands_protocol::conversation::{ConversationState, ConversationStats, ExecutionStatus};
use openhands_protocol::secrets::SecretRegistry;
use openhands_protocol::workspace::{LocalWorkspace, Workspace};
use openhands_protocol::{ConversationId, Extra, Form, JsonObject, Reading};
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::builtin::ClientTool;
use crate::conversation::versioned::Versioned;
use crate::conversation::writer::WriterState;
use crate::conversation::{
    Conversation, ConversationConfig, ConversationError, Host, Inner, Unsaved,
};
use crate::event_log::{EventLog, FileStore, Lease, MemoryStore};
use crate::secrets::Registry as Secrets;
use crate::subagents::Kept;

impl Conversation {
    /// Begins a conversation. Nothing is asked, run or started yet.
    pub fn create(
        host: &Arc<Host>,
        config: ConversationConfig,
    ) -> BoxFuture<'_, Result<Self, ConversationError>> {
        // In a box: callers would carry a config and its state around in their own futures.
        Box::pin(Self::begin_kept(host, config))
    }

    async fn begin_kept(
        host: &Arc<Host>,
        config: ConversationConfig,
    ) -> Result<Self, ConversationError> {
        // Boxed: a state is large, and all callers would carry it with them.
        Box::pin(Self::begin_with(host, config)).await
    }

    async fn begin_with(
        host: &Arc<Host>,
        config: ConversationConfig,
    ) -> Result<Self, ConversationError> {
        let (log, lease) = open_log(host, config.id).await?;
        let mut agent = config.agent;
        if agent.system_prompt_kwargs.is_empty() {
            // For one entry, instead of the four that the first one would make room for.
            agent.system_prompt_kwargs = serde_json::Map::with_capacity(1).into();
        }
        // compat: an agent says that its model is asked about risks, unless it was told otherwise.
        agent
            .system_prompt_kwargs
            .entry("llm_security_analyzer")
            .or_insert(true.into());
        // compat: the agent names the tools of the client too, each with its description.
        for tool in &config.unsaved.client_tools {
            if !agent.tools.iter().any(|known| known.name == tool.name) {
                agent.tools.push(ClientTool::named(tool));
            }
        }
        let state = ConversationState {
            id: config.id,
            agent: AgentSpec::Agent(agent),
            workspace: Workspace::Local(LocalWorkspace {
                working_dir: config.working_dir.to_string_lossy().into_owned(),
                ..LocalWorkspace::default()
            }),
            persistence_dir: host
                .directory_of(config.id)
                .map(|directory| directory.to_string_lossy().into_owned()),
            max_iterations: config.max_iterations,
            stuck_detection: config.stuck_detection,
            execution_status: ExecutionStatus::Idle,
            confirmation_policy: config.confirmation_policy,
            security_analyzer: config.security_analyzer.map(Box::new),
            activated_knowledge_skills: Vec::new(),
            activated_path_rules: Vec::new(),
            invoked_skills: Vec::new(),
            blocked_actions: IndexMap::default(),
            blocked_messages: IndexMap::default(),
            last_user_message_id: None,
            leaf_event_id: None,
            head_is_empty: false,
            stats: ConversationStats::default(),
            secret_registry: SecretRegistry {
                secret_sources: config.secrets,
                ..SecretRegistry::default()
            },
            tags: config.tags,
            agent_state: JsonObject::default(),
            hook_config: config.hook_config.map(Box::new),
            extra: Extra::default(),
        };
        let conversation = Self::assemble(host, log, lease, state, config.unsaved);
        conversation.inner.writer().await.save().await?;
        conversation.inner.start_servers().await;
        Ok(conversation)
    }

    /// Takes up a conversation that is kept in the host's directory. What was under way when its process ended is
    /// answered; what waits for the user waits on.
    pub async fn open(host: &Arc<Host>, id: ConversationId) -> Result<Self, ConversationError> {
        Self::open_with(host, id, Unsaved::default()).await
    }

    /// The same, with what the disk does not keep: limits, thresholds, tools of the client, sub-agents.
    pub async fn open_with(
        host: &Arc<Host>,
        id: ConversationId,
        unsaved: Unsaved,
    ) -> Result<Self, ConversationError> {
        let (log, lease) = open_log(host, id).await?;
        let text = log
            .load_state()
            .await?
            .ok_or_else(|| ConversationError::UnreadableState("there is none".to_owned()))?;
        let reading = match &host.cipher {
            Some(cipher) => Reading::lenient().opening(cipher.opener()),
            None => Reading::lenient(),
        };
        let mut state: ConversationState = reading
            .from_slice(&text)
            .map_err(|error| ConversationError::UnreadableState(error.to_string()))?;
        // The log knows better: the state may be from before the last events.
        let head = log.head();
        state.leaf_event_id = head.leaf().cloned();
        state.head_is_empty = head.is_empty();
        let conversation = Self::assemble(host, log, lease, state, unsaved);
        conversation.mend_state().await?;
        conversation.recover().await?;
        conversation.recover_goal().await?;
        Ok(conversation)
    }

    pub(crate) fn assemble(
        host: &Arc<Host>,
        log: EventLog,
        lease: Option<Arc<Lease>>,
        state: ConversationState,
        unsaved: Unsaved,
    ) -> Self {
        let disk_form = match &host.cipher {
            Some(cipher) => Form::disk(cipher.sealer()),
            None => Form::DISK_UNSEALED,
        };
        let secrets = Secrets::new(state.secret_registry.clone(), host.lookup.clone());
        Self {
            inner: Arc::new_cyclic(|me| Inner {
                me: me.clone(),
                id: state.id,
                host: Arc::clone(host),
                log,
                state: Versioned::new(state),
                secrets,
                writer: tokio::sync::Mutex::new(WriterState::default()),
                equipment: tokio::sync::Mutex::new(None),
                early_servers: Mutex::new(None),
                live: Mutex::new(None),
                run: Mutex::new(None),
                goal: Mutex::new(None),
                added_secrets: Mutex::default(),
                last_run: watch::Sender::new(None),
                tasks: TaskTracker::new(),
                disk_form,
                lease,
                extras: unsaved,
                stop: CancellationToken::new(),
                subagents: Kept::default(),
            }),
        }
    }
}

/// The log of a conversation, with its lease if leases are taken.
pub(crate) async fn open_log(
    host: &Arc<Host>,
    id: ConversationId,
) -> Result<(EventLog, Option<Arc<Lease>>), ConversationError> {
    let Some(directory) = host.directory_of(id) else {
        return Ok((EventLog::open(MemoryStore::default()).await?, None));
    };
    let mut store = FileStore::new(&directory, host.durability.clone());
    let mut kept = None;
    if let Some(owner) = host.owner.clone() {
        let lease = tokio::task::spawn_blocking(move || Lease::claim(directory, owner))
            .await
            .map_err(|_| ConversationError::Gone)??;
        let lease = Arc::new(lease);
        host.keeper.keep(&lease);
        store = store.with_lease(Arc::clone(&lease));
        kept = Some(lease);
    }
    Ok((EventLog::open(store).await?, kept))
}
