//! The place of one conversation's container: which one it is now, and how it is made, watched and replaced.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use openhands_protocol::ConversationId;
use openhands_protocol::conversation::{
    ConversationRuntimeError, ConversationRuntimeInfo, ConversationRuntimeStatus,
};
use openhands_sdk_rs::runtime::docker::{Docker, DockerSandbox, SandboxSpec, SandboxState};
use openhands_sdk_rs::runtime::{
    Endpoint, Endpoints, Exec, RemoteRequest, RemoteRuntime, Runtime, RuntimeError,
};
use openhands_sdk_rs::tools::Place;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::attempt::Attempt;
use super::progress::Steps;
use super::sandbox::Ping;
use super::{Follow, OwnData, Sandbox, Sandboxes, SlotPlan, limits};

/// How often the server inside is asked whether it is alive. It ends when nobody asks for some of these times.
const PERIOD: Duration = Duration::from_secs(5);

/// How long a container that was found may take to answer before another one takes its place.
const FOUND: Duration = Duration::from_secs(10);

/// How long it is waited for the removal of a container that was given up.
const GIVEN_UP: Duration = Duration::from_secs(20);

/// What is in a slot.
#[derive(Debug, Clone)]
pub(crate) enum SlotState {
    /// No container; the next use makes one.
    Missing,
    /// One is being made.
    Starting,
    /// One that can be used.
    Available(Arc<Sandbox>),
    /// None could be made, and why; the next use tries again.
    Failed(String),
}

/// The place of one conversation's container.
pub(crate) struct Slot {
    me: Weak<Self>,
    sandboxes: Weak<Sandboxes>,
    plan: SlotPlan,
    state: watch::Sender<SlotState>,
    steps: Steps,
    is_closed: AtomicBool,
    /// The last try to make a container.
    attempt: Mutex<Option<Arc<Attempt>>>,
    users: AtomicUsize,
    last_used: Mutex<Instant>,
}

