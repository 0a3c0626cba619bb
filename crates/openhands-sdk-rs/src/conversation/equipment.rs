//! What an agent works with: its model, its tools, where they run. Made when it is first needed, given up at rest.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openhands_llm::{ChatModel, ChatRequest, ModelFeatures, estimate_tokens};
use openhands_protocol::agent::{Agent, AgentSpec, Condenser, Critic};
use openhands_protocol::conversation::ClientToolSpec;
use openhands_protocol::llm::Llm;
use openhands_protocol::skills::Skill;
use openhands_protocol::tool::{Action, Observation, Tool};
use openhands_runtime::Runtime;
use openhands_tools::{CallContext, Machine, Place, ResourceLocks, ToolError, absolute};

use crate::agent::SkillInvoker;
use crate::agent::repair::GrepProgram;
use crate::builtin;
use crate::condenser::{self, RequestSize};
use crate::conversation::servers::WantedServers;
use crate::conversation::toolbox::Toolbox;
use crate::conversation::{ConversationError, Inner, RuntimeRequest};
use crate::hooks::{HookSetup, Hooks};
use crate::mcp::{Filter, McpServers};
use crate::security::{self, Analyzer};
use crate::skills::Loaded;
use crate::skills::invoke::{self, InvokeSkillTool};
use tokio_util::sync::CancellationToken;

/// What an agent works with. Cloning it shares everything.
#[derive(Clone)]
pub(crate) struct Equipment {
    pub(crate) llm: Llm,
    /// How many tokens fit into a request to it, if that is known.
    pub(crate) context_window: Option<u64>,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) tools: Toolbox,
    /// The tools without those of MCP servers.
    pub(crate) fixed_tools: Toolbox,
    pub(crate) servers: Option<Arc<McpServers>>,
    /// Which state of the servers' tools was taken.
    pub(crate) servers_version: u64,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) locks: Arc<ResourceLocks>,
    pub(crate) analyzer: Option<Arc<dyn Analyzer>>,
    pub(crate) grep: GrepProgram,
    /// How many calls of one answer may run side by side.
    pub(crate) concurrency: i64,
    pub(crate) hooks: Hooks,
    pub(crate) skills: Arc<[Skill]>,
    /// Added to every message of the user.
    pub(crate) user_message_suffix: Option<String>,
    /// The names of the working directory: as it was given and, if it is a link, where that leads.
    pub(crate) roots: Arc<[PathBuf]>,
    pub(crate) condenser: Option<Condenser>,
    pub(crate) request_size: RequestSize,
    pub(crate) critic: Option<Box<Critic>>,
    /// Whether a tool can look at images for a model that cannot.
    pub(crate) sees_by_tool: bool,
}

impl Inner {
    /// What the agent works with, made now if it is not there.
    pub(crate) async fn equipment(&self) -> Result<Arc<Equipment>, ConversationError> {
        let mut slot = self.equipment.lock().await;
        if let Some(equipment) = &mut *slot {
            if equipment.has_stale_tools() {
                let equipment = Arc::make_mut(equipment);
                equipment.take_server_tools();
                equipment.measure();
            }
            return Ok(Arc::clone(equipment));
        }
        let equipment = Arc::new(self.equip().await?);
        *slot = Some(Arc::clone(&equipment));
        Ok(equipment)
    }

    /// The agent as the state has it.
    pub(crate) fn agent(&self) -> Result<Agent, ConversationError> {
        match &self.state.read().agent {
            AgentSpec::Agent(agent) => Ok(agent.clone()),
            other @ (AgentSpec::Acp(_) | AgentSpec::Unknown(_)) => {
                Err(ConversationError::UnknownAgent(other.kind().to_owned()))
            }
        }
    }

    /// Where the conversation works and keeps its files.
    pub(crate) fn place(&self) -> Place {
        use openhands_protocol::workspace::Workspace;
        // From the root: commands may start elsewhere.
        let working_dir = match &self.state.read().workspace {
            Workspace::Local(local) => absolute(Path::new(&local.working_dir)),
            Workspace::Remote(remote) => absolute(Path::new(&remote.working_dir)),
            Workspace::Unknown(_) => PathBuf::new(),
        };
        Place {
            working_dir,
            persistence_dir: self.directory(),
        }
    }

