//! The MCP servers of a conversation: started early, waited for when their tools are needed.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::agent::Agent;
use openhands_protocol::mcp::McpServer;
use openhands_protocol::skills::Skill;
use openhands_runtime::Runtime;

use crate::conversation::toolbox::Toolbox;
use crate::conversation::{ConversationError, Equipment, Inner};
use crate::mcp::{McpOptions, McpServers, expand_servers, variables_in_servers};

impl Inner {
    /// Begins to start the servers that the agent names, so that they are there when the user has spoken.
    pub(crate) async fn start_servers(&self) {
        let Ok(agent) = self.agent() else { return };
        // An agent whose servers are all switched off works without them.
        if !agent.mcp_config.values().any(|server| server.enabled) {
            return;
        }
        // Those of a sandbox come with it.
        if agent
            .mcp_config
            .values()
            .any(|server| server.sandbox == Some(true))
        {
            return;
        }
        match self.servers_of(&agent, &agent.mcp_config, None).await {
            Ok(servers) => *self.early_servers.lock() = Some(servers),
            // The first message or run tries again, and says what is wrong.
            Err(error) => tracing::warn!(%error, "MCP servers were not started"),
        }
    }

    /// The servers of the agent and of its skills. One that has the agent's name for a server is the agent's.
    pub(crate) async fn servers(
        &self,
        agent: &Agent,
        skills: &[Skill],
        runtime: &Arc<dyn Runtime>,
    ) -> Result<Option<Arc<McpServers>>, ConversationError> {
        let early = self.early_servers.lock().take();
        let mut wanted = agent.mcp_config.clone();
        for (name, server) in skills
            .iter()
            .filter_map(|skill| skill.mcp_tools.as_ref())
            .flatten()
        {
            wanted.entry(name.clone()).or_insert_with(|| server.clone());
        }
        if !wanted.values().any(|server| server.enabled) {
            return Ok(None);
        }
        let servers = match early {
            Some(early) if wanted.len() == agent.mcp_config.len() => early,
            _ => self.servers_of(agent, &wanted, Some(runtime)).await?,
        };
        servers.ready_in_time().await;
        for (name, error) in servers.errors() {
            tracing::warn!(server = %name, error = %error.message, "an MCP server has no tools to offer");
        }
        Ok(Some(servers))
    }

    async fn servers_of(
        &self,
        agent: &Agent,
        wanted: &IndexMap<String, McpServer>,
        sandbox: Option<&Arc<dyn Runtime>>,
    ) -> Result<Arc<McpServers>, ConversationError> {
        let failed = |error: crate::mcp::ConfigError| ConversationError::Mcp(error.to_string());
        let mut known = HashMap::new();
        for name in variables_in_servers(wanted).map_err(failed)? {
            if let Some(value) = self.secrets.value(&name).await {
                known.extend(value.expose().map(|value| (name, value.to_owned())));
            } else if let Some((_, value)) = self.host.env.iter().find(|(known, _)| *known == name)
            {
                known.insert(name, value.clone());
            }
        }
        let servers = expand_servers(wanted, |name| known.get(name).cloned()).map_err(failed)?;
        let env = self.host.env.iter();
        let options = McpOptions {
            env: env
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            working_dir: Some(self.place().working_dir),
            filter_tools_regex: agent.filter_tools_regex.clone(),
            sandbox: sandbox.cloned(),
            ..McpOptions::default()
        };
        let started = McpServers::start(&servers, &options).map_err(failed)?;
        Ok(Arc::new(started))
    }
}

impl Equipment {
    /// Takes the servers' tools as they are now. A tool whose name is taken is left out.
    pub(crate) fn take_server_tools(&mut self) {
        let Some(servers) = &self.servers else { return };
        self.servers_version = *servers.changes().borrow();
        let mut tools: Toolbox = self.fixed_tools.clone();
        for tool in servers.tools() {
            if let Err(error) = tools.add_own(Arc::clone(&tool) as _, Arc::clone(&tool) as _) {
                tracing::warn!(server = tool.server(), %error, "an MCP tool was left out");
            }
        }
        self.tools = tools.finish();
    }

    /// Whether the servers offer other tools than those that were taken.
    pub(crate) fn has_stale_tools(&self) -> bool {
        let servers = self.servers.as_ref();
        servers.is_some_and(|servers| *servers.changes().borrow() != self.servers_version)
    }
}
