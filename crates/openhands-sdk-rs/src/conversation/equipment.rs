//! What an agent works with: its model, its tools, where they run. Made when it is first needed, given up at rest.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openhands_llm::{ChatModel, ChatRequest, estimate_tokens};
use openhands_protocol::agent::{Agent, AgentSpec, Condenser, Critic};
use openhands_protocol::llm::Llm;
use openhands_protocol::skills::Skill;
use openhands_protocol::tool::{
    Action, Observation, Tool, ToolDefinition as ToolListing, ToolSpec,
};
use openhands_runtime::Runtime;
use openhands_tools::{
    Additions, CallContext, Definitions, Machine, Place, ResourceLocks, ToolError, ToolExecutor,
    parameters,
};

use crate::agent::repair::GrepProgram;
use crate::agent::{Mind, SkillInvoker};
use crate::builtin;
use crate::condenser::{self, RequestSize};
use crate::conversation::{ConversationError, Inner, RuntimeRequest};
use crate::hooks::{self, HookSetup, Hooks};
use crate::security::{self, Analyzer};
use crate::skills::invoke::{self, InvokeSkillTool};
use tokio_util::sync::CancellationToken;

/// What an agent works with. Cloning it shares everything.
#[derive(Clone)]
pub(crate) struct Equipment {
    pub(crate) llm: Llm,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) definitions: Definitions,
    /// The tools as the model is told about them.
    pub(crate) specs: Arc<[ToolSpec]>,
    /// The tools as the log lists them.
    pub(crate) listed: Arc<[ToolListing]>,
    /// Tools that run here, whatever the runtime.
    pub(crate) own: Arc<HashMap<String, Arc<dyn ToolExecutor>>>,
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
    pub(crate) critic: Option<Critic>,
    /// Whether a tool can look at images for a model that cannot.
    pub(crate) sees_by_tool: bool,
}