    async fn equip(&self) -> Result<Equipment, ConversationError> {
        let agent = self.agent()?;
        let place = self.place();
        let client_tools = client_tools(&agent, &self.extras.client_tools);
        let (mut own, hands) = split(&agent, builtin::names(), &client_tools);
        let runtime = (self.host.runtimes)(RuntimeRequest {
            conversation: self.id,
            root: self.extras.root.unwrap_or(self.id),
            tools: hands.clone(),
            place: place.clone(),
        })
        .await?;
        let model = self.model(&agent.llm)?;
        let seat = Arc::new(builtin::Seat::new(self, &agent, &own, runtime.workspace()).await);
        own.extend(seat.lends_eyes(model.features().vision, &own));
        let mut tools = self.hand_tools(&agent, &place, &hands)?;
        add_builtins(&mut tools, &builtin::registry(&seat), &own, &place)?;
        for tool in &client_tools {
            let tool = Arc::new(builtin::ClientTool::new(tool));
            tools.add_own(Arc::clone(&tool) as _, tool)?;
        }
        let loaded = self.load_skills(&agent, &runtime).await;
        let wanted = WantedServers::of(&agent, &loaded, runtime.is_apart());
        let skills: Arc<[Skill]> = loaded.skills.into();
        if invoke::is_needed(&skills) {
            let invoker = SkillInvoker {
                conversation: self.me.clone(),
                skills: Arc::clone(&skills),
                runtime: Arc::clone(&runtime),
            };
            tools.add_own(Arc::new(InvokeSkillTool::new()), Arc::new(invoker))?;
        }
        if let Some(condenser) = &agent.condenser {
            condenser::validate(condenser)
                .map_err(|error| ConversationError::Condense(error.to_string()))?;
        }
        let analyzer = self.state.read().security_analyzer.clone();
        let mut equipment = Equipment {
            request_size: RequestSize::default(),
            context_window: ModelFeatures::of(&agent.llm).context_window,
            model,
            sees_by_tool: tools.definitions.get(builtin::VISION_TOOL).is_some(),
            tools: tools.clone().finish(),
            fixed_tools: tools,
            servers: self.servers(&agent, &wanted, &runtime).await?,
            servers_version: 0,
            hooks: self.hooks(&runtime),
            skills,
            user_message_suffix: agent
                .agent_context
                .and_then(|context| context.user_message_suffix),
            roots: roots(&place.working_dir),
            condenser: agent.condenser,
            critic: agent.critic,
            runtime,
            locks: Arc::default(),
            analyzer: analyzer.as_deref().map(security::analyzer).transpose()?,
            grep: grep_program(&self.host.env),
            concurrency: agent.tool_concurrency_limit,
            llm: agent.llm,
        };
        equipment.take_server_tools();
        equipment.measure();
        Ok(equipment)
    }

    /// The tools that run where the runtime is.
    fn hand_tools(
        &self,
        agent: &Agent,
        place: &Place,
        hands: &[Tool],
    ) -> Result<Toolbox, ConversationError> {
        let filter = Filter::new(agent.filter_tools_regex.as_deref())
            .map_err(|error| ConversationError::Mcp(error.to_string()))?;
        let mut tools = Toolbox::default();
        for tool in self.host.registry.definitions(hands, place)?.iter() {
            if filter.wants(&tool.spec().name) {
                tools.add_hand(Arc::clone(tool))?;
            }
        }
        Ok(tools)
    }
}

impl Inner {
    /// The skills that the agent's context asks for.
    async fn load_skills(&self, agent: &Agent, runtime: &Arc<dyn Runtime>) -> Loaded {
        let Some(context) = &agent.agent_context else {
            return Loaded::default();
        };
        let cancel = CancellationToken::new();
        let workspace = runtime.workspace();
        let loaded = self.host.skills.resolve(context, workspace, &cancel).await;
        for warning in &loaded.warnings {
            tracing::warn!(source = %warning.source, problem = %warning.problem, "a skill was skipped");
        }
        loaded
    }

    /// The hooks that the conversation was given. Those of a workspace are not taken by themselves: a repository must
    /// not run commands just because an agent works in it.
    fn hooks(&self, runtime: &Arc<dyn Runtime>) -> Hooks {
        let config = self.state.read().hook_config.clone();
        config.map_or_else(Hooks::none, |config| {
            Hooks::new(HookSetup {
                config: *config,
                runtime: Arc::clone(runtime),
                conversation: self.id,
                secrets: self.secrets.clone(),
                mind: Some(self.hook_mind()),
            })
        })
    }
}

