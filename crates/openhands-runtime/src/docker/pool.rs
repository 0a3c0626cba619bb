//! Containers that wait for conversations, so that one is there at once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bollard::query_parameters::RenameContainerOptionsBuilder;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio_util::task::AbortOnDropHandle;

use super::Docker;
use super::claim;
use super::container::{Purpose, name_of, user_for};
use super::error::DockerError;
use super::progress::{Progress, Step};
use super::sandbox::{DockerSandbox, SandboxState};
use super::settings::SandboxSpec;

/// After a claim the first command of the conversation goes first.
const BEFORE_REFILL: Duration = Duration::from_millis(500);
/// The pause after a container that could not be started.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

/// Containers that wait. The pool fills itself up again after each claim.
///
/// A directory can be shown to a container that runs only by root on the engine's machine. Where that is not so, or
/// where a conversation wants another image, user or limits, a claim starts a container of its own.
#[derive(Debug)]
pub struct WarmPool {
    shared: Arc<Shared>,
    refilling: Mutex<Option<AbortOnDropHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    docker: Docker,
    waiting: Mutex<VecDeque<DockerSandbox>>,
    count: watch::Sender<usize>,
    refill: Notify,
    has_complained: AtomicBool,
}

impl WarmPool {
    /// A pool of as many containers as the settings say. They are started in the background.
    pub fn start(docker: &Docker) -> Self {
        let shared = Arc::new(Shared {
            docker: docker.clone(),
            waiting: Mutex::default(),
            count: watch::Sender::new(0),
            refill: Notify::new(),
            has_complained: AtomicBool::new(false),
        });
        let wanted = shared.wanted();
        let refilling = (wanted > 0).then(|| {
            let shared = Arc::clone(&shared);
            AbortOnDropHandle::new(tokio::spawn(
                async move { shared.keep_filled(wanted).await },
            ))
        });
        Self {
            shared,
            refilling: Mutex::new(refilling),
        }
    }

    /// How many containers wait.
    pub fn waiting(&self) -> usize {
        *self.shared.count.borrow()
    }

    /// Resolves when so many containers wait.
    pub async fn filled(&self, count: usize) {
        let mut counts = self.shared.count.subscribe();
        // The sender lives as long as the pool.
        let _ = counts.wait_for(|waiting| *waiting >= count).await;
    }

    /// A container for a conversation: one that waits if any fits, else a new one.
    pub async fn claim(
        &self,
        spec: SandboxSpec,
        progress: Progress,
    ) -> Result<DockerSandbox, DockerError> {
        match self.shared.take(&spec).await {
            Ok(sandbox) => {
                let url = sandbox.endpoint().url;
                progress.tell(Step::Ready { url, warm: true });
                Ok(sandbox)
            }
            Err(reason) => {
                if self.shared.wanted() > 0
                    && !self.shared.has_complained.swap(true, Ordering::Relaxed)
                {
                    tracing::info!(reason, "no waiting container fits: a new one is started");
                }
                self.shared.docker.provision(spec, progress).await
            }
        }
    }

    /// Removes what waits and fills up no more. Claims go on, with new containers.
    pub async fn close(&self) {
        drop(self.refilling.lock().take());
        let waiting: Vec<_> = self.shared.waiting.lock().drain(..).collect();
        self.shared.count.send_replace(0);
        for sandbox in waiting {
            if let Err(error) = sandbox.remove().await {
                tracing::warn!("{error}");
            }
        }
    }
}

impl Shared {
    /// Nothing waits where nothing could be claimed.
    fn wanted(&self) -> usize {
        let settings = self.docker.settings();
        let is_local = self.docker.connection().remote.is_none();
        if settings.read_only || !is_local || !rustix::process::geteuid().is_root() {
            0
        } else {
            settings.warm
        }
    }

    async fn keep_filled(&self, wanted: usize) {
        loop {
            if self.waiting.lock().len() >= wanted {
                self.refill.notified().await;
                tokio::time::sleep(BEFORE_REFILL).await;
                continue;
            }
            match self.docker.start(&Purpose::Warm, &Progress::none()).await {
                Ok(sandbox) => {
                    self.waiting.lock().push_back(sandbox);
                    self.tell_count();
                }
                Err(error) => {
                    tracing::warn!("no container can be kept waiting: {error}");
                    tokio::time::sleep(AFTER_FAILURE).await;
                }
            }
        }
    }

    fn tell_count(&self) {
        let count = self.waiting.lock().len();
        self.count.send_replace(count);
    }

    /// A waiting container with the directories and the name of the conversation, or why there is none.
    async fn take(&self, spec: &SandboxSpec) -> Result<DockerSandbox, String> {
        self.fits(spec)?;
        loop {
            let next = self.waiting.lock().pop_front();
            let sandbox = next.ok_or("none waits")?;
            self.tell_count();
            self.refill.notify_one();
            let pid = sandbox
                .pid()
                .filter(|pid| claim::is_possible(*pid, sandbox.id()));
            let Some(pid) = pid else {
                // Only one that runs has a process: this one died while it waited, or its machine is another.
                let is_running = matches!(sandbox.state().await, Ok(SandboxState::Running));
                let _ = sandbox.remove().await;
                if is_running {
                    return Err("its processes are not seen from here".to_owned());
                }
                continue;
            };
            let name = name_of(&self.docker.settings().owner, spec.conversation);
            let options = RenameContainerOptionsBuilder::new().name(&name).build();
            let claiming = async {
                let moved = claim::move_in(pid, spec.mounts.clone()).await;
                moved.map_err(|error| error.to_string())?;
                // By its name it is found again after a crash, so only one that has its workspace gets it.
                let renamed = self.docker.engine().rename_container(sandbox.id(), options);
                renamed.await.map_err(|error| error.to_string())
            };
            if let Err(reason) = claiming.await {
                let _ = sandbox.remove().await;
                return Err(reason);
            }
            let claimed = sandbox.claimed(spec.conversation, spec.env.clone());
            return claimed.ok_or_else(|| "someone else has it".to_owned());
        }
    }

    /// Whether the containers of the pool are as the conversation wants them.
    fn fits(&self, spec: &SandboxSpec) -> Result<(), String> {
        let settings = self.docker.settings();
        let differs = |what: &str| Err(format!("it wants another {what}"));
        if spec
            .image
            .as_ref()
            .is_some_and(|image| *image != settings.image)
        {
            return differs("image");
        }
        if spec.memory.is_some() && spec.memory != settings.memory {
            return differs("amount of memory");
        }
        if spec.cpus.is_some() && spec.cpus != settings.cpus {
            return differs("number of processors");
        }
        if spec.mounts.iter().any(|mount| !mount.source.is_dir()) {
            return Err("only directories are shown later".to_owned());
        }
        let user = user_for(settings, self.docker.connection(), &spec.mounts);
        let user = user.map_err(|error| error.to_string())?;
        let waiting = settings.user.as_deref().unwrap_or("0:0");
        if user.is_some_and(|user| user != waiting) {
            return differs("user");
        }
        Ok(())
    }
}
