//! What an agent works with: its model, its tools, where they run. Made when it is first needed, given up at rest.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openhands_llm::ChatModel;
use openhands_protocol::agent::{Agent, AgentSpec};
use openhands_protocol::llm::Llm;
use openhands_protocol::tool::{Action, Observation, Tool, ToolSpec};
use openhands_runtime::Runtime;
use openhands_tools::{
    Additions, CallContext, Definitions, Machine, Place, ResourceLocks, ToolError, ToolExecutor,
    parameters,
};

use crate::agent::repair::GrepProgram;
use crate::builtin;
use crate::conversation::{ConversationError, Inner, RuntimeRequest};
use crate::security::{self, Analyzer};

/// What an agent works with. Cloning it shares everything.
#[derive(Clone)]
pub(crate) struct Equipment {
    pub(crate) llm: Llm,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) definitions: Definitions,
    /// The tools as the model is told about them.
    pub(crate) specs: Arc<[ToolSpec]>,
    /// Tools that run here, whatever the runtime.
    pub(crate) own: Arc<HashMap<String, Arc<dyn ToolExecutor>>>,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) locks: Arc<ResourceLocks>,
    pub(crate) analyzer: Option<Arc<dyn Analyzer>>,
    pub(crate) grep: GrepProgram,
    /// How many calls of one answer may run side by side.
    pub(crate) concurrency: i64,
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
        let (mut own, hands) = split(&agent, builtin::names());
        let mut definitions = self.host.registry.definitions(&hands, &place)?;
        let runtime = (self.host.runtimes)(RuntimeRequest {
            conversation: self.id,
            root: self.extras.root.unwrap_or(self.id),
            tools: hands,
            place: place.clone(),
        })
        .await?;
        let model = (self.host.models)(&agent.llm)?;
        let seat = Arc::new(builtin::Seat::new(self, &agent, &own, runtime.workspace()).await);
        own.extend(seat.lends_eyes(model.features().vision, &own));
        let builtins = builtin::registry(&seat);
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
        let analyzer = self.state.read().security_analyzer.clone();
        Ok(Equipment {
            model,
            specs: told(&definitions),
            sees_by_tool: definitions.get(builtin::VISION_TOOL).is_some(),
            definitions,
            own: Arc::new(executors),
            runtime,
            locks: Arc::default(),
            analyzer: analyzer.as_ref().map(security::analyzer).transpose()?,
            grep: grep_program(&self.host.env),
            concurrency: agent.tool_concurrency_limit,
            llm: agent.llm,
        })
    }
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
