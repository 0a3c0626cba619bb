//! What the built-in tools know of the conversation that they act on.

use std::fmt;
use std::sync::{Arc, Weak};

use openhands_llm::ModelFeatures;
use openhands_protocol::agent::Agent;
use openhands_protocol::tool::Tool;
use openhands_runtime::Workspace;
use openhands_tools::ToolError;
use openhands_tools::browser::tool as browser;

use crate::builtin::{self, vision};
use crate::conversation::{Conversation, Host, Inner};
use crate::subagents::{Catalog, builtin_definitions, project_definitions, user_definitions};

/// Tools that start sub-agents.
const NEED_CATALOG: [&str; 3] = ["task_tool_set", "task", "delegate"];

/// A model that the user saved.
#[derive(Debug, Clone)]
pub(super) struct SavedModel {
    pub(super) name: String,
    pub(super) sees: bool,
}

/// What the built-in tools know of their conversation.
#[derive(Default)]
pub(crate) struct Seat {
    conversation: Weak<Inner>,
    pub(super) catalog: Catalog,
    /// The agent that has the tools.
    pub(super) agent: Option<Agent>,
    /// None if no models can be saved here.
    pub(super) saved: Option<Vec<SavedModel>>,
}

impl Seat {
    /// Looks up what the wanted tools need: sub-agents only if some can be started, saved models always, because a model
    /// that sees may be among them.
    pub(crate) async fn new(
        conversation: &Inner,
        agent: &Agent,
        wanted: &[Tool],
        workspace: &dyn Workspace,
    ) -> Self {
        let starts_subagents = wanted.iter().any(|tool| {
            NEED_CATALOG
                .iter()
                .any(|name| builtin::names().is_same(name, &tool.name))
        });
        Self {
            conversation: conversation.me.clone(),
            catalog: if starts_subagents {
                catalog(conversation, workspace).await
            } else {
                Catalog::default()
            },
            agent: Some(agent.clone()),
            saved: saved(conversation).await,
        }
    }

    /// The conversation, while it lives.
    pub(super) fn conversation(&self) -> Result<Conversation, ToolError> {
        let inner = self.conversation.upgrade();
        inner
            .map(|inner| Conversation { inner })
            .ok_or_else(|| ToolError::Failed("The conversation is gone.".to_owned()))
    }

    /// Names of saved models that can see.
    pub(super) fn seeing(&self) -> Vec<String> {
        let saved = self.saved.iter().flatten();
        saved
            .filter(|model| model.sees)
            .map(|model| model.name.clone())
            .collect()
    }

    /// A tool to look at images, for an agent whose own model cannot see, if a saved one can.
    pub(crate) fn lends_eyes(&self, model_sees: bool, wanted: &[Tool]) -> Option<Tool> {
        let is_there = wanted.iter().any(|tool| {
            let mut names = vision::NAMES.iter();
            names.any(|name| builtin::names().is_same(name, &tool.name))
        });
        let is_of_use = !model_sees && !is_there && !self.seeing().is_empty();
        is_of_use.then(|| Tool::new(vision::NAME))
    }
}

async fn catalog(conversation: &Inner, workspace: &dyn Workspace) -> Catalog {
    let host = &conversation.host;
    let mut definitions = conversation.extras.agent_definitions.clone();
    definitions.extend(project_definitions(workspace).await);
    let home = host.skills.user.as_ref();
    let home = home.and_then(|user| user.home.as_deref());
    definitions.extend(user_definitions(home, host.user_directory.as_deref()).await);
    definitions.extend(builtin_definitions(|tool| is_usable(host, tool)));
    Catalog::new(definitions)
}

/// Whether a tool is known, and can be made on this machine.
fn is_usable(host: &Host, tool: &str) -> bool {
    host.registry.knows(tool) && (tool != browser::NAME || browser::is_usable(host.env.clone()))
}

async fn saved(conversation: &Inner) -> Option<Vec<SavedModel>> {
    let profiles: &Arc<_> = conversation.host.profiles.as_ref()?;
    let mut saved = Vec::new();
    for name in profiles.names().await {
        let sees = match profiles.load(&name).await {
            Ok(llm) => ModelFeatures::of(&llm).vision,
            Err(error) => {
                tracing::warn!(name, %error, "a saved model cannot be read");
                false
            }
        };
        saved.push(SavedModel { name, sees });
    }
    Some(saved)
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seat")
            .field("catalog", &self.catalog)
            .finish_non_exhaustive()
    }
}
