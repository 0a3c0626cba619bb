//! From a plan to a container whose server answers.

use std::time::Duration;

use bollard::models::{ContainerCreateBody, ContainerInspectResponse};
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, RemoveContainerOptionsBuilder,
    WaitContainerOptionsBuilder,
};
use futures_util::StreamExt as _;
use openhands_protocol::Secret;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::Docker;
use super::container::{Plan, Purpose, random};
use super::error::{DockerError, is_name_taken, is_status, told};
use super::made::{Made, Underway};
use super::progress::{Progress, Step};
use super::reach::Reach;
use super::sandbox::{DockerSandbox, Parts};
use super::watch::LogTail;

/// How often a container is made anew because its ports were taken in between.
const TRIES: usize = 3;
/// How long the engine may take to remove a container of the same name.
const NAME_FREED: Duration = Duration::from_secs(20);
/// How long the engine may take to remove a container before that is worth a word.
const REMOVED: Duration = Duration::from_secs(20);

impl Docker {
    /// Makes and starts a container and waits until its server answers. Whatever fails, nothing is left behind.
    pub(super) async fn start(
        &self,
        purpose: &Purpose,
        progress: &Progress,
    ) -> Result<DockerSandbox, DockerError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.try_start(purpose, progress).await {
                Err(error) if tries < TRIES && error.is_port_taken() => {
                    tracing::info!(%error, "taking other ports");
                }
                ended => return ended,
            }
        }
    }

    async fn try_start(
        &self,
        purpose: &Purpose,
        progress: &Progress,
    ) -> Result<DockerSandbox, DockerError> {
        let key = random_key()?;
        let reach = Reach::choose(self.settings(), self.connection()).await?;
        let plan = Plan {
            settings: self.settings(),
            connection: self.connection(),
            reach: &reach,
            purpose,
            key: &key,
        };
        self.ensure_image(plan.image(), progress).await?;
        progress.tell(Step::Creating);
        let user = plan.user()?;
        // From here on it is removed when this is given up.
        let made = self.create(&plan).await?;
        let id = made.id().to_owned();
        let logs = LogTail::default();
        let attached = self.attach(&id).await?;
        let following = logs.follow(&id, attached);
        progress.tell(Step::Starting);
        self.start_container(&id).await?;
        let inspected = self.inspect(&id).await;
        progress.tell(Step::WaitingForHealth);
        let inspected = match inspected {
            Ok(inspected) if reach.ports(&inspected).is_some() => inspected,
            // It has ended already.
            Ok(_) | Err(DockerError::Gone(_)) => {
                return Err(self.ended(&id, plan.image(), &logs).await);
            }
            Err(error) => return Err(error),
        };
        let ports = reach
            .ports(&inspected)
            .ok_or_else(|| DockerError::Gone(id.clone()))?;
        let url = format!("http://{}:{}", ports.host, ports.server);
        self.wait_for_health(&id, &url, plan.image(), &logs).await?;
        let (conversation, is_warm) = match purpose {
            Purpose::Conversation(spec) => (Some(spec.conversation), false),
            Purpose::Warm(_) => (None, true),
        };
        if !is_warm {
            progress.tell(Step::Ready {
                url: url.clone(),
                warm: false,
            });
        }
        let sandbox = DockerSandbox::new(
            self,
            Parts {
                pid: pid_of(&inspected),
                id,
                conversation,
                url,
                ports,
                key,
                user,
                logs,
                _following: following,
            },
        );
        made.keep();
        Ok(sandbox)
    }

    /// Makes the container. The engine goes on making what nobody waits for any more, so that is waited for here, and removed.
    async fn create(&self, plan: &Plan<'_>) -> Result<Made, DockerError> {
        let body = plan.body()?;
        let underway = Underway::new(self, &plan.name()?);
        let (told, made) = oneshot::channel();
        let docker = self.clone();
        self.tasks().spawn(async move {
            let created = docker
                .create_named(underway.name(), body, || told.is_closed())
                .await;
            // If nobody is there to take it, it is dropped, and so removed.
            let _ = told.send(created.map(|id| Made::new(id, underway)));
        });
        let ended =
            || DockerError::Settings("the container was not made: its task ended".to_owned());
        made.await.unwrap_or_else(|_| Err(ended()))
    }

    async fn create_named(
        &self,
        name: &str,
        body: ContainerCreateBody,
        is_given_up: impl Fn() -> bool,
    ) -> Result<String, DockerError> {
        let options = CreateContainerOptionsBuilder::new().name(name).build();
        let create = || {
            self.engine()
                .create_container(Some(options.clone()), body.clone())
        };
        let deadline = Instant::now() + NAME_FREED;
        let created = loop {
            match create().await {
                // One of the same name is left: it is being removed, or its start was given up by a server that died.
                Err(error)
                    if is_name_taken(&error) && Instant::now() < deadline && !is_given_up() =>
                {
                    self.remove_by_id(name).await;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                created => break created,
            }
        };
        created
            .map(|created| created.id)
            .map_err(|source| DockerError::Engine {
                action: "making the container",
                source,
            })
    }

    /// What the container says from its first word on.
    async fn attach(
        &self,
        id: &str,
    ) -> Result<
        impl futures_util::Stream<Item = Result<bollard::container::LogOutput, bollard::errors::Error>>
        + use<>,
        DockerError,
    > {
        let options = AttachContainerOptionsBuilder::new()
            .stdout(true)
            .stderr(true)
            .stream(true)
            .logs(true)
            .build();
        let attached = self.engine().attach_container(id, Some(options)).await;
        let attached =
            attached.map_err(|source| DockerError::of("following the container", id, source))?;
        Ok(attached.output)
    }

    async fn start_container(&self, id: &str) -> Result<(), DockerError> {
        let started = self.engine().start_container(id, None).await;
        started.map_err(|error| {
            let reason = told(&error);
            let is_taken = ["already in use", "already allocated", "port is already"]
                .iter()
                .any(|words| reason.contains(words));
            if is_taken {
                DockerError::PortTaken(reason)
            } else if reason.contains("cannot assign requested address") {
                DockerError::Settings(format!(
                    "{reason}. Ports can be published on addresses of the engine's machine only: name one in \
                     OH_CONVERSATION_CONTAINER_BIND"
                ))
            } else {
                DockerError::Engine {
                    action: "starting the container",
                    source: error,
                }
            }
        })
    }

    pub(super) async fn inspect(&self, id: &str) -> Result<ContainerInspectResponse, DockerError> {
        let inspected = self.engine().inspect_container(id, None).await;
        inspected.map_err(|source| DockerError::of("looking at the container", id, source))
    }

    /// Waits until the server answers; gives up when the container ends or the time is over.
    async fn wait_for_health(
        &self,
        id: &str,
        url: &str,
        image: &str,
        logs: &LogTail,
    ) -> Result<(), DockerError> {
        let waited = self.settings().start_timeout;
        let health = format!("{url}/health");
        let healthy = async {
            let mut pause = Duration::from_millis(5);
            loop {
                let asked = self.http().get(&health).timeout(Duration::from_secs(2));
                if asked
                    .send()
                    .await
                    .is_ok_and(|answer| answer.status().is_success())
                {
                    return;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(Duration::from_millis(100));
            }
        };
        let began = Instant::now();
        let outcome = timeout(waited, async {
            tokio::select! {
                () = healthy => Ok(()),
                error = self.ended(id, image, logs) => Err(error),
            }
        });
        match outcome.await {
            Ok(outcome) => outcome,
            Err(_) => Err(DockerError::Unhealthy {
                image: image.to_owned(),
                waited: began.elapsed(),
                logs: logs.lines(),
            }),
        }
    }

    /// Waits for the end of a container and says how it ended.
    async fn ended(&self, id: &str, image: &str, logs: &LogTail) -> DockerError {
        let options = WaitContainerOptionsBuilder::new()
            .condition("not-running")
            .build();
        let mut waiting = Box::pin(self.engine().wait_container(id, Some(options)));
        let code = match waiting.next().await {
            Some(Ok(answer)) => answer.status_code,
            // The library makes an error of a code other than zero.
            Some(Err(bollard::errors::Error::DockerContainerWaitError { code, .. })) => code,
            Some(Err(_)) | None => -1,
        };
        // Its last words may still be on the way.
        tokio::time::sleep(Duration::from_millis(50)).await;
        DockerError::Ended {
            image: image.to_owned(),
            code,
            logs: logs.lines(),
        }
    }

    /// Removes a container, whatever it does; one that is gone is fine.
    pub(super) async fn remove_by_id(&self, id: &str) {
        self.0.claimed.lock().remove(id);
        let options = RemoveContainerOptionsBuilder::new()
            .force(true)
            .v(true)
            .build();
        match self.engine().remove_container(id, Some(options)).await {
            Ok(()) => {}
            // Gone, or on its way out.
            Err(error) if is_status(&error, &[404, 409]) => {}
            Err(error) => tracing::warn!(container = id, "not removed: {}", told(&error)),
        }
    }

    /// Waits until the engine has removed a container.
    pub(super) async fn wait_until_removed(&self, id: &str) {
        let options = WaitContainerOptionsBuilder::new()
            .condition("removed")
            .build();
        let mut waiting = Box::pin(self.engine().wait_container(id, Some(options)));
        if timeout(REMOVED, waiting.next()).await.is_err() {
            tracing::warn!(container = id, "the engine takes long to remove it");
        }
    }
}

pub(super) fn pid_of(container: &ContainerInspectResponse) -> Option<u32> {
    let pid = container.state.as_ref()?.pid?;
    u32::try_from(pid).ok().filter(|pid| *pid > 0)
}

/// A key that nobody else has.
fn random_key() -> Result<Secret, DockerError> {
    random::<32>().map(Secret::new)
}
