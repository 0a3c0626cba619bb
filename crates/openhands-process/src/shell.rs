//! The persistent shell: one bash on a terminal, which runs one command after the other and keeps its state.
//!
//! ```text
//!   Shell ── run, wait, output, input, keys, reset          session.rs  one live bash and its listener
//!     │                                                      stream.rs   where a command's output ends, when it is done
//!     ├── syntax.rs   is the text whole?                     marks.rs    marks in the terminal's stream
//!     ├── script.rs   the lines that drive bash              report.rs   what bash says on the control socket
//!     └── told.rs     what was reported already              capture.rs  capped output; notices.rs  job notices
//! ```
//!
//! Bash takes its lines from a private socket and reports on it, so an end is never guessed from what a
//! program prints. Nothing polls: a listener task sleeps on the terminal, the socket and the process.

mod capture;
mod config;
mod dying;
mod error;
mod input;
mod key;
mod listener;
mod marks;
mod notices;
mod outcome;
mod preview;
mod report;
mod script;
mod session;
mod started;
mod stream;
mod syntax;
mod told;

use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use capture::Captured;
pub use config::ShellConfig;
pub use error::ShellError;
pub use key::Key;
pub use outcome::{Completed, Outcome, Wait};
pub use script::is_variable_name;
pub use told::Output;

use preview::Preview;
use report::Report;
use script::Form;
use session::Session;
use stream::Ended;
use syntax::{Scan, Syntax};
use told::Told;

/// A persistent shell. All methods may be called from any task; dropping it ends all its processes.
#[derive(Debug)]
pub struct Shell {
    config: Arc<ShellConfig>,
    preview: Preview,
    changed: Arc<Notify>,
    session: Mutex<Option<Arc<Session>>>,
    unfinished: Mutex<Option<Unfinished>>,
    told: Mutex<Told>,
    /// Held while the shell is changed: a command begins, or a bash is replaced.
    change: tokio::sync::Mutex<()>,
    closed: CancellationToken,
}

/// A command of which bash would still be reading lines.
#[derive(Debug, Clone)]
struct Unfinished {
    text: String,
    environment: Vec<(String, String)>,
    since: Instant,
}

impl Shell {
    /// Starts a shell. Resolves when it is ready.
    pub async fn start(config: impl Into<Arc<ShellConfig>>) -> Result<Self, ShellError> {
        let config = config.into();
        let preview = Preview::default();
        let changed = Arc::new(Notify::new());
        let session = Session::start(&config, preview.clone(), Arc::clone(&changed)).await?;
        Ok(Self {
            config,
            preview,
            changed,
            session: Mutex::new(Some(Arc::new(session))),
            unfinished: Mutex::default(),
            told: Mutex::default(),
            change: tokio::sync::Mutex::default(),
            closed: CancellationToken::new(),
        })
    }

    /// Begins a command, after exporting these variables into the shell for good. [`Shell::wait`] follows it.
    ///
    /// A text that bash would still be reading lines of counts as running until [`Shell::send_line`] ends it.
    pub async fn run(
        &self,
        command: &str,
        environment: &[(String, String)],
    ) -> Result<(), ShellError> {
        check(command, environment)?;
        let _change = self.change.lock().await;
        if self.is_running() {
            return Err(ShellError::Busy);
        }
        let session = self.live_session().await?;
        self.told.lock().clear();
        self.hand_over(&session, command.to_owned(), environment.to_vec())
            .await
    }

    /// Hands a text to bash, or keeps it if it is not whole.
    async fn hand_over(
        &self,
        session: &Session,
        text: String,
        environment: Vec<(String, String)>,
    ) -> Result<(), ShellError> {
        if let Some(form) = self.form(&text, &session.known()).await {
            return session.begin(&text, form, &environment).await;
        }
        session.stream().lock().set_finished(None);
        *self.unfinished.lock() = Some(Unfinished {
            text,
            environment,
            since: Instant::now(),
        });
        Ok(())
    }

