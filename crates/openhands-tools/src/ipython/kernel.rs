//! One kernel: a guarded process, and the ZeroMQ sockets by which it is spoken to.

use super::config::IPythonConfig;
use super::connection::Connection;
use super::desk::{Desk, Reply};
use super::error::IPythonError;
use super::output::Shown;
use super::wire::{Received, Signer};
use crate::executor::OutputSink;
use jupyter_protocol::{
    ExecuteRequest, JupyterMessage, JupyterMessageContent, KernelInfoRequest, ShutdownRequest,
};
use openhands_process::{Exit, HeadTail, Signal, Spawn, Stdio, Tree};
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use zeromq::{
    DealerSendHalf, DealerSocket, ReqSocket, Socket as _, SocketRecv, SocketSend as _, SubSocket,
    ZmqError, ZmqMessage,
};

/// How often a starting kernel is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// How long the first answer of a kernel is waited for before it is asked again: what it publishes before it knows of
/// our subscription is lost.
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// How much of what the process itself prints is kept, to explain a failed start.
const MAX_COMPLAINTS: usize = 8 << 10;
/// How long a kernel may take to end when it is asked to.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);
/// How long after its sockets the end of a kernel may become known.
const LAST_MOMENTS: Duration = Duration::from_secs(1);
/// How long what a dead kernel has sent is read.
const DRAIN: Duration = Duration::from_millis(100);

/// Makes a cell wait for what its programs have printed.
const SETTLE: &str = include_str!("settle.py");
/// Takes the limit off the queue of published messages. With it, a kernel drops output that it makes faster than it
/// is read. The queue belongs to the kernel's thread for output, so the change is made there.
const UNLIMITED_QUEUE: &str = "\
(lambda thread: thread.schedule(lambda: setattr(thread.socket, 'sndhwm', 0)))(get_ipython().kernel.iopub_thread)";

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The kernel answered, and is idle.
    Done(Reply),
    /// The kernel's process ended.
    Died(Exit),
}

pub(crate) struct Kernel {
    tree: Arc<Tree>,
    connection: Connection,
    signer: Signer,
    shell: tokio::sync::Mutex<DealerSendHalf>,
    desk: Arc<Desk>,
    complaints: Arc<Mutex<HeadTail>>,
    interpreter: PathBuf,
    /// Ends with the kernel.
    _readers: JoinSet<()>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("pid", &self.tree.pid())
            .field("interpreter", &self.interpreter)
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// Starts a kernel and waits until it answers.
    pub(crate) async fn start(
        config: &IPythonConfig,
        interpreter: &Path,
    ) -> Result<Self, IPythonError> {
        let deadline = Instant::now() + config.start_timeout;
        let connection = Connection::make(config.runtime_root.clone(), config.user.clone()).await?;
        let mut tree = spawn(config, interpreter, &connection).await?;
        let complaints = Arc::new(Mutex::new(HeadTail::with_ends(0, MAX_COMPLAINTS)));
        let mut readers = JoinSet::new();
        for pipe in [tree.stdout.take(), tree.stderr.take()]
            .into_iter()
            .flatten()
        {
            readers.spawn(keep_end(pipe, Arc::clone(&complaints)));
        }
        let failed = |error| explain(error, config, &tree, &complaints);
        until_bound(&tree, &connection, deadline)
            .await
            .map_err(failed)?;
        let signer = Signer::new(&connection.info().key)
            .ok_or_else(|| IPythonError::Socket("its key cannot be used".to_owned()))?;
        let mut shell = DealerSocket::new();
        let mut iopub = SubSocket::new();
        let info = connection.info();
        let connected = async {
            shell.connect(&info.shell_url()).await?;
            iopub.connect(&info.iopub_url()).await?;
            iopub.subscribe("").await
        };
        timeout_at(deadline, connected)
            .await
            .map_err(|_| explain(Problem::Slow, config, &tree, &complaints))?
            .map_err(|error| unreachable(&error))?;
        let (shell, answers) = shell.split();
        let desk = Arc::new(Desk::new());
        let sorted = Arc::clone(&desk);
        let tree = Arc::new(tree);
        let reading = read(answers, signer.clone(), move |message| {
            sorted.replied(message);
        });
        readers.spawn(while_alive(Arc::clone(&tree), reading));
        let sorted = Arc::clone(&desk);
        let reading = read(iopub, signer.clone(), move |message| {
            sorted.published(message);
        });
        readers.spawn(while_alive(Arc::clone(&tree), reading));
        let kernel = Self {
            tree,
            connection,
            signer,
            shell: tokio::sync::Mutex::new(shell),
            desk,
            complaints,
            interpreter: interpreter.to_owned(),
            _readers: readers,
        };
        match timeout_at(deadline, kernel.make_ready(config)).await {
            Ok(done) => done?,
            Err(_) => return Err(kernel.explain(Problem::Slow, config)),
        }
        kernel.desk.set_started();
        Ok(kernel)
    }

