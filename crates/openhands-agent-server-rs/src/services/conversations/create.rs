//! Starting conversations.

use std::path::Path;
use std::sync::Arc;

use openhands_protocol::ConversationId;
use openhands_protocol::agent::Agent;
use openhands_protocol::conversation::{
    ConversationInfo, StartConversationRequest, StoredConversation,
};
use openhands_protocol::message::Message;
use openhands_protocol::{Extra, UtcTime};
use openhands_sdk_rs::conversation::Unsaved;
use openhands_sdk_rs::runtime::{LocalWorkspace, Runtime as _};
use openhands_sdk_rs::tools::absolute;
use openhands_sdk_rs::{Conversation, ConversationConfig};
use tokio::sync::OwnedSemaphorePermit;

use crate::services::conversations::worktree::{self, Plan};
use crate::services::conversations::{Conversations, Entry, RefusedRequest, meta};
use crate::services::launch::{Launch, append_suffix};
use crate::services::sandboxes::OwnData;

/// The Python modules of the tools: the Python client imports them to read the events of a conversation.
const TOOL_MODULES: &[(&str, &str)] = &[
    (
        "ClassifyAndSwitchLLMTool",
        "openhands.sdk.tool.builtins.classify_and_switch_llm",
    ),
    ("ask_oracle", "openhands.tools.ask_oracle.definition"),
    ("browser_tool_set", "openhands.tools.browser_use.definition"),
    ("edit", "openhands.tools.gemini.edit.definition"),
    ("file_editor", "openhands.tools.file_editor.definition"),
    ("glob", "openhands.tools.glob.definition"),
    ("grep", "openhands.tools.grep.definition"),
    (
        "list_directory",
        "openhands.tools.gemini.list_directory.definition",
    ),
    (
        "planning_file_editor",
        "openhands.tools.planning_file_editor.definition",
    ),
    ("read_file", "openhands.tools.gemini.read_file.definition"),
    (
        "start_child_conversation",
        "openhands.tools.start_child_conversation.definition",
    ),
    ("task", "openhands.tools.task.definition"),
    ("task_tool_set", "openhands.tools.task.definition"),
    ("task_tracker", "openhands.tools.task_tracker.definition"),
    ("terminal", "openhands.tools.terminal.definition"),
    ("workflow", "openhands.tools.workflow.definition"),
    ("workflow_tool_set", "openhands.tools.workflow.definition"),
    ("write_file", "openhands.tools.gemini.write_file.definition"),
];

/// A conversation that was asked for.
#[derive(Debug)]
pub(crate) struct Started {
    /// What the API shows of it.
    pub(crate) info: ConversationInfo,
    /// Whether it is new; otherwise there was one of that id already.
    pub(crate) is_new: bool,
}

impl Conversations {
    /// Starts a conversation. If there is one of that id already, nothing of the request is applied.
    pub(crate) async fn create(
        &self,
        mut request: StartConversationRequest,
        launch: Launch,
    ) -> Result<Started, RefusedRequest> {
        // Of several requests with the same id, one starts the conversation and the others find it.
        let _chosen = match request.conversation_id {
            Some(_) => Some(self.chosen_ids.lock().await),
            None => None,
        };
        let id = request
            .conversation_id
            .unwrap_or_else(ConversationId::random);
        if let Some(entry) = self.entry(id) {
            return Ok(Started {
                info: self.info(&entry).await?,
                is_new: false,
            });
        }
        let permit = self.take_permit()?;
        self.check_parent(id, &request)?;
        let mut agent = launch.agent;
        request.secrets = launch.secrets;
        self.check_modules(&agent, &request)?;
        let message = request.initial_message.take();
        let message = message.map(|first| Message {
            content: first.content,
            ..Message::text(first.role, "")
        });
        let mut stored = stored(id, request, &agent);
        stored.launched_agent_profile = launch.launched_profile;
        let _unfinished = self.unfinished(id);
        let started = async {
            if let Some(plan) = self.furnish(&mut stored).await? {
                append_suffix(&mut agent, &plan.guidance());
            }
            Box::pin(self.launch(stored, agent, message, permit)).await
        };
        let started = Box::pin(started).await;
        if started.is_err() && self.entry(id).is_none() {
            self.sandboxes.remove(id).await;
        }
        started
    }