/// The names of a directory: as it is given, and where it leads.
fn roots(directory: &Path) -> Arc<[PathBuf]> {
    let mut roots = vec![directory.to_owned()];
    roots.extend(
        directory
            .canonicalize()
            .ok()
            .filter(|real| real != directory),
    );
    roots.into()
}

impl Equipment {
    /// Notes how large the agent's requests may become.
    pub(crate) fn measure(&mut self) {
        let tools_only = ChatRequest {
            tools: self.tools.specs(),
            ..ChatRequest::default()
        };
        let own = self.llm.max_input_tokens;
        let own = own.and_then(|limit| limit.try_into().ok());
        self.request_size = RequestSize {
            max_input_tokens: own.or(self.model.features().context_window),
            tool_tokens: estimate_tokens(&tools_only),
        };
    }

    /// Executes a call, here or where the runtime is.
    pub(crate) async fn execute(
        &self,
        tool: &str,
        action: Action,
        cx: CallContext,
    ) -> Result<Observation, ToolError> {
        match self.tools.own(tool) {
            Some(executor) => executor.execute(action, cx).await,
            None => self.runtime.execute(tool, action, cx).await,
        }
    }

    /// Gives up shells and servers.
    pub(crate) async fn close(&self) {
        let cancel = CancellationToken::new();
        // What hooks say at the end has no place to go any more.
        self.hooks.session_end(&cancel).await;
        self.runtime.close().await;
        for executor in self.tools.executors() {
            executor.close().await;
        }
        if let Some(servers) = &self.servers {
            servers.close().await;
        }
    }
}

/// Adds the tools that act on the conversation.
fn add_builtins(
    tools: &mut Toolbox,
    builtins: &openhands_tools::Registry,
    own: &[Tool],
    place: &Place,
) -> Result<(), ConversationError> {
    let machine = Machine {
        place: place.clone(),
        ..Machine::default()
    };
    let mut executors = builtins.executors(own, &machine)?.into_executors();
    for tool in builtins.definitions(own, place)?.iter() {
        if let Some(executor) = executors.remove(&tool.spec().name) {
            tools.add_own(Arc::clone(tool), executor)?;
        }
    }
    Ok(())
}

/// The tools that an agent wants: those that live with the mind, and those that are hands.
fn split(
    agent: &Agent,
    builtins: &openhands_tools::Registry,
    client_tools: &[ClientToolSpec],
) -> (Vec<Tool>, Vec<Tool>) {
    let defaults = agent.include_default_tools.iter().map(Tool::new);
    let mut own: Vec<Tool> = Vec::new();
    let mut hands = Vec::new();
    for tool in agent.tools.iter().cloned() {
        if client_tools.iter().any(|known| known.name == tool.name) {
            continue;
        }
        if builtins.knows(&tool.name) {
            own.push(tool);
        } else {
            hands.push(tool);
        }
    }
    // A built-in tool that is also asked for by name may have parameters there.
    for tool in defaults {
        if !own
            .iter()
            .any(|known| builtins.is_same(&known.name, &tool.name))
        {
            own.push(tool);
        }
    }
    (own, hands)
}

/// The tools of the client: those that the conversation was given, and those that only the agent names.
fn client_tools(agent: &Agent, given: &[ClientToolSpec]) -> Vec<ClientToolSpec> {
    let mut tools = given.to_vec();
    for tool in &agent.tools {
        if let Some(spec) = builtin::ClientTool::offered_by(tool)
            && !tools.iter().any(|known| known.name == spec.name)
        {
            tools.push(spec);
        }
    }
    tools
}

/// What searches where commands run.
fn grep_program(env: &[(String, String)]) -> GrepProgram {
    let path = env.iter().find(|(name, _)| name == "PATH");
    let found = path.is_some_and(|(_, path)| {
        std::env::split_paths(path).any(|directory| Path::new(&directory).join("rg").is_file())
    });
    if found {
        GrepProgram::Ripgrep
    } else {
        GrepProgram::Grep
    }
}

impl fmt::Debug for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Equipment")
            .field("model", &self.llm.model)
            .field("tools", &self.tools.definitions)
            .finish_non_exhaustive()
    }
}