    /// Waits for the first answer, then runs the cells that every kernel runs first.
    async fn make_ready(&self, config: &IPythonConfig) -> Result<(), IPythonError> {
        loop {
            let request = JupyterMessage::new(KernelInfoRequest {}, None);
            self.desk.begin_quietly(&request.header.msg_id);
            self.send(&request).await?;
            match timeout(ASK_AGAIN, self.outcome()).await {
                Ok(Outcome::Done(_)) => break,
                Ok(Outcome::Died(exit)) => return Err(self.explain(Problem::Ended(exit), config)),
                Err(_) => {}
            }
        }
        self.desk.end();
        for cell in [UNLIMITED_QUEUE, SETTLE]
            .into_iter()
            .chain(config.setup.iter().map(String::as_str))
        {
            match self.run_quietly(cell).await? {
                (Outcome::Done(reply), text) => {
                    if let Some(error) = reply.error {
                        tracing::warn!(%error, %text, "a setup cell of the kernel failed");
                    }
                }
                (Outcome::Died(exit), _) => {
                    return Err(self.explain(Problem::Ended(exit), config));
                }
            }
        }
        Ok(())
    }

    /// Runs a cell of our own; gives what it printed.
    pub(crate) async fn run_quietly(&self, code: &str) -> Result<(Outcome, String), IPythonError> {
        let request = JupyterMessage::new(execute(code, true), None);
        self.desk.begin_quietly(&request.header.msg_id);
        self.send(&request).await?;
        let outcome = self.outcome().await;
        Ok((outcome, self.desk.end().text))
    }

    /// Begins a cell of the user's; [`Kernel::outcome`] waits for its end.
    pub(crate) async fn begin(
        &self,
        code: &str,
        config: &IPythonConfig,
        sink: OutputSink,
    ) -> Result<(), IPythonError> {
        let request = JupyterMessage::new(execute(code, false), None);
        self.desk
            .begin_cell(&request.header.msg_id, config.limits, sink);
        self.send(&request).await
    }

    /// Waits for the end of what was begun.
    pub(crate) async fn outcome(&self) -> Outcome {
        tokio::select! {
            biased;
            reply = self.desk.finished() => Outcome::Done(reply),
            exit = self.tree.wait() => {
                // What the kernel sent before its end is still in the sockets.
                match timeout(DRAIN, self.desk.finished()).await {
                    Ok(reply) => Outcome::Done(reply),
                    Err(_) => Outcome::Died(exit),
                }
            }
        }
    }

    /// What the cell has shown; it counts as ended after this.
    pub(crate) fn end(&self) -> Shown {
        self.desk.end()
    }

    /// Whether a cell was begun whose end nobody has seen.
    pub(crate) fn is_busy(&self) -> bool {
        self.desk.is_busy()
    }