impl Slot {
    pub(super) fn new(sandboxes: &Arc<Sandboxes>, plan: SlotPlan) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            me: me.clone(),
            sandboxes: Arc::downgrade(sandboxes),
            plan,
            state: watch::Sender::new(SlotState::Missing),
            steps: Steps::default(),
            is_closed: AtomicBool::new(false),
            attempt: Mutex::default(),
            users: AtomicUsize::new(0),
            last_used: Mutex::new(Instant::now()),
        })
    }

    /// Whose it is.
    pub(crate) fn conversation(&self) -> ConversationId {
        self.plan.conversation
    }

    /// The directory that the conversation works in.
    pub(crate) fn working_dir(&self) -> &Path {
        &self.plan.working_dir
    }

    /// Where its tools keep files.
    pub(crate) fn directory(&self) -> &Path {
        &self.plan.directory
    }

    /// Where this server keeps outputs that are too long for the model.
    pub(crate) fn observations(&self) -> &Path {
        &self.plan.observations
    }

    /// What is in it.
    pub(crate) fn state(&self) -> SlotState {
        self.state.borrow().clone()
    }

    /// Whether there is a container.
    pub(super) fn is_occupied(&self) -> bool {
        matches!(*self.state.borrow(), SlotState::Available(_))
    }

    /// As the API shows it.
    pub(crate) fn info(&self) -> ConversationRuntimeInfo {
        let (runtime_status, error) = match self.state() {
            SlotState::Missing => (ConversationRuntimeStatus::Missing, None),
            SlotState::Starting => (ConversationRuntimeStatus::Starting, None),
            SlotState::Available(_) => (ConversationRuntimeStatus::Available, None),
            SlotState::Failed(reason) => (ConversationRuntimeStatus::Error, Some(reason)),
        };
        ConversationRuntimeInfo {
            runtime_status,
            // Whatever became of the container: the next use makes another one.
            can_resume: true,
            runtime_error: error.map(|message| ConversationRuntimeError {
                code: "container_failed".to_owned(),
                message,
                ..ConversationRuntimeError::default()
            }),
            ..ConversationRuntimeInfo::default()
        }
    }

    /// Follows the making of a container.
    pub(crate) fn follow(&self) -> (Follow, watch::Receiver<SlotState>) {
        (self.steps.follow(), self.state.subscribe())
    }

    /// Somebody uses it: it is not idle until the mark is dropped.
    pub(crate) fn in_use(self: &Arc<Self>) -> InUse {
        self.users.fetch_add(1, Ordering::AcqRel);
        InUse(Arc::clone(self))
    }

    pub(super) fn is_idle(&self, idle: Duration) -> bool {
        self.users.load(Ordering::Acquire) == 0 && self.last_used.lock().elapsed() >= idle
    }

    /// Begins to make a container, if there is none. Does not wait.
    pub(crate) fn begin(&self) {
        *self.last_used.lock() = Instant::now();
        let (Some(this), Some(sandboxes)) = (self.me.upgrade(), self.sandboxes.upgrade()) else {
            return;
        };
        let attempt = Arc::new(Attempt::default());
        let mut before = None;
        let begun = self.state.send_if_modified(|state| {
            let is_empty = matches!(state, SlotState::Missing | SlotState::Failed(_));
            let begins = is_empty && !self.is_closed.load(Ordering::Acquire);
            if begins {
                *state = SlotState::Starting;
                before = self.attempt.lock().replace(Arc::clone(&attempt));
            }
            begins
        });
        if begun {
            self.steps.begin();
            let tasks = sandboxes.tasks.clone();
            // A task: a container that is half made when its caller goes away would be nobody's.
            tasks.spawn(async move {
                let _end = attempt.end_with();
                // What is removed of one that was given up has the same name.
                if let Some(before) = before {
                    before.ended().await;
                }
                this.fill(&sandboxes, &attempt).await;
            });
        }
    }

    /// The container, made now if there is none.
    pub(crate) async fn ready(&self) -> Result<Arc<Sandbox>, String> {
        let mut state = self.state.subscribe();
        self.begin();
        let found = state
            .wait_for(|state| !matches!(state, SlotState::Starting))
            .await;
        match found.as_deref() {
            Ok(SlotState::Available(sandbox)) => Ok(Arc::clone(sandbox)),
            Ok(SlotState::Failed(reason)) => Err(format!(
                "The sandbox of the conversation cannot start: {reason}"
            )),
            Ok(SlotState::Missing | SlotState::Starting) | Err(_) => {
                Err("The sandbox of the conversation was removed".to_owned())
            }
        }
    }

    /// The same, and the server inside has just answered. One that is gone is replaced.
    pub(crate) async fn alive(&self) -> Result<Arc<Sandbox>, String> {
        let sandbox = self.ready().await?;
        let Some(sandboxes) = self.sandboxes.upgrade() else {
            return Ok(sandbox);
        };
        let ping = sandbox.ping(&sandboxes.web).await;
        if ping == Ping::Answered {
            return Ok(sandbox);
        }
        // Where somebody else is now, it is not. If it runs elsewhere, the engine says where.
        if self.is_lost(&sandbox).await? || ping == Ping::Refused {
            self.lose(&sandbox);
            return self.ready().await;
        }
        Ok(sandbox)
    }

    /// Whether the engine says that a container does not run. One that says nothing for too long is an error: nobody
    /// knows then, and waiting again would be no better.
    async fn is_lost(&self, sandbox: &Sandbox) -> Result<bool, String> {
        let deadline = tokio::time::Instant::now() + super::ENGINE_WAIT;
        loop {
            let asked = tokio::time::timeout_at(deadline, sandbox.container().state()).await;
            let state = asked.map_err(|_| "it does not answer".to_owned());
            match state.and_then(|state| state.map_err(|error| error.to_string())) {
                Ok(SandboxState::Running) => return Ok(false),
                Ok(SandboxState::Paused) => {
                    // Somebody froze it. It is wanted now.
                    let resumed = sandbox.container().resume().await;
                    return Ok(resumed.is_err());
                }
                // One that was started again is found anew, where it is now.
                Ok(SandboxState::Gone | SandboxState::Restarted) => return Ok(true),
                Err(error) if tokio::time::Instant::now() >= deadline => {
                    tracing::warn!(conversation = %self.conversation(), %error, "the engine does not say how a container is");
                    return Err(format!(
                        "The sandbox of the conversation does not answer, and the engine does not say why: {error}"
                    ));
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        }
    }

    /// A container is gone.
    fn lose(&self, sandbox: &Arc<Sandbox>) {
        sandbox.note_gone();
        self.state.send_if_modified(|state| {
            let is_same = matches!(state, SlotState::Available(now) if Arc::ptr_eq(now, sandbox));
            if is_same {
                *state = SlotState::Missing;
            }
            is_same
        });
        tracing::warn!(conversation = %self.conversation(), "the container of a conversation is gone");
    }

    /// Makes a container, or finds the one that is there already.
    async fn fill(self: Arc<Self>, sandboxes: &Arc<Sandboxes>, attempt: &Attempt) {
        // Boxed: it holds a whole request to the engine.
        let making = Box::pin(self.make(sandboxes));
        let made = tokio::select! {
            biased;
            () = attempt.given_up() => None,
            // A server that ends does not wait for one.
            () = sandboxes.stop.cancelled() => None,
            made = making => Some(made),
        };
        match made {
            Some(Ok(sandbox)) => self.occupy(sandboxes, sandbox, attempt).await,
            Some(Err(reason)) => self.fail(reason, attempt),
            None => {
                self.clear_away(sandboxes).await;
                self.fail("the server ends".to_owned(), attempt);
            }
        }
    }

    /// Removes what is there of a container that was given up.
    async fn clear_away(&self, sandboxes: &Sandboxes) {
        // Without an engine nothing was made.
        let Some(engine) = sandboxes.engine.get() else {
            return;
        };
        if let Err(error) = engine.docker.remove_of(self.conversation()).await {
            tracing::warn!(conversation = %self.conversation(), %error, "a container that was given up is not removed; it ends by itself");
        }
    }

    /// No container could be made. Whoever gave it up knows that already.
    fn fail(&self, reason: String, attempt: &Attempt) {
        self.state.send_if_modified(|state| {
            let is_awaited = !attempt.is_given_up();
            if is_awaited {
                tracing::warn!(conversation = %self.conversation(), reason, "no container for a conversation");
                self.steps.add(format!("Failed: {reason}"), None);
                *state = SlotState::Failed(reason);
            }
            is_awaited
        });
    }

    async fn make(&self, sandboxes: &Arc<Sandboxes>) -> Result<Sandbox, String> {
        let plan = &self.plan;
        self.steps.add("Asking the container engine", None);
        let engine = sandboxes.engine().await?;
        if let Some(found) = self.find(&engine.docker).await? {
            let sandbox = Sandbox::new(found);
            if !self.is_lost(&sandbox).await? && answers(&sandbox, &sandboxes.web).await {
                self.steps
                    .add("Found the container of the conversation", None);
                self.init_git(&sandbox, &sandboxes.stop).await;
                return Ok(sandbox);
            }
            sandbox.remove().await;
        }
        let own = OwnData::of(&sandboxes.config);
        let to_prepare = plan.clone();
        let mounts = tokio::task::spawn_blocking(move || to_prepare.prepare(&own))
            .await
            .map_err(|error| error.to_string())??;
        let memory = plan.options.memory.as_deref();
        let spec = SandboxSpec {
            mounts,
            memory: memory.map(limits::bytes).transpose()?,
            cpus: plan.options.cpus,
            ..SandboxSpec::new(plan.conversation)
        };
        let sandbox = Sandbox::new(engine.start(spec, &self.steps).await?);
        self.init_git(&sandbox, &sandboxes.stop).await;
        Ok(sandbox)
    }

    /// The container that an earlier server left. An engine that does not answer is waited for: to make another one would
    /// end the one that runs.
    async fn find(&self, docker: &Docker) -> Result<Option<DockerSandbox>, String> {
        let deadline = tokio::time::Instant::now() + super::ENGINE_WAIT;
        loop {
            match docker.find(self.plan.conversation).await {
                Ok(found) => return Ok(found),
                Err(error) if tokio::time::Instant::now() >= deadline => {
                    return Err(error.to_string());
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(500)).await,
            }
        }
    }

    /// Makes the working directory a repository, inside, if it shall be one: changes are shown by git.
    async fn init_git(&self, sandbox: &Sandbox, stop: &CancellationToken) {
        if !self.plan.init_git || self.plan.working_dir.join(".git").exists() {
            return;
        }
        let runtime = self.runtime_at(Arc::new(sandbox.endpoint().clone()));
        let done = runtime
            .workspace()
            .exec(Exec::new(["git", "init"]), stop.child_token())
            .await;
        let is_done = done.as_ref().is_ok_and(|done| {
            done.exit
                .is_some_and(openhands_sdk_rs::process::Exit::success)
        });
        if !is_done {
            tracing::warn!(workspace = %self.plan.working_dir.display(), ?done, "no repository could be made");
        }
    }

    /// A runtime without tools, for programs of the server itself.
    fn runtime_at(&self, endpoints: Arc<dyn Endpoints>) -> RemoteRuntime {
        RemoteRuntime::new(
            endpoints,
            RemoteRequest {
                conversation: self.conversation(),
                root: self.conversation(),
                tools: Vec::new(),
                place: Place {
                    working_dir: self.plan.working_dir.clone(),
                    persistence_dir: Some(self.plan.directory.clone()),
                },
                env: Vec::new(),
            },
        )
    }

    /// Files and programs in the container, for the server itself.
    pub(crate) fn runtime(self: &Arc<Self>) -> RemoteRuntime {
        self.runtime_at(Arc::clone(self) as Arc<dyn Endpoints>)
    }

    /// Puts a container into the slot, or removes it if it was given up meanwhile.
    async fn occupy(&self, sandboxes: &Arc<Sandboxes>, sandbox: Sandbox, attempt: &Attempt) {
        let sandbox = Arc::new(sandbox);
        *self.last_used.lock() = Instant::now();
        // Decided while nobody else changes the state: one that is given up now would never be looked at again.
        let is_wanted = self.state.send_if_modified(|state| {
            let is_wanted = !attempt.is_given_up();
            if is_wanted {
                self.steps.add("The container is ready", Some(100));
                *state = SlotState::Available(Arc::clone(&sandbox));
            }
            is_wanted
        });
        if !is_wanted {
            return sandbox.remove().await;
        }
        if let Some(this) = self.me.upgrade() {
            let stop = sandboxes.stop.clone();
            let web = sandboxes.web.clone();
            sandboxes.tasks.spawn(async move {
                stop.run_until_cancelled(this.watch_over(&web, &sandbox))
                    .await;
            });
        }
    }

    /// Asks the server inside now and then, so that it knows that it is wanted, until it is gone.
    async fn watch_over(&self, web: &reqwest::Client, sandbox: &Arc<Sandbox>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(PERIOD) => {}
                () = sandbox.gone() => return,
            }
            let ping = sandbox.ping(web).await;
            if ping == Ping::Answered {
                continue;
            }
            match sandbox.container().state().await {
                Ok(SandboxState::Gone | SandboxState::Restarted) => return self.lose(sandbox),
                // At its address is somebody else. The next use asks the engine where it is.
                Ok(SandboxState::Running) if ping == Ping::Refused => return self.lose(sandbox),
                // Its port still takes what is sent to it, and whoever sent it would wait for ever.
                Ok(SandboxState::Paused) if self.users.load(Ordering::Acquire) > 0 => {
                    if let Err(error) = sandbox.container().resume().await {
                        tracing::warn!(conversation = %self.conversation(), %error, "a container stays frozen");
                    }
                }
                Ok(SandboxState::Running | SandboxState::Paused) | Err(_) => {}
            }
        }
    }

    /// Removes the container, if there is one; the next use makes another.
    pub(crate) async fn vacate(&self) {
        let mut taken = None;
        self.state.send_if_modified(|state| {
            if let SlotState::Available(sandbox) = state {
                taken = Some(Arc::clone(sandbox));
                *state = SlotState::Missing;
            }
            taken.is_some()
        });
        if let Some(sandbox) = taken {
            sandbox.remove().await;
        }
    }

    /// The same, also if it is only being made: it is not waited for.
    pub(crate) async fn clear(&self) {
        self.state.send_if_modified(|state| {
            let is_starting = matches!(state, SlotState::Starting);
            if is_starting {
                // Who waits for it need not wait any longer.
                *state = SlotState::Missing;
                if let Some(attempt) = &*self.attempt.lock() {
                    attempt.give_up();
                }
            }
            is_starting
        });
        let attempt = self.attempt.lock().clone();
        if let Some(attempt) = attempt.filter(|attempt| attempt.is_given_up())
            && tokio::time::timeout(GIVEN_UP, attempt.ended())
                .await
                .is_err()
        {
            tracing::warn!(conversation = %self.conversation(), "a container that was given up is not removed yet");
        }
        self.vacate().await;
    }

    /// Removes the container for good.
    pub(super) async fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.clear().await;
    }
}

/// Whether the server in a container that was found answers. A machine that has just come up may be busy.
async fn answers(sandbox: &Sandbox, web: &reqwest::Client) -> bool {
    let deadline = tokio::time::Instant::now() + FOUND;
    loop {
        match sandbox.ping(web).await {
            Ping::Answered => return true,
            Ping::Refused => return false,
            Ping::Silent if tokio::time::Instant::now() >= deadline => return false,
            Ping::Silent => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}

/// The container of a conversation, wherever it is at the moment.
impl Endpoints for Slot {
    fn endpoint(&self) -> BoxFuture<'_, Result<Endpoint, RuntimeError>> {
        Box::pin(async {
            *self.last_used.lock() = Instant::now();
            let sandbox = self.alive().await.map_err(RuntimeError::Unreachable)?;
            Ok(sandbox.endpoint().clone())
        })
    }
}

/// Somebody uses a slot.
#[derive(Debug)]
pub(crate) struct InUse(Arc<Slot>);

impl Drop for InUse {
    fn drop(&mut self) {
        *self.0.last_used.lock() = Instant::now();
        self.0.users.fetch_sub(1, Ordering::AcqRel);
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slot")
            .field("conversation", &self.plan.conversation)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}