    /// How to hand a text over; `None` if it is not whole.
    async fn form(&self, text: &str, known: &Report) -> Option<Form> {
        let group = needs_group(text, known);
        match syntax::scan(text) {
            Scan::Simple => Some(Form::Group),
            // A parser in this process is some ten times faster than asking bash.
            Scan::Unclear if !group && syntax::parses(text) => Some(Form::Eval),
            Scan::Unclear => match syntax::ask_bash(&self.config.bash, text, group).await {
                Syntax::WellFormed => Some(Form::Group),
                Syntax::Incomplete => None,
                Syntax::Other => Some(Form::Eval),
            },
        }
    }

    /// The bash that is there; a fresh one if it died, or was never started again.
    async fn live_session(&self) -> Result<Arc<Session>, ShellError> {
        if self.closed.is_cancelled() {
            return Err(ShellError::Closed);
        }
        let current = self.session.lock().clone();
        match current {
            Some(session) if session.stream().lock().died().is_none() => Ok(session),
            _ => self.replace_session().await,
        }
    }

    /// Puts a fresh bash in the place of one that ended while no command ran, and gives the exit code of the old one.
    pub async fn revive(&self) -> Result<Option<i32>, ShellError> {
        let _change = self.change.lock().await;
        if self.is_running() {
            return Ok(None);
        }
        let current = self.session.lock().clone();
        let Some(exit) = current.and_then(|session| session.stream().lock().died()) else {
            return Ok(None);
        };
        self.replace_session().await?;
        Ok(Some(exit.shell_code()))
    }

    /// Puts a fresh bash in the place of the old one, whose last output is kept.
    async fn replace_session(&self) -> Result<Arc<Session>, ShellError> {
        let old = self.session.lock().take();
        let finished = match old {
            Some(old) => {
                old.kill().await;
                old.stream().lock().take_finished()
            }
            None => None,
        };
        let fresh = Session::start(
            &self.config,
            self.preview.clone(),
            Arc::clone(&self.changed),
        )
        .await?;
        fresh.stream().lock().set_finished(finished);
        let fresh = Arc::new(fresh);
        *self.session.lock() = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// Waits for the running command. Cancelling interrupts it, and kills it if that does not help; the shell stays.
    ///
    /// Dropping the future leaves the command running.
    pub async fn wait(
        &self,
        limits: Wait,
        cancel: &CancellationToken,
    ) -> Result<Outcome, ShellError> {
        let start = Instant::now();
        // A limit beyond all times is none.
        let hard = limits.hard.and_then(|limit| start.checked_add(limit));
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if let Some(completed) = self.completed().await? {
                return Ok(Outcome::Completed(completed));
            }
            let soft = limits
                .soft
                .and_then(|limit| self.last_output().max(start).checked_add(limit));
            let now = Instant::now();
            if hard.is_some_and(|hard| hard <= now) {
                return Ok(Outcome::HardTimeout);
            }
            if soft.is_some_and(|soft| soft <= now) {
                return Ok(Outcome::SoftTimeout);
            }
            tokio::select! {
                () = changed => {}
                () = until(soft.into_iter().chain(hard).min()) => {}
                () = cancel.cancelled() => return self.cancel().await.map(Outcome::Cancelled),
            }
        }
    }

    fn last_output(&self) -> Instant {
        if let Some(unfinished) = &*self.unfinished.lock() {
            return unfinished.since;
        }
        let session = self.session.lock();
        let last = session
            .as_ref()
            .map(|session| session.stream().lock().last_output());
        last.unwrap_or_else(Instant::now)
    }

