//! The servers that are routed to: each is started and supervised by itself, and all together are a set.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use openhands_sdk_rs::mcp::{McpNotice, McpOptions, McpRelay, McpServers};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio_util::task::AbortOnDropHandle;

use super::entry::Entry;

/// A list that clients have and that is another one now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Tools,
    Prompts,
    Resources,
}

/// One server. Dropping it ends the server.
#[derive(Debug)]
pub(super) struct Upstream {
    pub(super) entry: Entry,
    servers: Result<McpServers, String>,
    /// Tells of changed lists for as long as there is the server.
    _follow: Option<AbortOnDropHandle<()>>,
}

impl Upstream {
    /// Begins to start a server. Needs a Tokio runtime.
    pub(super) fn start(
        entry: Entry,
        options: &McpOptions,
        changed: &broadcast::Sender<List>,
    ) -> Self {
        // Alone in its set, so that its tools keep their own names: the router adds what makes them distinct.
        let alone = IndexMap::from([(entry.name.clone(), entry.server.clone())]);
        let servers = McpServers::start(&alone, options).map_err(|error| error.to_string());
        let follow = servers.as_ref().ok().and_then(|servers| {
            let relay = servers.relay(&entry.name)?;
            let task = follow(servers.changes(), relay.notices(), changed.clone());
            Some(AbortOnDropHandle::new(tokio::spawn(task)))
        });
        Self {
            entry,
            servers,
            _follow: follow,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.entry.name
    }

    /// The way to the server; none if its settings are of no use.
    pub(super) fn relay(&self) -> Option<McpRelay> {
        self.servers.as_ref().ok()?.relay(self.name())
    }

    /// Waits while it starts for the first time.
    pub(super) async fn started(&self, limit: Duration) {
        if let Ok(servers) = &self.servers {
            servers.ready(limit).await;
        }
    }

    /// Whether there is no use in starting it anew: it works, or is about to.
    pub(super) fn is_well(&self) -> bool {
        self.error().is_none() || self.relay().is_some_and(|relay| relay.is_starting())
    }

    /// Why it cannot be used now.
    pub(super) fn error(&self) -> Option<String> {
        match &self.servers {
            Err(error) => Some(error.clone()),
            Ok(servers) => servers
                .errors()
                .into_values()
                .next()
                .map(|error| error.message),
        }
    }

    /// Ends the server and waits for it.
    pub(super) async fn close(&self) {
        if let Ok(servers) = &self.servers {
            servers.close().await;
        }
    }
}

/// Passes on that lists have changed, until the server is gone.
async fn follow(
    mut tools: watch::Receiver<u64>,
    mut notices: broadcast::Receiver<McpNotice>,
    changed: broadcast::Sender<List>,
) {
    loop {
        let list = tokio::select! {
            change = tools.changed() => match change {
                Ok(()) => List::Tools,
                Err(_) => return,
            },
            notice = notices.recv() => match notice {
                Ok(McpNotice::PromptsChanged) => List::Prompts,
                Ok(McpNotice::ResourcesChanged) => List::Resources,
                // Something was missed: it may have been about either.
                Err(RecvError::Lagged(_)) => {
                    let _ = changed.send(List::Prompts);
                    List::Resources
                }
                Err(RecvError::Closed) => return,
            },
        };
        // Without clients nobody listens.
        let _ = changed.send(list);
    }
}

/// The servers of one update.
#[derive(Debug, Default)]
pub(super) struct Set {
    members: Vec<Member>,
}

/// A server in a set.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) upstream: Arc<Upstream>,
    /// Of this update: another profile is no reason to start a server again.
    profiles: Vec<String>,
}

/// What an update makes of a set.
#[derive(Debug)]
pub(super) struct Renewed {
    pub(super) set: Set,
    /// Those that it has no place for.
    pub(super) retired: Vec<Arc<Upstream>>,
}

impl Set {
    /// The set of other entries. Servers whose settings are the same and that work stay as they are.
    pub(super) fn renew(&self, entries: Vec<Entry>, start: impl Fn(Entry) -> Upstream) -> Renewed {
        let mut members = Vec::new();
        for entry in entries {
            let same = self
                .members
                .iter()
                .map(|member| &member.upstream)
                .find(|old| {
                    old.name() == entry.name && old.entry.server == entry.server && old.is_well()
                });
            let profiles = entry.profiles.clone();
            let upstream = if let Some(same) = same {
                Arc::clone(same)
            } else {
                Arc::new(start(entry))
            };
            members.push(Member { upstream, profiles });
        }
        let set = Self { members };
        let retired = self
            .upstreams()
            .filter(|old| !set.upstreams().any(|new| Arc::ptr_eq(old, new)))
            .cloned()
            .collect();
        Renewed { set, retired }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn upstreams(&self) -> impl Iterator<Item = &Arc<Upstream>> {
        self.members.iter().map(|member| &member.upstream)
    }

    /// The servers of a profile, or all.
    pub(super) fn of_profile(&self, profile: Option<&str>) -> Vec<Arc<Upstream>> {
        self.members
            .iter()
            .filter(|member| match profile {
                None => true,
                Some(profile) => member.profiles.iter().any(|known| known == profile),
            })
            .map(|member| Arc::clone(&member.upstream))
            .collect()
    }

    /// What stands before the names of a server's tools and prompts: nothing while there is only one server.
    ///
    /// The number of all servers counts, not that of a profile, so that a tool has one name in every profile.
    pub(super) fn prefix(&self, server: &str) -> String {
        if self.members.len() > 1 {
            format!("{server}_")
        } else {
            String::new()
        }
    }
}
