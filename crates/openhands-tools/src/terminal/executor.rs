//! Commands, input and keys in the persistent shell.

use super::config::TerminalConfig;
use super::render::MAX_CHARS;
use super::{NAME, literal, scrollback, statements, texts};
use crate::executor::{CallContext, OutputSink, ToolError, ToolExecutor};
use crate::truncate::{DEFAULT_NOTICE, truncate_middle};
use futures_util::future::BoxFuture;
use openhands_process::{
    Completed, Key, Outcome, Output, Shell, ShellError, Wait, is_variable_name,
};
use openhands_protocol::tool::{
    Action, CmdOutputMetadata, Observation, TerminalAction, TerminalObservation,
};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::sync::broadcast::error::RecvError;

/// How much longer than the limit silence may last. A command that ends, or prints, just at the limit is then seen to
/// do so, as it is by the reference, which looks only every half second.
const SILENCE_GRACE: Duration = Duration::from_millis(200);
/// The part of the host's idle limit that a foreground command may take.
const FOREGROUND_SHARE: f64 = 0.9;

/// The acting half of the terminal: one shell, started at the first call.
#[derive(Debug)]
pub struct TerminalExecutor {
    config: TerminalConfig,
    hostname: String,
    shell: Mutex<Option<Arc<Shell>>>,
    /// One call at a time: a second one would take the first one's output.
    turn: Mutex<()>,
}

/// How a call ended, before it has its words.
enum End {
    Completed(Completed),
    Silent,
    TimedOut(f64),
    Refused,
}

impl TerminalExecutor {
    /// A terminal without a shell yet.
    pub fn new(config: TerminalConfig) -> Self {
        let name = rustix::system::uname();
        let hostname = name.nodename().to_string_lossy();
        Self {
            config,
            hostname: hostname.split('.').next().unwrap_or_default().to_owned(),
            shell: Mutex::default(),
            turn: Mutex::default(),
        }
    }

    async fn run(
        &self,
        action: TerminalAction,
        cx: CallContext,
    ) -> Result<TerminalObservation, ToolError> {
        let _turn = self.turn.lock().await;
        if action.reset && action.is_input {
            return Err(ToolError::Invalid(texts::RESET_WITH_INPUT.to_owned()));
        }
        if !action.reset {
            return self.call(&action, &cx).await;
        }
        self.restart().await?;
        if action.command.trim().is_empty() {
            return Ok(TerminalObservation {
                command: Some("[RESET]".to_owned()),
                exit_code: Some(0),
                ..TerminalObservation::with_text(texts::RESET)
            });
        }
        let observation = self.call(&action, &cx).await?;
        let text = Observation::Terminal(observation.clone()).text();
        Ok(TerminalObservation {
            content: vec![format!("{}\n\n{text}", texts::RESET).into()],
            command: Some(format!("[RESET] {}", action.command.trim())),
            ..observation
        })
    }

    async fn restart(&self) -> Result<(), ToolError> {
        let running = self.shell.lock().await.clone();
        match running {
            Some(shell) => shell.reset().await.map_err(|error| failed(&error)),
            None => self.shell().await.map(|_| ()),
        }
    }

    /// The shell; the first call starts it.
    async fn shell(&self) -> Result<Arc<Shell>, ToolError> {
        let mut shell = self.shell.lock().await;
        if let Some(running) = &*shell {
            return Ok(Arc::clone(running));
        }
        let started = Shell::start(self.config.shell.clone())
            .await
            .map_err(|error| failed(&error))?;
        Ok(Arc::clone(shell.insert(Arc::new(started))))
    }