    /// Makes the place where a new conversation works: its directory, or a worktree if it wants one, where its tools will run.
    async fn furnish(
        &self,
        stored: &mut StoredConversation,
    ) -> Result<Option<Plan>, RefusedRequest> {
        let source = absolute(Path::new(&stored.workspace.working_dir));
        if self.is_sandboxed(stored) {
            OwnData::of(&self.config)
                .check(&source)
                .map_err(RefusedRequest::Invalid)?;
        }
        let plan = if stored.worktree {
            self.plan(stored, &source).await
        } else {
            None
        };
        match &plan {
            Some(plan) => self.make_worktree(stored, plan).await?,
            None if self.is_sandboxed(stored) => {
                tokio::fs::create_dir_all(&source)
                    .await
                    .map_err(RefusedRequest::Files)?;
                self.finder.slot_of_new(stored, None).begin();
            }
            None => worktree::prepare(&self.host, &source).await?,
        }
        Ok(plan)
    }

    /// Makes a worktree where the tools of a new conversation will run, and has the conversation work in it.
    pub(super) async fn make_worktree(
        &self,
        stored: &mut StoredConversation,
        plan: &Plan,
    ) -> Result<(), RefusedRequest> {
        stored.workspace.working_dir = plan.workspace.to_string_lossy().into_owned();
        if !self.is_sandboxed(stored) {
            let here = LocalWorkspace::new(plan.directories().1, &self.host.env);
            return plan.make(&here).await;
        }
        let (tree, _) = plan.directories();
        tokio::fs::create_dir_all(tree)
            .await
            .map_err(RefusedRequest::Files)?;
        let slot = self.finder.slot_of_new(stored, Some(plan.directories()));
        slot.ready().await.map_err(RefusedRequest::Sandbox)?;
        plan.make(slot.runtime().workspace()).await
    }

    /// A permit to run; also needed to start a conversation.
    pub(super) fn take_permit(&self) -> Result<OwnedSemaphorePermit, RefusedRequest> {
        Arc::clone(&self.permits)
            .try_acquire_owned()
            .map_err(|_| RefusedRequest::Full)
    }

    /// Where a worktree of a workspace goes; none if the workspace is in no repository.
    pub(super) async fn plan(&self, stored: &StoredConversation, workspace: &Path) -> Option<Plan> {
        let root = &self.config.conversation_worktree_root;
        let (id, options) = (stored.id.into(), stored.worktree_options.clone());
        if self.is_sandboxed(stored) {
            Plan::in_sandbox(root, workspace, id, options)
        } else {
            Plan::new(&self.host, root, workspace, id, options).await
        }
    }

