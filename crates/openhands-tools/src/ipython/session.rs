//! IPython as its users see it: cells one after the other, in a kernel that comes back.

use super::config::IPythonConfig;
use super::error::IPythonError;
use super::interpreter;
use super::kernel::{Kernel, Outcome};
use crate::executor::OutputSink;
use openhands_process::Exit;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long a kernel may take to answer on its heartbeat channel.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long our own cells (the directory, variables) may take.
const QUIET: Duration = Duration::from_secs(10);

/// Code to run, and how.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// The code.
    pub code: String,
    /// When it is interrupted; never, if there is no limit.
    pub timeout: Option<Duration>,
    /// The directory that the cell should be in. The kernel goes there if it is another than the last cell's, so that
    /// a cell's own `chdir` holds until then.
    pub directory: Option<PathBuf>,
    /// Variables that are set in the kernel before the cell runs, and stay.
    pub variables: Vec<(String, String)>,
    /// Takes output while the cell runs.
    pub output: OutputSink,
}

/// What a cell has shown, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its text: what it printed and displayed, its value, its traceback.
    pub text: String,
    /// Its images, as data URLs.
    pub images: Vec<String>,
    /// Whether it showed anything at all, if only white space.
    pub showed: bool,
    /// How it ended.
    pub end: End,
}

/// How a cell ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It ran to its end.
    Done,
    /// An exception of this class ended it; the text has its traceback.
    Failed(String),
    /// It was interrupted after its time; whether the kernel was lost because it did not stop.
    TimedOut {
        /// Whether the kernel was killed.
        lost: bool,
    },
    /// The caller cancelled it; whether the kernel was lost because it did not stop.
    Cancelled {
        /// Whether the kernel was killed.
        lost: bool,
    },
    /// The kernel ended while the cell ran.
    Died(Exit),
    /// The cell ended the kernel, by `exit` or `quit`.
    Exited,
}

impl End {
    /// What the reader must know besides the output, if the kernel was lost.
    pub fn note(&self) -> Option<String> {
        let fresh = "Its variables are gone; the next cell runs in a fresh kernel.";
        match self {
            Self::Done
            | Self::Failed(_)
            | Self::TimedOut { lost: false }
            | Self::Cancelled { lost: false } => None,
            Self::TimedOut { lost: true } | Self::Cancelled { lost: true } => Some(format!(
                "[The IPython kernel did not react to the interrupt and was killed. {fresh}]"
            )),
            Self::Died(exit) => Some(format!(
                "[The IPython kernel died while it ran this cell ({exit}). {fresh}]"
            )),
            Self::Exited => Some(format!(
                "[The IPython kernel was ended by this cell. {fresh}]"
            )),
        }
    }
}

/// A kernel, and what its cells have brought it to.
#[derive(Debug)]
struct Held {
    kernel: Arc<Kernel>,
    directory: Option<PathBuf>,
    variables: BTreeMap<String, String>,
}

/// An IPython session. Cells run one at a time; a kernel is started by the first one, or by [`IPython::start`], and
/// again after it has ended for whatever reason. Dropping it ends the kernel with all that it started.
#[derive(Debug)]
pub struct IPython {
    config: IPythonConfig,
    /// Whoever holds this may use the kernel.
    turn: tokio::sync::Mutex<Option<Held>>,
    /// The kernel of the moment, for those who only look.
    current: Mutex<Option<Arc<Kernel>>>,
    interpreter: Mutex<Option<PathBuf>>,
    /// Variables that every kernel gets.
    variables: Mutex<BTreeMap<String, String>>,
}

impl IPython {
    /// A session without a kernel yet.
    pub fn new(config: IPythonConfig) -> Self {
        Self {
            config,
            turn: tokio::sync::Mutex::default(),
            current: Mutex::default(),
            interpreter: Mutex::default(),
            variables: Mutex::default(),
        }
    }

    /// Finds the interpreter, if it is not known yet, without starting a kernel.
    pub async fn find_interpreter(&self) -> Result<PathBuf, IPythonError> {
        let known = self.interpreter.lock().clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = interpreter::find(&self.config).await?;
        Ok(self.interpreter.lock().insert(found).clone())
    }