    /// One command, input or key, in the contract's order of checks.
    async fn call(
        &self,
        action: &TerminalAction,
        cx: &CallContext,
    ) -> Result<TerminalObservation, ToolError> {
        let command = action.command.trim();
        let refusal = |text: String| {
            Ok(TerminalObservation {
                command: Some(command.to_owned()),
                ..TerminalObservation::with_error(text)
            })
        };
        if !action.is_input {
            if let Some(kind) = literal::kind(command) {
                return refusal(literal::explanation(command, kind));
            }
            if let Some(text) = self.beyond_idle_limit(command, action.timeout) {
                return refusal(text);
            }
        }
        let current = self.shell.lock().await.clone();
        let busy = current.as_ref().is_some_and(|shell| shell.is_running());
        if !busy && command.is_empty() {
            return refusal(texts::NO_LOGS.to_owned());
        }
        if !busy && action.is_input {
            return refusal(texts::NO_INPUT.to_owned());
        }
        let statements = statements::split(command);
        if statements.len() > 1 {
            return refusal(texts::several_commands(&statements));
        }
        let shell = self.shell().await?;
        let mut earlier = String::new();
        if busy && let Some(completed) = ended(&shell).await? {
            if command.is_empty() || action.is_input {
                // What the input was for has ended by itself; typing it at the prompt would run it as a command.
                return Ok(self.observe(
                    command,
                    &End::Completed(completed),
                    &shell.output(),
                    &earlier,
                ));
            }
            earlier = shell.output().text;
        } else if busy && !action.is_input && !command.is_empty() {
            return Ok(self.observe(command, &End::Refused, &shell.output(), &earlier));
        }
        let end = streaming(
            &shell,
            &cx.output,
            self.send_and_wait(&shell, command, action, cx),
        )
        .await?;
        let mut output = shell.output();
        if action.is_input {
            output.text = without_echo(&output.text, command).to_owned();
        }
        Ok(self.observe(command, &end, &output, &earlier))
    }

    async fn send_and_wait(
        &self,
        shell: &Shell,
        command: &str,
        action: &TerminalAction,
        cx: &CallContext,
    ) -> Result<End, ToolError> {
        send(shell, command, action.is_input, cx)
            .await
            .map_err(|error| failed(&error))?;
        let hard = action
            .timeout
            .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4));
        let limits = Wait {
            soft: hard
                .is_none()
                .then_some(self.config.no_change_timeout + SILENCE_GRACE),
            hard,
        };
        match shell
            .wait(limits, &cx.cancel)
            .await
            .map_err(|error| failed(&error))?
        {
            Outcome::Completed(completed) | Outcome::Cancelled(completed) => {
                Ok(End::Completed(completed))
            }
            Outcome::SoftTimeout => Ok(End::Silent),
            Outcome::HardTimeout => Ok(End::TimedOut(action.timeout.unwrap_or_default())),
        }
    }

    /// The refusal of a time limit that the host's idle clean-up would cut short.
    fn beyond_idle_limit(&self, command: &str, timeout: Option<f64>) -> Option<String> {
        let idle_timeout = self.config.idle_timeout?;
        let longest = idle_timeout * FOREGROUND_SHARE;
        let timeout = timeout.filter(|timeout| *timeout > longest && !command.is_empty())?;
        Some(texts::limit_too_long(timeout, idle_timeout, longest))
    }

    /// The answer of a call. `earlier` is output of a command before, which ended while nobody was looking.
    fn observe(
        &self,
        command: &str,
        end: &End,
        output: &Output,
        earlier: &str,
    ) -> TerminalObservation {
        let mut text = output.text.clone();
        if !earlier.trim().is_empty() {
            text = format!("{}\n{text}", earlier.trim());
        }
        let mut metadata = CmdOutputMetadata::default();
        match end {
            End::Completed(completed) => {
                text = self.complete(command, completed, output, text, &mut metadata);
            }
            End::Silent => metadata.suffix = texts::silent(self.config.no_change_timeout.as_secs()),
            End::TimedOut(seconds) => metadata.suffix = texts::timed_out(*seconds),
            End::Refused => metadata.suffix = texts::refused(command),
        }
        if output.earlier > 0 && !matches!(end, End::Completed(_)) {
            texts::CONTINUED.clone_into(&mut metadata.prefix);
        }
        let text = truncate_middle(text.trim(), MAX_CHARS, DEFAULT_NOTICE).into_owned();
        TerminalObservation {
            is_error: matches!(end, End::Refused),
            command: Some(command.to_owned()),
            exit_code: Some(metadata.exit_code),
            metadata,
            full_output_save_dir: self
                .config
                .save_dir
                .as_ref()
                .map(|directory| directory.display().to_string()),
            ..TerminalObservation::with_text(text)
        }
    }

    /// Fills in what is known after a command's end; gives the part of its output that is shown.
    fn complete(
        &self,
        command: &str,
        completed: &Completed,
        output: &Output,
        text: String,
        metadata: &mut CmdOutputMetadata,
    ) -> String {
        *metadata = CmdOutputMetadata {
            exit_code: completed.exit_code,
            pid: completed.last_background.unwrap_or(-1),
            username: self.config.username.clone(),
            hostname: Some(self.hostname.clone()),
            working_dir: Some(completed.directory.display().to_string()),
            py_interpreter_path: Some(completed.python.clone()),
            suffix: if completed.restarted {
                texts::shell_ended(command, completed.exit_code)
            } else {
                texts::completed(command, completed.exit_code)
            },
            ..CmdOutputMetadata::default()
        };
        if output.earlier > 0 {
            return text;
        }
        let (shown, lost) = scrollback::visible(text.trim());
        if lost || output.cleared {
            // The reference counts the empty line before its prompt too.
            metadata.prefix = texts::lines_lost(shown.lines().count() + 1);
        }
        shown.to_owned()
    }
}

