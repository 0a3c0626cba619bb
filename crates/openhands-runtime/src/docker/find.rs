//! Containers that are there already: those of a server that was here before.

use std::collections::HashMap;
use std::time::Duration;

use bollard::models::{ContainerInspectResponse, ContainerSummary};
use bollard::query_parameters::{ListContainersOptionsBuilder, LogsOptionsBuilder};
use openhands_protocol::{ConversationId, Secret};
use tokio::time::Instant;

use super::Docker;
use super::container::{CONVERSATION, KEY, OWNER, name_of};
use super::error::{DockerError, is_stopped};
use super::reach::Reach;
use super::sandbox::{DockerSandbox, Parts};
use super::start::pid_of;
use super::watch::LogTail;

/// How long Podman may take to clear away a container that has ended.
const STOPPED: Duration = Duration::from_secs(5);

impl Docker {
    /// The container of a conversation, if one of this owner runs or is paused.
    pub async fn find(
        &self,
        conversation: ConversationId,
    ) -> Result<Option<DockerSandbox>, DockerError> {
        let found = self.of_owner().await?.into_iter().find(|container| {
            conversation_of(&self.settings().owner, container) == Some(conversation)
        });
        let Some(id) = found.and_then(|container| container.id) else {
            return Ok(None);
        };
        let inspected = match self.inspect(&id).await {
            Ok(inspected) => inspected,
            Err(DockerError::Gone(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(self.take_up(id, conversation, &inspected).await)
    }

    /// The conversations that have a container of this owner.
    pub async fn conversations(&self) -> Result<Vec<ConversationId>, DockerError> {
        let owner = &self.settings().owner;
        let found = self.of_owner().await?;
        let conversations = found.iter().filter_map(|one| conversation_of(owner, one));
        Ok(conversations.collect())
    }

    /// Removes the containers of this owner that belong to no conversation that is known. Those that someone in this
    /// process has or starts are left alone. Gives the ids of those that were removed.
    pub async fn sweep(
        &self,
        is_known: impl Fn(ConversationId) -> bool,
    ) -> Result<Vec<String>, DockerError> {
        let mut removed = Vec::new();
        for container in self.of_owner().await? {
            let conversation = conversation_of(&self.settings().owner, &container);
            let is_underway = self.is_underway(container.names.as_ref());
            let Some(id) = container.id else { continue };
            if conversation.is_some_and(&is_known) || is_underway || self.is_held(&id) {
                continue;
            }
            self.remove_by_id(&id).await;
            removed.push(id);
        }
        Ok(removed)
    }

    /// Removes the container of a conversation, whatever it does. What is left of a start that was given up is waited for: the
    /// engine goes on making what nobody wants any more.
    pub async fn remove_of(&self, conversation: ConversationId) -> Result<(), DockerError> {
        let owner = &self.settings().owner;
        self.no_longer_underway(&name_of(owner, conversation)).await;
        for container in self.of_owner().await? {
            if conversation_of(owner, &container) == Some(conversation)
                && let Some(id) = container.id
            {
                self.remove_by_id(&id).await;
                self.wait_until_removed(&id).await;
            }
        }
        Ok(())
    }

    async fn of_owner(&self) -> Result<Vec<ContainerSummary>, DockerError> {
        let label = format!("{OWNER}={}", self.settings().owner);
        self.with_label(&label).await
    }

    /// All containers with a label, whatever they do.
    pub(super) async fn with_label(
        &self,
        label: &str,
    ) -> Result<Vec<ContainerSummary>, DockerError> {
        // Not by their state: engines know different ones, and refuse those that they do not know.
        let filters = HashMap::from([("label", vec![label])]);
        let options = ListContainersOptionsBuilder::new()
            .all(true)
            .filters(&filters)
            .build();
        let deadline = Instant::now() + STOPPED;
        loop {
            match self.engine().list_containers(Some(options.clone())).await {
                Ok(listed) => return Ok(listed),
                // One of them has ended just now. It would hide all the others.
                Err(error) if is_stopped(&error) && Instant::now() < deadline => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(source) => {
                    return Err(DockerError::Engine {
                        action: "listing containers",
                        source,
                    });
                }
            }
        }
    }

    /// None if it has ended.
    async fn take_up(
        &self,
        id: String,
        conversation: ConversationId,
        container: &ContainerInspectResponse,
    ) -> Option<DockerSandbox> {
        let state = container.state.as_ref()?;
        // A paused container counts as running.
        if state.running != Some(true) {
            return None;
        }
        let pid = pid_of(container);
        // One that had waited has lost its directories when somebody has started it again.
        let claimed = self.0.claimed.lock().get(&id).copied();
        if claimed.is_some() && claimed != pid {
            return None;
        }
        let reach = Reach::choose(self.settings(), self.connection());
        let reach = reach.await.ok()?;
        let ports = reach.ports(container)?;
        let config = container.config.as_ref()?;
        let key = config.env.as_ref()?.iter().find_map(|variable| {
            let (name, value) = variable.split_once('=')?;
            (name == KEY).then(|| Secret::new(value))
        })?;
        let options = LogsOptionsBuilder::new()
            .follow(true)
            .stdout(true)
            .stderr(true)
            .tail("20")
            .build();
        let logs = LogTail::default();
        let engine = self.engine().clone();
        let name = id.clone();
        let output = futures_util::stream::once(async move { engine.logs(&name, Some(options)) });
        let following = logs.follow(&id, futures_util::StreamExt::flatten(output));
        Some(DockerSandbox::new(
            self,
            Parts {
                pid,
                id,
                conversation: Some(conversation),
                url: format!("http://{}:{}", ports.host, ports.server),
                ports,
                key,
                user: config.user.clone().filter(|user| !user.is_empty()),
                logs,
                _following: following,
            },
        ))
    }
}

/// Whose a container is: its label says so, or, for one that had waited, its name.
fn conversation_of(owner: &str, container: &ContainerSummary) -> Option<ConversationId> {
    let label = container
        .labels
        .as_ref()
        .and_then(|labels| labels.get(CONVERSATION));
    if let Some(conversation) = label.and_then(|label| label.parse().ok()) {
        return Some(conversation);
    }
    let names = container.names.as_ref()?;
    names.iter().find_map(|name| {
        let (_, hex) = name.rsplit_once('-')?;
        let conversation: ConversationId = hex.parse().ok()?;
        (name.trim_start_matches('/') == name_of(owner, conversation)).then_some(conversation)
    })
}