    /// The interpreter of the kernels, once it is known.
    pub fn interpreter(&self) -> Option<PathBuf> {
        self.interpreter.lock().clone()
    }

    /// Starts the kernel now, if there is none that runs.
    pub async fn start(&self) -> Result<(), IPythonError> {
        let mut turn = self.turn.lock().await;
        self.running(&mut turn).await.map(|_| ())
    }

    /// Whether there is a kernel that answers, also while a cell runs.
    pub async fn is_healthy(&self) -> bool {
        let kernel = self.current.lock().clone();
        match kernel {
            Some(kernel) => kernel.is_running() && kernel.beats(HEARTBEAT).await,
            None => false,
        }
    }

    /// Sets variables in the kernel, and in those after it.
    pub async fn set_variables(
        &self,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<(), IPythonError> {
        self.variables.lock().extend(variables);
        let mut turn = self.turn.lock().await;
        let Some(held) = turn.as_mut().filter(|held| held.kernel.is_running()) else {
            return Ok(());
        };
        self.bring_variables(held, &[]).await
    }

    /// Runs a cell. It is interrupted when its time is over or when it is cancelled, and its kernel is killed if that
    /// does not help. A call that is dropped interrupts its cell too.
    pub async fn run(&self, cell: Cell, cancel: &CancellationToken) -> Result<Ran, IPythonError> {
        let mut turn = tokio::select! {
            turn = self.turn.lock() => turn,
            () = cancel.cancelled() => return Err(IPythonError::Cancelled),
        };
        let held = tokio::select! {
            held = self.running(&mut turn) => held?,
            () = cancel.cancelled() => return Err(IPythonError::Cancelled),
        };
        // Nothing is begun for one who has given up.
        if cancel.is_cancelled() {
            return Err(IPythonError::Cancelled);
        }
        self.bring_variables(held, &cell.variables).await?;
        if let Some(directory) = &cell.directory {
            go(held, directory).await?;
        }
        let kernel = Arc::clone(&held.kernel);
        let interrupt = InterruptOnDrop(Some(&kernel));
        kernel
            .begin(&cell.code, &self.config, cell.output.clone())
            .await?;
        let end = self.follow(&kernel, cell.timeout, cancel).await;
        interrupt.disarm();
        let shown = kernel.end();
        if end.loses_kernel() {
            *self.current.lock() = None;
            *turn = None;
            kernel.kill().await;
        }
        Ok(Ran {
            text: shown.text,
            images: shown.images,
            showed: shown.anything,
            end,
        })
    }

    async fn follow(
        &self,
        kernel: &Kernel,
        limit: Option<Duration>,
        cancel: &CancellationToken,
    ) -> End {
        let over = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            outcome = kernel.outcome() => match outcome {
                Outcome::Done(reply) if reply.exits => {
                    kernel.gone().await;
                    End::Exited
                }
                Outcome::Done(reply) => reply.error.map_or(End::Done, End::Failed),
                Outcome::Died(exit) => End::Died(exit),
            },
            () = cancel.cancelled() => End::Cancelled {
                lost: !kernel.interrupt(self.config.interrupt_grace).await,
            },
            () = over => End::TimedOut {
                lost: !kernel.interrupt(self.config.interrupt_grace).await,
            },
        }
    }

    /// Ends the kernel and starts another.
    pub async fn restart(&self) -> Result<(), IPythonError> {
        let mut turn = self.turn.lock().await;
        self.give_up(&mut turn).await;
        self.running(&mut turn).await.map(|_| ())
    }

    /// Replaces a kernel that does not answer, also while a cell runs, which then ends.
    pub async fn replace(&self) -> Result<(), IPythonError> {
        let kernel = self.current.lock().take();
        if let Some(kernel) = kernel {
            kernel.kill().await;
        }
        self.start().await
    }

    /// Ends the kernel. A later cell starts another.
    pub async fn close(&self) {
        let kernel = self.current.lock().clone();
        if let Some(kernel) = kernel {
            // Not behind a cell that may run for hours.
            kernel.close().await;
        }
        let mut turn = self.turn.lock().await;
        self.give_up(&mut turn).await;
    }

