//! Commands, input and keys in the persistent shell.

use super::config::TerminalConfig;
use super::render::MAX_CHARS;
use super::session::{Answer, Call, End, Ran, TerminalSession};
use super::{NAME, literal, texts};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::truncate::{DEFAULT_NOTICE, truncate_middle};
use futures_util::future::BoxFuture;
use openhands_process::{Completed, Key, Output, ShellError, is_variable_name};
use openhands_protocol::tool::{
    Action, CmdOutputMetadata, Observation, TerminalAction, TerminalObservation,
};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// The part of the host's idle limit that a foreground command may take.
const FOREGROUND_SHARE: f64 = 0.9;

/// The acting half of the terminal.
#[derive(Debug)]
pub struct TerminalExecutor {
    config: TerminalConfig,
    session: TerminalSession,
}

impl TerminalExecutor {
    /// A terminal without a shell yet.
    pub fn new(config: TerminalConfig) -> Self {
        Self {
            session: TerminalSession::new(Arc::clone(&config.shell)),
            config,
        }
    }

    async fn run(
        &self,
        action: TerminalAction,
        cx: CallContext,
    ) -> Result<TerminalObservation, ToolError> {
        let _turn = self.session.turn().await;
        if action.reset && action.is_input {
            return Err(ToolError::Invalid(texts::RESET_WITH_INPUT.to_owned()));
        }
        if !action.reset {
            return self.call(&action, &cx).await;
        }
        self.session
            .restart()
            .await
            .map_err(|error| failed(&error))?;
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
        let secrets: Vec<(String, String)> = cx
            .env
            .iter()
            .filter(|(name, _)| is_variable_name(name.as_ref()))
            .filter_map(|(name, secret)| Some((name.clone(), secret.expose()?.to_owned())))
            .collect();
        let time = action
            .timeout
            .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX / 4));
        let call = Call {
            command,
            // compat: the three-character form is a key even where a command is expected.
            key: Key::parse(command)
                .filter(|_| action.is_input || texts::special_key(command).is_some()),
            is_input: action.is_input,
            silence: time.is_none().then_some(self.config.no_change_timeout),
            time,
            environment: &secrets,
            cancel: &cx.cancel,
            output: &cx.output,
        };
        match self
            .session
            .call_in_turn(&call)
            .await
            .map_err(|error| failed(&error))?
        {
            Answer::NothingToShow => refusal(texts::NO_LOGS.to_owned()),
            Answer::NothingToFeed => refusal(texts::NO_INPUT.to_owned()),
            Answer::Several(statements) => refusal(texts::several_commands(&statements)),
            Answer::Ran(ran) => Ok(self.observe(action, &ran)),
        }
    }

    /// The refusal of a time limit that the host's idle clean-up would cut short.
    fn beyond_idle_limit(&self, command: &str, timeout: Option<f64>) -> Option<String> {
        let idle_timeout = self.config.idle_timeout?;
        let longest = idle_timeout * FOREGROUND_SHARE;
        let timeout = timeout.filter(|timeout| *timeout > longest && !command.is_empty())?;
        Some(texts::limit_too_long(timeout, idle_timeout, longest))
    }

    /// The answer of a call.
    fn observe(&self, action: &TerminalAction, ran: &Ran) -> TerminalObservation {
        let command = action.command.trim();
        let Ran { end, output, .. } = ran;
        let mut text = ran.text();
        let mut metadata = CmdOutputMetadata::default();
        match end {
            End::Completed(completed) => {
                text = self.complete(command, completed, output, text, &mut metadata);
            }
            End::Silent => {
                metadata.suffix = texts::silent(self.config.no_change_timeout.as_secs(), NAME);
            }
            End::TimedOut => {
                metadata.suffix = texts::timed_out(action.timeout.unwrap_or_default(), NAME);
            }
            End::Refused => metadata.suffix = texts::refused(command, NAME),
        }
        if output.earlier > 0 && !matches!(end, End::Completed(_)) {
            texts::CONTINUED.clone_into(&mut metadata.prefix);
        }
        if let Some(exit_code) = ran.replaced {
            let note = texts::shell_was_replaced(exit_code);
            metadata.prefix.insert_str(0, &note);
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
            hostname: Some(self.session.hostname().to_owned()),
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
        let (shown, lost) = self.session.visible(text.trim());
        if lost || output.cleared {
            // The reference counts the empty line before its prompt too.
            metadata.prefix = texts::lines_lost(shown.lines().count() + 1);
        }
        shown.to_owned()
    }
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
            self.session.close().await;
        })
    }
}
