//! An agent's tools: how calls are read, who executes them, what the model and the log are told about them.

use std::collections::HashMap;
use std::sync::Arc;

use openhands_protocol::tool::{ToolDefinition as Listing, ToolSpec};
use openhands_tools::pool::Pool;
use openhands_tools::{
    Additions, CreateError, Definitions, ToolDefinition, ToolExecutor, parameters,
};

/// An agent's tools. Cloning it shares them.
#[derive(Clone, Default)]
pub(crate) struct Toolbox {
    pub(crate) definitions: Definitions,
    /// Who executes the tools that run here; all others run where the runtime is.
    own: HashMap<String, Arc<dyn ToolExecutor>>,
    /// As the model is told about them.
    specs: Option<Arc<[ToolSpec]>>,
    /// As the log lists them.
    listed: Option<Arc<[Listing]>>,
}

impl Toolbox {
    /// Adds a tool that runs where the runtime is.
    pub(crate) fn add_hand(&mut self, tool: Arc<dyn ToolDefinition>) -> Result<(), CreateError> {
        self.specs = None;
        self.listed = None;
        self.definitions.add(tool)
    }

    /// Adds a tool that runs here.
    pub(crate) fn add_own(
        &mut self,
        tool: Arc<dyn ToolDefinition>,
        executor: Arc<dyn ToolExecutor>,
    ) -> Result<(), CreateError> {
        let name = tool.spec().name.clone();
        self.add_hand(tool)?;
        self.own.insert(name, executor);
        Ok(())
    }

    /// Makes what is told about the tools, once.
    pub(crate) fn finish(mut self) -> Self {
        static SPECS: Pool<[ToolSpec]> = Pool::empty();
        static LISTED: Pool<[Listing]> = Pool::empty();
        let listed = self.definitions.iter().map(|tool| tool.listing());
        self.specs = Some(SPECS.share(told(&self.definitions)));
        self.listed = Some(LISTED.share(listed.collect()));
        self
    }

    /// Who executes a tool that runs here.
    pub(crate) fn own(&self, name: &str) -> Option<&Arc<dyn ToolExecutor>> {
        self.own.get(name)
    }

    /// Everybody who executes tools here.
    pub(crate) fn executors(&self) -> impl Iterator<Item = &Arc<dyn ToolExecutor>> {
        self.own.values()
    }

    /// The tools as the model is told about them.
    pub(crate) fn specs(&self) -> Arc<[ToolSpec]> {
        self.specs.clone().unwrap_or_default()
    }

    /// The tools as the log lists them.
    pub(crate) fn listed(&self) -> Vec<Listing> {
        self.listed.as_deref().unwrap_or_default().to_vec()
    }
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