    async fn give_up(&self, turn: &mut Option<Held>) {
        *self.current.lock() = None;
        if let Some(held) = turn.take() {
            held.kernel.close().await;
        }
    }

    /// The kernel that runs; started if there is none, replaced if it has ended or cannot be had back from a cell that
    /// nobody waits for.
    async fn running<'a>(&self, turn: &'a mut Option<Held>) -> Result<&'a mut Held, IPythonError> {
        let grace = self.config.interrupt_grace;
        let usable = match turn {
            Some(held) if !held.kernel.is_running() => false,
            Some(held) if held.kernel.is_busy() => {
                let usable = held.kernel.interrupt(grace).await;
                held.kernel.end();
                usable
            }
            Some(_) => true,
            None => false,
        };
        if !usable {
            *self.current.lock() = None;
            if let Some(old) = turn.take() {
                old.kernel.kill().await;
            }
            let interpreter = self.find_interpreter().await?;
            let kernel = Arc::new(Kernel::start(&self.config, &interpreter).await?);
            *self.current.lock() = Some(Arc::clone(&kernel));
            *turn = Some(Held {
                kernel,
                directory: None,
                variables: BTreeMap::new(),
            });
        }
        turn.as_mut().ok_or(IPythonError::Cancelled)
    }

    /// Sets what the kernel does not have yet.
    async fn bring_variables(
        &self,
        held: &mut Held,
        more: &[(String, String)],
    ) -> Result<(), IPythonError> {
        let mut missing = self.variables.lock().clone();
        missing.extend(more.iter().cloned());
        missing.retain(|name, value| {
            !name.is_empty()
                && !name.contains(['=', '\0'])
                && !value.contains('\0')
                && held.variables.get(name) != Some(value)
        });
        if missing.is_empty() {
            return Ok(());
        }
        let mut pairs = String::new();
        for (name, value) in &missing {
            let _ = write!(
                pairs,
                "{}: {}, ",
                literal(name.as_bytes()),
                literal(value.as_bytes())
            );
        }
        quietly(
            &held.kernel,
            &format!("__import__('os').environb.update({{{pairs}}})"),
        )
        .await?;
        held.variables.extend(missing);
        Ok(())
    }
}

impl End {
    fn loses_kernel(&self) -> bool {
        self.note().is_some()
    }
}

/// Takes the kernel to a directory, if it is not where the last cell was. One that cannot be entered is left at
/// that: the cell runs where it is.
async fn go(held: &mut Held, directory: &Path) -> Result<(), IPythonError> {
    if held.directory.as_deref() == Some(directory) {
        return Ok(());
    }
    let path = literal(directory.as_os_str().as_bytes());
    quietly(&held.kernel, &format!("__import__('os').chdir({path})")).await?;
    held.directory = Some(directory.to_owned());
    Ok(())
}

/// Runs a cell of our own. A kernel that dies over it is noticed by the next cell.
async fn quietly(kernel: &Kernel, code: &str) -> Result<(), IPythonError> {
    match tokio::time::timeout(QUIET, kernel.run_quietly(code)).await {
        Ok(done) => {
            if let (Outcome::Done(reply), text) = done?
                && reply.error.is_some()
            {
                tracing::debug!(%text, "a cell of our own failed");
            }
            Ok(())
        }
        Err(_) => Err(IPythonError::Socket(
            "it does not run a cell that prepares yours".to_owned(),
        )),
    }
}

/// Bytes as Python writes them.
fn literal(bytes: &[u8]) -> String {
    format!("bytes.fromhex('{}')", super::wire::hex(bytes))
}

/// Interrupts a cell that nobody waits for any more.
struct InterruptOnDrop<'a>(Option<&'a Kernel>);

impl InterruptOnDrop<'_> {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for InterruptOnDrop<'_> {
    fn drop(&mut self) {
        if let Some(kernel) = self.0.take() {
            kernel.interrupt_now();
        }
    }
}