    /// Interrupts what runs, without waiting for it.
    pub(crate) fn interrupt_now(&self) {
        let _ = self.tree.signal(Signal::INT);
    }

    /// Interrupts what runs, as Ctrl-C does. Whether the kernel can be used afterwards.
    pub(crate) async fn interrupt(&self, grace: Duration) -> bool {
        // Code may catch the first interrupt and go on; a second one half-way helps against that.
        for _ in 0..2 {
            self.interrupt_now();
            // A cell that awaits lets its event loop sleep, and the signal does not wake that up; a request does.
            let wake = JupyterMessage::new(KernelInfoRequest {}, None);
            let _ = timeout(grace / 2, self.send(&wake)).await;
            match timeout(grace / 2, self.outcome()).await {
                Ok(Outcome::Done(_)) => return true,
                Ok(Outcome::Died(_)) => return false,
                Err(_) => {}
            }
        }
        false
    }

    /// Waits until the process has ended by itself, as a cell asked it to.
    pub(crate) async fn gone(&self) -> bool {
        timeout(SHUTDOWN_GRACE, self.tree.wait()).await.is_ok()
    }

    /// Whether the process is there.
    pub(crate) fn is_running(&self) -> bool {
        self.tree.try_wait().is_none()
    }

    /// Whether the kernel answers on its heartbeat channel, which it does also while a cell runs.
    pub(crate) async fn beats(&self, within: Duration) -> bool {
        let beat = async {
            let mut socket = ReqSocket::new();
            socket.connect(&self.connection.info().hb_url()).await?;
            socket.send(ZmqMessage::from("ping")).await?;
            socket.recv().await
        };
        matches!(timeout(within, beat).await, Ok(Ok(_)))
    }

    /// Asks the kernel to end, then ends all that it started.
    pub(crate) async fn close(&self) {
        if self.is_running() && self.ask_to_end().await.is_ok() {
            let _ = timeout(SHUTDOWN_GRACE, self.tree.wait()).await;
        }
        self.kill().await;
    }

    /// Ends the kernel and all that it started, at once.
    pub(crate) async fn kill(&self) {
        if let Err(error) = self.tree.kill().await {
            tracing::warn!(%error, "a kernel left processes behind");
        }
    }

    async fn ask_to_end(&self) -> Result<(), IPythonError> {
        let request = JupyterMessage::new(ShutdownRequest { restart: false }, None);
        let frames = self
            .signer
            .encode(&request)
            .map_err(|error| IPythonError::Socket(error.to_string()))?;
        let url = self.connection.info().control_url();
        let asking = async {
            let mut control = DealerSocket::new();
            control.connect(&url).await?;
            control.send(frames).await?;
            // The answer says that the request was not lost with the socket.
            control.recv().await
        };
        match timeout(SHUTDOWN_GRACE, asking).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(unreachable(&error)),
            Err(_) => Err(IPythonError::Socket("no answer".to_owned())),
        }
    }

    async fn send(&self, request: &JupyterMessage) -> Result<(), IPythonError> {
        let frames = self
            .signer
            .encode(request)
            .map_err(|error| IPythonError::Socket(error.to_string()))?;
        let mut shell = self.shell.lock().await;
        match shell.send(frames).await {
            Ok(()) => Ok(()),
            // The sockets of a kernel that dies are closed before its end is known. Whoever waits for the answer notices it.
            Err(error) => match timeout(LAST_MOMENTS, self.tree.wait()).await {
                Ok(_) => Ok(()),
                Err(_) => Err(unreachable(&error)),
            },
        }
    }

    fn explain(&self, problem: Problem, config: &IPythonConfig) -> IPythonError {
        explain(problem, config, &self.tree, &self.complaints)
    }
}

/// Why a start failed, before it has its words.
#[derive(Debug, Clone, Copy)]
enum Problem {
    Ended(Exit),
    Slow,
}

