//! Cells of the `ipython` tool.

use super::NAME;
use super::config::IPythonConfig;
use super::error::IPythonError;
use super::session::{Cell, End, IPython, Ran};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::{CreateError, Machine};
use crate::terminal::MAX_CHARS;
use crate::truncate::{DEFAULT_NOTICE, truncate_middle};
use futures_util::future::BoxFuture;
use openhands_process::{is_variable_name, shell_environment};
use openhands_protocol::JsonObject;
use openhands_protocol::message::Content;
use openhands_protocol::tool::{Action, IPythonAction, IPythonObservation, Observation};
use serde_json::Value;
use std::fmt::Write as _;
use std::time::Duration;

/// How long a cell may run if nothing else is said.
const TIMEOUT_SECONDS: f64 = 120.0;
/// How much lower than the server's own the priority of kernels is, as that of commands.
const NICE: i32 = 10;
const RESET: &str = "A fresh IPython kernel was started. All variables are gone.";

/// The acting half of IPython: one kernel, started at the first call.
#[derive(Debug)]
pub struct IPythonExecutor {
    ipython: IPython,
}

impl IPythonExecutor {
    /// An executor without a kernel yet. Parameter of the spec: `interpreter`, the Python to use.
    pub fn new(machine: &Machine, params: &JsonObject) -> Result<Self, CreateError> {
        let server = machine
            .env
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        let mut config = IPythonConfig::new(&machine.place.working_dir, shell_environment(server));
        config.nice = if machine.keep_priority { 0 } else { NICE };
        config.setup = vec!["%colors nocolor".to_owned()];
        config.interpreter = match params.get("interpreter") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) => Some(path.into()),
            Some(other) => {
                return Err(CreateError::BadParameter {
                    tool: NAME.to_owned(),
                    parameter: "interpreter".to_owned(),
                    problem: format!("a string is wanted, not {other}"),
                });
            }
        };
        Ok(Self {
            ipython: IPython::new(config),
        })
    }

    async fn run(
        &self,
        action: IPythonAction,
        cx: CallContext,
    ) -> Result<IPythonObservation, ToolError> {
        if action.reset {
            self.ipython
                .restart()
                .await
                .map_err(|error| failed(&error))?;
            if action.code.trim().is_empty() {
                return Ok(IPythonObservation {
                    interpreter: self.interpreter(),
                    ..IPythonObservation::with_text(RESET)
                });
            }
        }
        let limit = action.timeout.unwrap_or(TIMEOUT_SECONDS);
        let variables = cx
            .env
            .iter()
            .filter(|(name, _)| is_variable_name(name.as_ref()))
            .filter_map(|(name, secret)| Some((name.clone(), secret.expose()?.to_owned())))
            .collect();
        let cell = Cell {
            code: action.code.clone(),
            timeout: Some(Duration::try_from_secs_f64(limit).unwrap_or(Duration::MAX / 4)),
            directory: None,
            variables,
            output: cx.output,
        };
        let ran = match self.ipython.run(cell, &cx.cancel).await {
            Ok(ran) => ran,
            Err(IPythonError::Cancelled) => return Err(ToolError::Cancelled),
            Err(error) => return Err(failed(&error)),
        };
        Ok(self.observe(action, ran, limit))
    }

    /// What the model sees of a cell.
    fn observe(&self, action: IPythonAction, ran: Ran, limit: f64) -> IPythonObservation {
        let mut text = truncate_middle(&ran.text, MAX_CHARS, DEFAULT_NOTICE).into_owned();
        let end = match &ran.end {
            End::Done if !ran.showed => Some("[The cell ran and showed nothing.]".to_owned()),
            End::TimedOut { .. } => Some(format!(
                "[The cell was interrupted after {limit:?} seconds.]"
            )),
            End::Cancelled { .. } => Some("[The cell was cancelled.]".to_owned()),
            End::Done | End::Failed(_) | End::Died(_) | End::Exited => None,
        };
        let note = ran.end.note();
        let kernel_lost = note.is_some();
        for line in end.into_iter().chain(note) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line);
        }
        if action.reset {
            text = format!("{RESET}\n\n{text}");
        }
        let mut content = vec![Content::text(text)];
        content.extend(ran.images.into_iter().map(Content::image));
        IPythonObservation {
            content,
            is_error: ran.end != End::Done,
            code: Some(action.code),
            timeout: matches!(ran.end, End::TimedOut { .. }),
            kernel_lost,
            exception: match ran.end {
                End::Failed(class) => Some(class),
                End::Done
                | End::TimedOut { .. }
                | End::Cancelled { .. }
                | End::Died(_)
                | End::Exited => None,
            },
            interpreter: self.interpreter(),
            ..IPythonObservation::default()
        }
    }

    fn interpreter(&self) -> Option<String> {
        let interpreter = self.ipython.interpreter()?;
        Some(interpreter.display().to_string())
    }
}

fn failed(error: &IPythonError) -> ToolError {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    ToolError::Failed(text)
}

impl ToolExecutor for IPythonExecutor {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            match action {
                Action::IPython(action) => self.run(action, cx).await.map(Observation::IPython),
                other => Err(ToolError::wrong_action(NAME, &other)),
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.ipython.close())
    }
}