impl Inner {
    /// What the agent works with, made now if it is not there.
    pub(crate) async fn equipment(&self) -> Result<Arc<Equipment>, ConversationError> {
        let mut slot = self.equipment.lock().await;
        if let Some(equipment) = &*slot {
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
        let working_dir = match &self.state.read().workspace {
            Workspace::Local(local) => PathBuf::from(&local.working_dir),
            Workspace::Remote(remote) => PathBuf::from(&remote.working_dir),
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
        let builtins = builtin::registry();
        let (own, hands) = split(&agent, &builtins);
        let mut definitions = self.host.registry.definitions(&hands, &place)?;
        for definition in builtins.definitions(&own, &place)?.iter() {
            definitions.add(Arc::clone(definition))?;
        }
        let machine = Machine {
            place: place.clone(),
            ..Machine::default()
        };
        let mut executors: HashMap<_, _> = builtins.executors(&own, &machine)?.into_executors();
        for tool in &self.extras.client_tools {
            let tool = Arc::new(builtin::ClientTool::new(tool));
            executors.insert(
                tool.name().to_owned(),
                Arc::clone(&tool) as Arc<dyn ToolExecutor>,
            );
            definitions.add(tool)?;
        }
        let runtime = (self.host.runtimes)(RuntimeRequest {
            conversation: self.id,
            tools: hands,
            place: place.clone(),
        })
        .await?;
        let skills = self.load_skills(&agent, &runtime).await;
        if invoke::is_needed(&skills) {
            let invoker = SkillInvoker {
                conversation: self.me.clone(),
                skills: Arc::clone(&skills),
                runtime: Arc::clone(&runtime),
            };
            executors.insert(invoke::NAME.to_owned(), Arc::new(invoker));
            definitions.add(Arc::new(InvokeSkillTool::new()))?;
        }
        if let Some(condenser) = &agent.condenser {
            condenser::validate(condenser)
                .map_err(|error| ConversationError::Condense(error.to_string()))?;
        }
        let analyzer = self.state.read().security_analyzer.clone();
        let model = (self.host.models)(&agent.llm)?;
        let specs = told(&definitions);
        Ok(Equipment {
            request_size: request_size(&agent.llm, &model, &specs),
            model,
            specs,
            listed: definitions
                .iter()
                .map(|tool| tool.spec().definition())
                .collect(),
            definitions,
            hooks: self.load_hooks(&runtime).await?,
            skills,
            user_message_suffix: agent
                .agent_context
                .and_then(|context| context.user_message_suffix),
            roots: roots(&place.working_dir),
            condenser: agent.condenser,
            critic: agent.critic,
            own: Arc::new(executors),
            runtime,
            locks: Arc::default(),
            analyzer: analyzer.as_ref().map(security::analyzer).transpose()?,
            grep: grep_program(&self.host.env),
            concurrency: agent.tool_concurrency_limit,
            sees_by_tool: false,
            llm: agent.llm,
        })
    }
}

impl Inner {
    /// The skills that the agent's context asks for.
    async fn load_skills(&self, agent: &Agent, runtime: &Arc<dyn Runtime>) -> Arc<[Skill]> {
        let Some(context) = &agent.agent_context else {
            return Arc::default();
        };
        let cancel = CancellationToken::new();
        let workspace = runtime.workspace();
        let loaded = self.host.skills.resolve(context, workspace, &cancel).await;
        for warning in &loaded.warnings {
            tracing::warn!(source = %warning.source, problem = %warning.problem, "a skill was skipped");
        }
        loaded.skills.into()
    }

    /// The hooks that the conversation was given, or those of the workspace and the user.
    async fn load_hooks(&self, runtime: &Arc<dyn Runtime>) -> Result<Hooks, ConversationError> {
        let given = self.state.read().hook_config.clone();
        let config = match given {
            Some(config) => Some(config),
            None => {
                let user = self.host.user_directory.as_deref();
                hooks::config::load(runtime.workspace(), user)
                    .await
                    .map_err(|error| ConversationError::Hooks(error.to_string()))?
            }
        };
        Ok(config.map_or_else(Hooks::none, |config| {
            Hooks::new(HookSetup {
                config,
                runtime: Arc::clone(runtime),
                conversation: self.id,
                secrets: self.secrets.clone(),
                mind: Some(Arc::new(Mind(self.me.clone()))),
            })
        }))
    }
}

/// What is known of the size of the agent's requests.
fn request_size(llm: &Llm, model: &Arc<dyn ChatModel>, specs: &Arc<[ToolSpec]>) -> RequestSize {
    let tools_only = ChatRequest {
        tools: Arc::clone(specs),
        ..ChatRequest::default()
    };
    let own = llm.max_input_tokens.and_then(|limit| limit.try_into().ok());
    RequestSize {
        max_input_tokens: own.or(model.features().context_window),
        tool_tokens: estimate_tokens(&tools_only),
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
    /// Executes a call, here or where the runtime is.
    pub(crate) async fn execute(
        &self,
        tool: &str,
        action: Action,
        cx: CallContext,
    ) -> Result<Observation, ToolError> {
        match self.own.get(tool) {
            Some(executor) => executor.execute(action, cx).await,
            None => self.runtime.execute(tool, action, cx).await,
        }
    }

    /// Gives up shells and servers.
    pub(crate) async fn close(&self) {
        self.runtime.close().await;
        for executor in self.own.values() {
            executor.close().await;
        }
    }
}

/// The tools that an agent wants: those that live with the mind, and those that are hands.
fn split(agent: &Agent, builtins: &openhands_tools::Registry) -> (Vec<Tool>, Vec<Tool>) {
    let defaults = agent.include_default_tools.iter().map(Tool::new);
    let mut own: Vec<Tool> = Vec::new();
    let mut hands = Vec::new();
    for tool in agent.tools.iter().cloned() {
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

/// The tools as the model is told about them, with the fields that every call has.
fn told(definitions: &Definitions) -> Arc<[ToolSpec]> {
    let additions = Additions {
        security_risk: true,
        summary: true,
    };
    definitions
        .iter()
        .map(|tool| {
            let mut spec = tool.spec().clone();
            spec.input_schema = parameters(&spec, additions);
            spec
        })
        .collect()
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
            .field("tools", &self.definitions)
            .finish_non_exhaustive()
    }
}
