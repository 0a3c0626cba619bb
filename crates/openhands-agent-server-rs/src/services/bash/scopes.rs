//! The commands of the server itself, and those of each conversation.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use openhands_protocol::ConversationId;
use openhands_sdk_rs::process::{Environment, command_environment};
use parking_lot::Mutex;

use super::BashService;

/// Where a conversation keeps the events of its commands.
const EVENTS: &str = "bash_events";

/// All services of commands.
pub(crate) struct BashServices {
    flat: Arc<BashService>,
    environment: Environment,
    /// Those that are in use: one that runs nothing and is asked by nobody is made again when it is needed.
    scoped: Mutex<HashMap<ConversationId, Weak<BashService>>>,
}

impl BashServices {
    /// `server` is the whole environment of the server; commands get the part of it that is meant for them.
    pub(crate) fn new(events: PathBuf, server: &[(String, String)]) -> Self {
        let server = server
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let environment = command_environment(server);
        Self {
            flat: BashService::new(events, environment.clone(), None),
            environment,
            scoped: Mutex::default(),
        }
    }

    /// The commands that belong to no conversation.
    pub(crate) fn flat(&self) -> &Arc<BashService> {
        &self.flat
    }

    /// The commands of a conversation, which run in its workspace. `directory` is where it is kept.
    pub(crate) fn of_conversation(
        &self,
        id: ConversationId,
        directory: &Path,
        workspace: PathBuf,
    ) -> Arc<BashService> {
        let mut scoped = self.scoped.lock();
        if let Some(service) = scoped.get(&id).and_then(Weak::upgrade) {
            return service;
        }
        scoped.retain(|_, service| service.strong_count() > 0);
        let service =
            BashService::below(directory.join(EVENTS), self.environment.clone(), workspace);
        scoped.insert(id, Arc::downgrade(&service));
        service
    }

    /// How many commands run.
    pub(crate) fn running(&self) -> usize {
        let scoped = self.scoped.lock();
        let services = scoped.values().filter_map(Weak::upgrade);
        let scoped: usize = services.map(|service| service.running()).sum();
        self.flat.running() + scoped
    }

    /// Ends the commands of a conversation.
    pub(crate) async fn forget(&self, id: ConversationId) {
        let service = self
            .scoped
            .lock()
            .remove(&id)
            .and_then(|service| service.upgrade());
        if let Some(service) = service {
            service.close().await;
        }
    }

    /// Kills all commands at once.
    pub(crate) async fn close(&self) {
        let scoped: Vec<_> = self
            .scoped
            .lock()
            .drain()
            .filter_map(|(_, service)| service.upgrade())
            .collect();
        let all = scoped
            .iter()
            .chain([&self.flat])
            .map(|service| service.close());
        futures_util::future::join_all(all).await;
    }
}

impl fmt::Debug for BashServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BashServices").finish_non_exhaustive()
    }
}
