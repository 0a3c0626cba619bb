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
use super::made::Claiming;
use super::progress::{Progress, Step};
use super::sandbox::{DockerSandbox, SandboxState};
use super::settings::SandboxSpec;

/// After a claim the first command of the conversation goes first.
const BEFORE_REFILL: Duration = Duration::from_millis(500);
/// The pause after a container that could not be started.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

/// Containers that wait. The pool fills itself up again after each claim.
///
/// A directory can be shown to a container that runs only by root on the engine's machine. Where that is not so none
/// wait. A claim that wants another image or another user than those that wait starts a container of its own; the next
/// ones that wait are then for that user. Limits are set at the claim.
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
    /// Whose the next ones are: the user of whom none waited last.
    user: Mutex<Option<String>>,
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
            user: Mutex::default(),
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
        let refilling = self.refilling.lock().take();
        if let Some(refilling) = refilling {
            refilling.abort();
            // Only when it has ended is what it was about to start on its way out.
            let _ = refilling.await;
        }
        let waiting: Vec<_> = self.shared.waiting.lock().drain(..).collect();
        self.shared.count.send_replace(0);
        for sandbox in waiting {
            if let Err(error) = sandbox.remove().await {
                tracing::warn!("{error}");
            }
        }
        self.shared.docker.settled().await;
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
            let purpose = Purpose::Warm(self.user.lock().clone());
            match self.docker.start(&purpose, &Progress::none()).await {
                Ok(sandbox) if is_out_of_reach(&sandbox).await => {
                    self.give_up(&sandbox).await;
                    return;
                }
                Ok(sandbox) => {
                    let container = sandbox.id().to_owned();
                    self.waiting.lock().push_back(sandbox);
                    tracing::debug!(container, "a container waits");
                    self.tell_count();
                }
                Err(error) => {
                    tracing::warn!("no container can be kept waiting: {error}");
                    tokio::time::sleep(AFTER_FAILURE).await;
                }
            }
        }
    }

    /// What waits here can never be claimed: it would be made and removed for nothing again and again.
    async fn give_up(&self, sandbox: &DockerSandbox) {
        tracing::info!(
            "no containers wait for conversations: directories cannot be shown to containers that run, because their processes are \
             not seen from here"
        );
        self.has_complained.store(true, Ordering::Relaxed);
        if let Err(error) = sandbox.remove().await {
            tracing::warn!("{error}");
        }
    }

    /// The first one that waits for a user; none stands for any.
    fn next_for(&self, user: Option<&str>) -> Option<DockerSandbox> {
        let mut waiting = self.waiting.lock();
        let fits = |one: &DockerSandbox| user.is_none() || one.user() == user;
        let at = waiting.iter().position(fits)?;
        waiting.remove(at)
    }

    /// Has the next ones wait for a user. One of another user makes room.
    fn prefer(&self, user: Option<String>) {
        let Some(user) = user else { return };
        let other = {
            let mut waiting = self.waiting.lock();
            let at = waiting.iter().position(|one| one.user() != Some(&user));
            at.and_then(|at| waiting.remove(at))
        };
        *self.user.lock() = Some(user);
        let Some(other) = other else { return };
        self.tell_count();
        self.refill.notify_one();
        // Nobody waits for that.
        tokio::spawn(async move {
            let _ = other.remove().await;
        });
    }

    /// Shows a container the directories of a conversation, and gives it its limits and its name.
    async fn hand_over(
        &self,
        sandbox: &DockerSandbox,
        pid: u32,
        spec: &SandboxSpec,
    ) -> Result<(), String> {
        let limited = self.docker.limit(sandbox.id(), spec).await;
        limited.map_err(|reason| format!("its limits cannot be set: {reason}"))?;
        let moved = claim::move_in(pid, spec.mounts.clone()).await;
        moved.map_err(|error| error.to_string())?;
        // By its name it is found again after a crash, so only one that has its workspace gets it.
        let name = name_of(&self.docker.settings().owner, spec.conversation);
        let options = RenameContainerOptionsBuilder::new().name(&name).build();
        let renamed = self.docker.engine().rename_container(sandbox.id(), options);
        renamed.await.map_err(|error| error.to_string())
    }

    fn tell_count(&self) {
        let count = self.waiting.lock().len();
        self.count.send_replace(count);
    }

    /// A waiting container with the directories and the name of the conversation, or why there is none.
    async fn take(&self, spec: &SandboxSpec) -> Result<DockerSandbox, String> {
        let user = self.fits(spec)?;
        loop {
            let Some(sandbox) = self.next_for(user.as_deref()) else {
                self.prefer(user);
                return Err("none waits for its user".to_owned());
            };
            // From here on it is removed when this is given up.
            let claiming = Claiming::new(&sandbox);
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
            if let Err(reason) = self.hand_over(&sandbox, pid, spec).await {
                let _ = sandbox.remove().await;
                return Err(reason);
            }
            claiming.keep();
            let claimed = sandbox.claimed(spec.conversation, spec.env.clone());
            return claimed.ok_or_else(|| "someone else has it".to_owned());
        }
    }

    /// Whether containers that wait can become what the conversation wants, and the user that it wants.
    fn fits(&self, spec: &SandboxSpec) -> Result<Option<String>, String> {
        let settings = self.docker.settings();
        let image = spec.image.as_ref();
        if image.is_some_and(|image| *image != settings.image) {
            return Err("it wants another image".to_owned());
        }
        if spec.mounts.iter().any(|mount| !mount.source.is_dir()) {
            return Err("only directories are shown later".to_owned());
        }
        let user = user_for(settings, self.docker.connection(), &spec.mounts);
        user.map_err(|error| error.to_string())
    }
}

/// Whether a container runs, and no directory can be shown to it from here.
async fn is_out_of_reach(sandbox: &DockerSandbox) -> bool {
    let is_reached = |pid| claim::is_possible(pid, sandbox.id());
    !sandbox.pid().is_some_and(is_reached)
        // One that has died meanwhile says nothing about the next.
        && matches!(sandbox.state().await, Ok(SandboxState::Running))
}
