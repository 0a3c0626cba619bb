//! A runtime in a container, for programs that have no server around them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use openhands_protocol::Secret;
use openhands_protocol::tool::{Action, Observation};
use openhands_tools::{CallContext, ToolError};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::Docker;
use super::error::DockerError;
use super::pool::WarmPool;
use super::progress::Progress;
use super::sandbox::{DockerSandbox, SandboxState};
use super::settings::SandboxSpec;
use crate::endpoint::{Endpoint, Endpoints};
use crate::remote::{RemoteRequest, RemoteRuntime};
use crate::runtime::{Attached, Runtime, RuntimeError};
use crate::workspace::{Exec, Workspace};

/// How long an engine that does not answer is waited for: it may just be starting again.
const ENGINE_WAIT: Duration = Duration::from_secs(10);
/// How often it is asked in that time.
const ENGINE_PAUSE: Duration = Duration::from_millis(200);

/// Executes the tool calls of a conversation in a container of its own.
///
/// The container is made at the first use and removed when the runtime is closed. One that is gone is replaced at the
/// next use; what is mounted is all that it shares with the one before.
pub struct DockerRuntime {
    remote: RemoteRuntime,
    place: Arc<Placement>,
    /// Whether the container ends with this runtime.
    is_owner: bool,
}

/// Where the container comes from, and which one it is now.
pub(super) struct Placement {
    docker: Docker,
    pool: Option<Arc<WarmPool>>,
    spec: SandboxSpec,
    progress: Progress,
    current: Mutex<Option<DockerSandbox>>,
}

impl DockerRuntime {
    /// A runtime in a container as the spec says. Its variables are handed over with the calls: nobody who looks at the
    /// container sees them.
    pub fn new(
        docker: &Docker,
        mut spec: SandboxSpec,
        mut request: RemoteRequest,
        progress: Progress,
    ) -> Self {
        let env = spec.env.drain(..);
        request
            .env
            .extend(env.map(|(name, value)| (name, Secret::new(value))));
        let place = Placement::new(docker, None, spec, progress);
        Self::at(Arc::new(place), request, true)
    }

    /// A runtime in a container that others use too, unless it is the owner's.
    pub(super) fn at(place: Arc<Placement>, request: RemoteRequest, is_owner: bool) -> Self {
        let endpoints: Arc<dyn Endpoints> = Arc::<Placement>::clone(&place);
        Self {
            remote: RemoteRuntime::new(endpoints, request),
            place,
            is_owner,
        }
    }

    /// The container, made if need be.
    pub async fn sandbox(&self) -> Result<DockerSandbox, DockerError> {
        self.place.sandbox().await
    }
}

impl Placement {
    pub(super) fn new(
        docker: &Docker,
        pool: Option<Arc<WarmPool>>,
        spec: SandboxSpec,
        progress: Progress,
    ) -> Self {
        Self {
            docker: docker.clone(),
            pool,
            spec,
            progress,
            current: Mutex::default(),
        }
    }

    /// The container that runs. Callers that come while it is made wait for it.
    async fn sandbox(&self) -> Result<DockerSandbox, DockerError> {
        let mut current = self.current.lock().await;
        if let Some(sandbox) = current.as_ref() {
            match sandbox.state().await? {
                SandboxState::Running => return Ok(sandbox.clone()),
                SandboxState::Paused => {
                    sandbox.resume().await?;
                    return Ok(sandbox.clone());
                }
                // It is found again below, where it is now.
                SandboxState::Restarted | SandboxState::Gone => {}
            }
        }
        let (spec, progress) = (self.spec.clone(), self.progress.clone());
        let found = self.docker.find(spec.conversation).await?;
        let sandbox = match (found, &self.pool) {
            (Some(found), _) => {
                if found.state().await? == SandboxState::Paused {
                    found.resume().await?;
                }
                found
            }
            (None, Some(pool)) => pool.claim(spec, progress).await?,
            (None, None) => self.docker.provision(spec, progress).await?,
        };
        *current = Some(sandbox.clone());
        Ok(sandbox)
    }
}

impl Endpoints for Placement {
    fn endpoint(&self) -> BoxFuture<'_, Result<Endpoint, RuntimeError>> {
        Box::pin(async {
            let deadline = Instant::now() + ENGINE_WAIT;
            loop {
                match self.sandbox().await {
                    Ok(sandbox) => return Ok(sandbox.endpoint()),
                    Err(error) if error.is_silence() && Instant::now() < deadline => {
                        tokio::time::sleep(ENGINE_PAUSE).await;
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        })
    }
}

impl Runtime for DockerRuntime {
    fn usable_tools(&self) -> BoxFuture<'_, Result<Vec<String>, RuntimeError>> {
        self.remote.usable_tools()
    }

    fn execute<'a>(
        &'a self,
        tool: &'a str,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'a, Result<Observation, ToolError>> {
        self.remote.execute(tool, action, cx)
    }

    fn workspace(&self) -> &dyn Workspace {
        self.remote.workspace()
    }

    fn attach(&self, program: Exec) -> BoxFuture<'_, Result<Attached, RuntimeError>> {
        Box::pin(async move { Ok(self.sandbox().await?.attach(program).await?) })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.remote.close().await;
            if !self.is_owner {
                return;
            }
            let current = self.place.current.lock().await.take();
            if let Some(sandbox) = current
                && let Err(error) = sandbox.remove().await
            {
                tracing::warn!("{error}");
            }
        })
    }
}

impl fmt::Debug for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Placement")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for DockerRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DockerRuntime")
            .field("spec", &self.place.spec)
            .finish_non_exhaustive()
    }
}
