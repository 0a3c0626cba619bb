//! One container, from its start to its end.

use std::fmt;
use std::sync::Arc;

use bollard::models::ContainerStateStatusEnum as Status;
use bollard::query_parameters::StopContainerOptionsBuilder;
use openhands_protocol::{ConversationId, Secret};
use tokio_util::task::AbortOnDropHandle;

use super::Docker;
use super::error::{DockerError, is_status};
use super::reach::SandboxPorts;
use super::start::pid_of;
use super::watch::{LogTail, keep_alive};
use crate::endpoint::Endpoint;

/// How long a container may take to end by itself.
const STOP_SECONDS: i32 = 5;

/// What a container does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxState {
    /// It runs.
    Running,
    /// It is frozen.
    Paused,
    /// It runs, but somebody has started it again: what ran in it is gone, and it is reached elsewhere.
    Restarted,
    /// It has ended, or it is gone.
    Gone,
}

/// A container with an inner server that answers.
///
/// While a value of it exists the container is told that someone is there. Dropping the last one leaves the container
/// to itself: it ends within a minute, unless it is found again before.
#[derive(Clone)]
pub struct DockerSandbox(Arc<Shared>);

pub(super) struct Parts {
    pub(super) id: String,
    pub(super) conversation: Option<ConversationId>,
    pub(super) url: String,
    pub(super) ports: SandboxPorts,
    pub(super) key: Secret,
    /// The user inside; none for the image's.
    pub(super) user: Option<String>,
    /// The first process, as the engine's machine counts.
    pub(super) pid: Option<u32>,
    pub(super) logs: LogTail,
    pub(super) _following: AbortOnDropHandle<()>,
}

struct Shared {
    docker: Docker,
    parts: Parts,
    late_env: Vec<(String, String)>,
    _watch: Watch,
}

struct Watch(Docker, String, AbortOnDropHandle<()>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.let_go(&self.1);
        self.2.abort();
    }
}

impl DockerSandbox {
    pub(super) fn new(docker: &Docker, parts: Parts) -> Self {
        docker.hold(&parts.id);
        let unwatched = docker.settings().unwatched;
        let alive = keep_alive(docker.http().clone(), &parts.url, &parts.key, unwatched);
        Self(Arc::new(Shared {
            docker: docker.clone(),
            _watch: Watch(docker.clone(), parts.id.clone(), alive),
            parts,
            late_env: Vec::new(),
        }))
    }

    /// A container that has waited, now that it is a conversation's. None if someone else has it too.
    pub(super) fn claimed(
        self,
        conversation: ConversationId,
        env: Vec<(String, String)>,
    ) -> Option<Self> {
        let mut shared = Arc::into_inner(self.0)?;
        // Its directories are there only as long as this process of it lives.
        if let Some(pid) = shared.parts.pid {
            let claimed = &shared.docker.0.claimed;
            claimed.lock().insert(shared.parts.id.clone(), pid);
        }
        shared.parts.conversation = Some(conversation);
        shared.late_env = env;
        Some(Self(Arc::new(shared)))
    }

    /// The engine's id of it.
    pub fn id(&self) -> &str {
        &self.0.parts.id
    }

    /// Whose it is; none while it waits.
    pub fn conversation(&self) -> Option<ConversationId> {
        self.0.parts.conversation
    }

    /// Where its server is, and the key.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint {
            url: self.0.parts.url.clone(),
            key: self.0.parts.key.clone(),
        }
    }

    /// Where its ports are reached from here.
    pub fn ports(&self) -> &SandboxPorts {
        &self.0.parts.ports
    }

    /// Variables that the container could not be started with, because it was there before they were known. They are
    /// handed over with the calls ([`RemoteRequest::env`](crate::RemoteRequest)).
    pub fn late_env(&self) -> &[(String, String)] {
        &self.0.late_env
    }

    pub(super) fn user(&self) -> Option<&str> {
        self.0.parts.user.as_deref()
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.0.parts.pid
    }

    pub(super) fn docker(&self) -> &Docker {
        &self.0.docker
    }

    /// The last lines that it said.
    pub fn logs(&self) -> Vec<String> {
        self.0.parts.logs.lines()
    }

    /// What it does now.
    pub async fn state(&self) -> Result<SandboxState, DockerError> {
        let inspected = match self.docker().inspect(self.id()).await {
            Ok(inspected) => inspected,
            Err(DockerError::Gone(_)) => return Ok(SandboxState::Gone),
            Err(error) => return Err(error),
        };
        let is_same = pid_of(&inspected) == self.pid();
        let status = inspected.state.and_then(|state| state.status);
        Ok(match status {
            Some(Status::RUNNING) if !is_same => SandboxState::Restarted,
            Some(Status::RUNNING | Status::RESTARTING) => SandboxState::Running,
            Some(Status::PAUSED) => SandboxState::Paused,
            _ => SandboxState::Gone,
        })
    }

    /// Freezes everything in it. One that is frozen already is fine.
    pub async fn pause(&self) -> Result<(), DockerError> {
        let paused = self.docker().engine().pause_container(self.id()).await;
        match paused {
            Ok(()) => Ok(()),
            Err(error) => {
                self.unless(SandboxState::Paused, "pausing the container", error)
                    .await
            }
        }
    }

    /// Why it could not be brought into a state, unless it is in it already.
    async fn unless(
        &self,
        wanted: SandboxState,
        action: &'static str,
        error: bollard::errors::Error,
    ) -> Result<(), DockerError> {
        match self.state().await? {
            state if state == wanted => Ok(()),
            // One that ended and is not removed yet is refused with other words.
            SandboxState::Gone => Err(DockerError::Gone(self.id().to_owned())),
            SandboxState::Running | SandboxState::Paused | SandboxState::Restarted => {
                Err(DockerError::of(action, self.id(), error))
            }
        }
    }

    /// Goes on where it was frozen. One that runs is fine.
    pub async fn resume(&self) -> Result<(), DockerError> {
        let resumed = self.docker().engine().unpause_container(self.id()).await;
        match resumed {
            Ok(()) => Ok(()),
            Err(error) => {
                self.unless(SandboxState::Running, "resuming the container", error)
                    .await
            }
        }
    }

    /// Asks it to end, kills it after some seconds, and waits until it is gone.
    pub async fn stop(&self) -> Result<(), DockerError> {
        // What is frozen hears no signal.
        if self.state().await? == SandboxState::Paused {
            self.resume().await?;
        }
        let options = StopContainerOptionsBuilder::new().t(STOP_SECONDS).build();
        let stopped = self
            .docker()
            .engine()
            .stop_container(self.id(), Some(options));
        match stopped.await {
            Ok(()) => {}
            Err(error) if is_status(&error, &[304, 404]) => {}
            Err(error) => return Err(DockerError::of("stopping the container", self.id(), error)),
        }
        self.docker().wait_until_removed(self.id()).await;
        Ok(())
    }

    /// Ends it at once, with everything in it.
    pub async fn remove(&self) -> Result<(), DockerError> {
        self.docker().remove_by_id(self.id()).await;
        self.docker().wait_until_removed(self.id()).await;
        Ok(())
    }
}

impl fmt::Debug for DockerSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DockerSandbox")
            .field("id", &self.id())
            .field("conversation", &self.conversation())
            .field("url", &self.0.parts.url)
            .finish_non_exhaustive()
    }
}