    /// The end of the command, if it is there. An error if nothing runs.
    async fn completed(&self) -> Result<Option<Completed>, ShellError> {
        if self.closed.is_cancelled() {
            return Err(ShellError::Closed);
        }
        let Some(session) = self.session.lock().clone() else {
            return Err(ShellError::Idle);
        };
        let ended = session.stream().lock().take_ended();
        match ended {
            Some(Ended::Reported(report)) => {
                let report = *report;
                let completed = Completed::from_report(&report);
                session.learn(report);
                Ok(Some(completed))
            }
            Some(Ended::Died(exit)) => {
                let _change = self.change.lock().await;
                Ok(Some(self.come_back(exit.shell_code()).await))
            }
            None if self.is_running() => Ok(None),
            None => Err(ShellError::Idle),
        }
    }

    /// Starts a fresh bash after the old one ended with a command.
    async fn come_back(&self, exit_code: i32) -> Completed {
        match self.replace_session().await {
            Ok(session) => {
                let fresh = Completed::from_report(&session.known());
                Completed {
                    exit_code,
                    restarted: true,
                    ..fresh
                }
            }
            // The next command tries again, and says what is wrong.
            Err(error) => {
                tracing::warn!(%error, "the shell did not come back");
                Completed {
                    exit_code,
                    directory: self.config.directory.clone(),
                    python: String::new(),
                    last_background: None,
                    restarted: false,
                }
            }
        }
    }

    /// Whether a command runs, or waits for its remaining lines.
    pub fn is_running(&self) -> bool {
        let unfinished = self.unfinished.lock().is_some();
        unfinished
            || self.session.lock().as_ref().is_some_and(|session| {
                let stream = session.stream().lock();
                stream.is_running() || stream.has_ended()
            })
    }

    /// Pieces of output as they arrive while a command runs. One who does not keep up loses the oldest.
    pub fn subscribe(&self) -> broadcast::Receiver<Bytes> {
        self.preview.subscribe()
    }

    /// The output of the running or the last command that was not returned before, as a terminal would show it.
    ///
    /// After the end of a command, its record is given away with the first call.
    pub fn output(&self) -> Output {
        let session = self.session.lock().clone();
        let captured = session.and_then(|session| {
            let mut stream = session.stream().lock();
            let captured = stream.output().map(capture::Capture::snapshot);
            if !stream.is_running() {
                stream.set_finished(None);
            }
            captured
        });
        self.told.lock().tell(captured.unwrap_or_default())
    }

    /// Ends the shell with all its processes, and starts a fresh one in the original directory.
    pub async fn reset(&self) -> Result<(), ShellError> {
        let _change = self.change.lock().await;
        if self.closed.is_cancelled() {
            return Err(ShellError::Closed);
        }
        *self.unfinished.lock() = None;
        self.told.lock().clear();
        let session = self.replace_session().await?;
        session.stream().lock().set_finished(None);
        self.changed.notify_waiters();
        Ok(())
    }

    /// Ends the shell with all its processes.
    pub async fn close(&self) {
        self.closed.cancel();
        let session = self.session.lock().take();
        if let Some(session) = session {
            session.kill().await;
        }
        self.changed.notify_waiters();
    }

    /// The state of the shell after the last command.
    pub fn state(&self) -> Option<Completed> {
        let session = self.session.lock().clone()?;
        Some(Completed::from_report(&session.known()))
    }
}

/// Whether running the text as an argument of `eval` could be told from running it as typed.
fn needs_group(text: &str, known: &Report) -> bool {
    known.traps
        || known.flags.contains(['e', 'x', 'E', 'T'])
        || ["set -", "set +", "trap ", "PIPESTATUS", "SHELLOPTS"]
            .iter()
            .any(|sign| text.contains(sign))
}

fn check(text: &str, environment: &[(String, String)]) -> Result<(), ShellError> {
    for (name, value) in environment {
        if !is_variable_name(name.as_ref()) {
            return Err(ShellError::VariableName(name.clone()));
        }
        if value.contains('\0') {
            return Err(ShellError::Nul);
        }
    }
    if text.contains('\0') {
        return Err(ShellError::Nul);
    }
    Ok(())
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
