//! The MCP servers of a conversation: started early, waited for when their tools are needed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;
use openhands_protocol::agent::Agent;
use openhands_protocol::mcp::McpServer;
use openhands_runtime::Runtime;

use crate::conversation::toolbox::Toolbox;
use crate::conversation::{ConversationError, Equipment, Inner};
use crate::mcp::{McpOptions, McpServers, expand_servers, variables_in_servers};
use crate::skills::Loaded;

/// The servers of an agent and of its skills.
#[derive(Debug, Default)]
pub(crate) struct WantedServers {
    servers: IndexMap<String, McpServer>,
    /// Those that get nothing of this machine: no process, no variable.
    confined: HashSet<String>,
}

impl WantedServers {
    /// One that has the agent's name for a server is the agent's. Where tools run apart from here, programs that files of
    /// the project name run there too: whoever writes these files must not get out by them.
    pub(crate) fn of(agent: &Agent, skills: &Loaded, is_apart: bool) -> Self {
        let mut wanted = Self {
            servers: agent.mcp_config.clone(),
            confined: HashSet::new(),
        };
        for skill in &skills.skills {
            let is_confined = is_apart && skills.is_of_project(&skill.name);
            for (name, server) in skill.mcp_tools.iter().flatten() {
                let Entry::Vacant(place) = wanted.servers.entry(name.clone()) else {
                    continue;
                };
                let server = place.insert(server.clone());
                if is_confined {
                    server.sandbox = Some(true);
                    wanted.confined.insert(name.clone());
                }
            }
        }
        wanted
    }
}

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
        let wanted = WantedServers::of(&agent, &Loaded::default(), false);
        match self.servers_of(&agent, &wanted, None).await {
            Ok(servers) => *self.early_servers.lock() = Some(servers),
            // The first message or run tries again, and says what is wrong.
            Err(error) => tracing::warn!(%error, "MCP servers were not started"),
        }
    }

    /// The servers that are wanted, started.
    pub(crate) async fn servers(
        &self,
        agent: &Agent,
        wanted: &WantedServers,
        runtime: &Arc<dyn Runtime>,
    ) -> Result<Option<Arc<McpServers>>, ConversationError> {
        let early = self.early_servers.lock().take();
        if !wanted.servers.values().any(|server| server.enabled) {
            return Ok(None);
        }
        let servers = match early {
            Some(early) if wanted.servers.len() == agent.mcp_config.len() => early,
            _ => self.servers_of(agent, wanted, Some(runtime)).await?,
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
        wanted: &WantedServers,
        sandbox: Option<&Arc<dyn Runtime>>,
    ) -> Result<Arc<McpServers>, ConversationError> {
        let servers = wanted.servers.clone().into_iter();
        let (confined, free): (IndexMap<_, _>, IndexMap<_, _>) =
            servers.partition(|(name, _)| wanted.confined.contains(name));
        let mut servers = self.filled_in(&free, &self.host.env).await?;
        for (name, server) in self.filled_in(&confined, &[]).await? {
            servers.entry(name).or_insert(server);
        }
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
        let started = McpServers::start(&servers, &options)
            .map_err(|error| ConversationError::Mcp(error.to_string()))?;
        Ok(Arc::new(started))
    }

    /// Settings with the secrets of the conversation, and variables, in the place of their names.
    async fn filled_in(
        &self,
        servers: &IndexMap<String, McpServer>,
        env: &[(String, String)],
    ) -> Result<IndexMap<String, McpServer>, ConversationError> {
        let failed = |error: crate::mcp::ConfigError| ConversationError::Mcp(error.to_string());
        let mut known = HashMap::new();
        for name in variables_in_servers(servers).map_err(failed)? {
            if let Some(value) = self.secrets.value(&name).await {
                known.extend(value.expose().map(|value| (name, value.to_owned())));
            } else if let Some((_, value)) = env.iter().find(|(known, _)| *known == name) {
                known.insert(name, value.clone());
            }
        }
        expand_servers(servers, |name| known.get(name).cloned()).map_err(failed)
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

#[cfg(test)]
#[path = "servers_tests.rs"]
mod tests;