    /// Makes a conversation that is fully described, saves it, and lets it run if it has something to do.
    pub(super) async fn launch(
        &self,
        stored: StoredConversation,
        agent: Agent,
        message: Option<Message>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Started, RefusedRequest> {
        let config = config(&stored, agent);
        let conversation = Conversation::create(&self.host, config).await?;
        meta::save(&self.host, &stored).await?;
        let id: ConversationId = stored.id.into();
        let entry = {
            let mut catalog = self.catalog.write();
            let entry = catalog.entry(id);
            Arc::clone(entry.or_insert_with(|| Entry::made(stored, conversation)))
        };
        let held = self.load(&entry).await?;
        self.tell_state(&held);
        let info = match message {
            None => self.info(&entry).await?,
            Some(message) => {
                held.conversation().send_message(message).await?;
                // compat: the answer shows it before it runs, though it does.
                let info = self.info(&entry).await?;
                self.run_first(&held, permit).await?;
                info
            }
        };
        self.tell_webhooks(&entry).await;
        Ok(Started { info, is_new: true })
    }

    fn check_parent(
        &self,
        id: ConversationId,
        request: &StartConversationRequest,
    ) -> Result<(), RefusedRequest> {
        let Some(parent) = request.parent_conversation_id else {
            return Ok(());
        };
        if parent == id {
            return Err(RefusedRequest::Invalid(
                "A conversation cannot be its own parent".to_owned(),
            ));
        }
        let Some(entry) = self.entry(parent) else {
            return Err(RefusedRequest::Invalid(format!(
                "Parent conversation {parent} not found"
            )));
        };
        let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let own = absolute(Path::new(&request.workspace.working_dir));
        if resolved(&entry.working_dir()) == resolved(&own) {
            Ok(())
        } else {
            Err(RefusedRequest::Invalid(format!(
                "Parent conversation {parent} belongs to a different workspace"
            )))
        }
    }

    /// Refuses an agent with a tool that exists only as a Python module of the client.
    fn check_modules(
        &self,
        agent: &Agent,
        request: &StartConversationRequest,
    ) -> Result<(), RefusedRequest> {
        let missing: Vec<String> = agent
            .tools
            .iter()
            .filter(|tool| !self.host.registry.knows(&tool.name))
            .filter(|tool| !TOOL_MODULES.iter().any(|(name, _)| *name == tool.name))
            .filter(|tool| !request.client_tools.iter().any(|own| own.name == tool.name))
            .filter_map(|tool| {
                let module = request.tool_module_qualnames.get(&tool.name)?;
                Some(format!(
                    "'{}' ({module}: Python modules cannot be loaded)",
                    tool.name
                ))
            })
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(RefusedRequest::Invalid(format!(
            "The agent uses tools whose modules the agent server cannot import: {}",
            missing.join(", ")
        )))
    }
}

/// What a new conversation is to be.
fn config(stored: &StoredConversation, agent: Agent) -> ConversationConfig {
    ConversationConfig {
        id: stored.id.into(),
        max_iterations: stored.max_iterations,
        stuck_detection: stored.stuck_detection,
        confirmation_policy: stored.confirmation_policy.clone(),
        security_analyzer: stored.security_analyzer.as_deref().cloned(),
        secrets: stored.secrets.clone(),
        hook_config: stored.hook_config.as_deref().cloned(),
        tags: stored.tags.clone(),
        unsaved: Unsaved {
            client_tools: stored.client_tools.clone(),
            agent_definitions: stored.agent_definitions.clone(),
            ..Unsaved::default()
        },
        ..ConversationConfig::new(agent, &stored.workspace.working_dir)
    }
}

/// What is kept of a request.
fn stored(
    id: ConversationId,
    request: StartConversationRequest,
    agent: &Agent,
) -> StoredConversation {
    let mut modules = request.tool_module_qualnames;
    for tool in &agent.tools {
        let known = TOOL_MODULES.iter().find(|(name, _)| *name == tool.name);
        if let Some((name, module)) = known {
            let module = (*module).to_owned();
            modules.entry((*name).to_owned()).or_insert(module);
        }
    }
    let now = UtcTime::now();
    StoredConversation {
        workspace: request.workspace,
        worktree: request.worktree,
        worktree_options: request.worktree_options,
        conversation_id: request.conversation_id,
        parent_conversation_id: request.parent_conversation_id,
        confirmation_policy: request.confirmation_policy,
        security_analyzer: request.security_analyzer,
        initial_message: request.initial_message,
        max_iterations: request.max_iterations,
        stuck_detection: request.stuck_detection,
        secrets: request.secrets,
        secrets_encrypted: request.secrets_encrypted,
        tool_module_qualnames: modules,
        client_tools: request.client_tools,
        agent_launch_additions: None,
        agent_definitions: request.agent_definitions,
        plugins: request.plugins,
        hook_config: request.hook_config,
        tags: request.tags,
        user_id: request.user_id,
        observability_metadata: request.observability_metadata,
        observability_tags: request.observability_tags,
        observability_span_name: request.observability_span_name,
        observability_parent_span_context: request.observability_parent_span_context,
        autotitle: request.autotitle,
        title_llm_profile: request.title_llm_profile,
        prompt: request.prompt,
        conversation_runtime: request.conversation_runtime,
        container: request.container,
        required_runtime_credential_bindings: Vec::new(),
        id: id.into(),
        title: None,
        metrics: None,
        created_at: now.clone(),
        updated_at: now,
        forked_from_conversation_id: None,
        forked_from_event_id: None,
        launched_agent_profile: None,
        extra: Extra::default(),
    }
}