/// Hands the command, the input or the key to the shell.
async fn send(
    shell: &Shell,
    command: &str,
    is_input: bool,
    cx: &CallContext,
) -> Result<(), ShellError> {
    match (is_input, Key::parse(command)) {
        _ if command.is_empty() => Ok(()),
        (true, Some(key)) => shell.send_key(key).await,
        (true, None) => shell.send_line(command).await,
        // compat: the three-character form is a key even where a command is expected.
        (false, Some(key)) if texts::special_key(command).is_some() => shell.press_idle(key).await,
        (false, _) => {
            let secrets: Vec<(String, String)> = cx
                .env
                .iter()
                .filter(|(name, _)| is_variable_name(name.as_ref()))
                .filter_map(|(name, secret)| Some((name.clone(), secret.expose()?.to_owned())))
                .collect();
            shell.run(command, &secrets).await
        }
    }
}

/// Passes on what the shell prints while `work` runs.
async fn streaming<T>(shell: &Shell, sink: &OutputSink, work: impl Future<Output = T>) -> T {
    if !sink.is_watched() {
        return work.await;
    }
    let mut pieces = shell.subscribe();
    let mut work = std::pin::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            piece = pieces.recv() => match piece {
                Ok(piece) => sink.push(piece),
                // Too slow: the preview has a gap.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break work.await,
            },
        }
    };
    while let Ok(piece) = pieces.try_recv() {
        sink.push(piece);
    }
    done
}

/// The end of the running command, if it has come.
async fn ended(shell: &Shell) -> Result<Option<Completed>, ToolError> {
    let now = Wait {
        soft: None,
        hard: Some(Duration::ZERO),
    };
    let never = tokio_util::sync::CancellationToken::new();
    match shell
        .wait(now, &never)
        .await
        .map_err(|error| failed(&error))?
    {
        Outcome::Completed(completed) | Outcome::Cancelled(completed) => Ok(Some(completed)),
        Outcome::SoftTimeout | Outcome::HardTimeout => Ok(None),
    }
}

/// Input is echoed by the terminal; the model knows what it sent.
fn without_echo<'a>(text: &'a str, command: &str) -> &'a str {
    let text = text.trim_start();
    if command.is_empty() {
        return text;
    }
    text.strip_prefix(command).map_or(text, str::trim_start)
}

fn failed(error: &ShellError) -> ToolError {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    ToolError::Failed(text)
}

impl ToolExecutor for TerminalExecutor {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            match action {
                Action::Terminal(action) => self.run(action, cx).await.map(Observation::Terminal),
                other => Err(ToolError::wrong_action(NAME, &other)),
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(shell) = self.shell.lock().await.take() {
                shell.close().await;
            }
        })
    }
}