fn explain(
    problem: Problem,
    config: &IPythonConfig,
    tree: &Tree,
    complaints: &Mutex<HeadTail>,
) -> IPythonError {
    let bytes = complaints.lock().join(|_| Vec::new());
    let output = String::from_utf8_lossy(&bytes).into_owned();
    match (problem, tree.try_wait()) {
        (Problem::Ended(exit), _) | (Problem::Slow, Some(exit)) => {
            IPythonError::Ended { exit, output }
        }
        (Problem::Slow, None) => IPythonError::Slow {
            after: config.start_timeout,
            output,
        },
    }
}

fn unreachable(error: &ZmqError) -> IPythonError {
    IPythonError::Socket(error.to_string())
}

/// A request to run code. Nobody can answer a question of it.
fn execute(code: &str, silent: bool) -> JupyterMessageContent {
    ExecuteRequest {
        code: code.to_owned(),
        silent,
        store_history: false,
        user_expressions: None,
        allow_stdin: false,
        stop_on_error: true,
    }
    .into()
}

async fn spawn(
    config: &IPythonConfig,
    interpreter: &Path,
    connection: &Connection,
) -> Result<Tree, IPythonError> {
    let mut spawn = Spawn::new(interpreter)
        .args(["-m", "ipykernel_launcher", "-f"])
        .arg(connection.file())
        .envs(config.environment.clone())
        // ipykernel loads a debugger, which warns of frozen modules in every kernel's output otherwise.
        .env("PYDEVD_DISABLE_FILE_VALIDATION", "1")
        .cwd(&config.directory)
        .nice(config.nice)
        .cgroup(config.cgroup)
        .stdout(Stdio::Pipe)
        .stderr(Stdio::Pipe);
    if let Some(user) = &config.user {
        spawn = spawn.user(user.clone());
    }
    Ok(spawn.start().await?)
}

/// Waits until the kernel has made its sockets.
async fn until_bound(
    tree: &Tree,
    connection: &Connection,
    deadline: Instant,
) -> Result<(), Problem> {
    let socket = connection.last_socket();
    let bound = async {
        while tokio::fs::symlink_metadata(&socket).await.is_err() {
            sleep(LOOK).await;
        }
    };
    tokio::select! {
        () = bound => Ok(()),
        exit = tree.wait() => {
            // Gives the readers of its output the time to take the reason.
            sleep(DRAIN).await;
            Err(Problem::Ended(exit))
        }
        () = tokio::time::sleep_until(deadline) => Err(Problem::Slow),
    }
}

/// Reads until the kernel has ended, and a little longer for what it sent last. A socket that is held longer tries for ever to
/// reach it again.
async fn while_alive(tree: Arc<Tree>, reading: impl Future<Output = ()>) {
    let ended = async {
        tree.wait().await;
        sleep(DRAIN).await;
    };
    tokio::select! {
        () = reading => {}
        () = ended => {}
    }
}

/// Hands on every message of a socket, until the socket is given up.
async fn read(mut socket: impl SocketRecv, signer: Signer, sort: impl Fn(Received)) {
    loop {
        match socket.recv().await {
            Ok(frames) => match signer.decode(&frames) {
                Ok(message) => sort(message),
                Err(error) => tracing::debug!(%error, "a message of the kernel was left out"),
            },
            Err(error) => {
                tracing::debug!(%error, "a socket of the kernel");
                // The kernel has ended, or ends; a broken socket must not keep a core busy until then.
                sleep(LOOK).await;
            }
        }
    }
}

/// Reads what the process itself prints, and keeps the end.
async fn keep_end(mut pipe: impl AsyncRead + Unpin, kept: Arc<Mutex<HeadTail>>) {
    let mut buffer = vec![0; 4096];
    while let Ok(read @ 1..) = pipe.read(&mut buffer).await {
        kept.lock().push(buffer.get(..read).unwrap_or_default());
    }
}
