//! `run_ipython`: a cell in the IPython kernel.

use std::fmt::Write as _;
use std::time::Duration;

use openhands_protocol::v0::{
    RunIpythonAction, RunIpythonExtras, RunIpythonObservation, V0Observation,
};
use openhands_sdk_rs::tools::OutputSink;
use openhands_sdk_rs::tools::ipython::{Cell, End, Ran};

use super::kernel_variables::variables;
use crate::v0::execute_action::error;
use crate::v0::refusal::Refusal;
use crate::v0::sandbox::Sandbox;

const NO_OUTPUT: &str = "[Code executed successfully with no output]";

/// Runs a cell, where the shell is.
pub(in crate::v0) async fn run_ipython(
    sandbox: &Sandbox,
    action: RunIpythonAction,
    output: &OutputSink,
) -> Result<V0Observation, Refusal> {
    let Some(ipython) = sandbox.plugins.ipython() else {
        return Err(Refusal::action(
            "JupyterRequirement not found. Unable to run IPython action.",
        ));
    };
    let args = action.args;
    let limit = action.timeout.value().copied();
    let directory = sandbox.shell.directory().await;
    let cell = Cell {
        code: args.code.clone(),
        timeout: limit.map(|seconds| {
            Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX / 4)
        }),
        directory: Some(directory.clone()),
        output: output.clone(),
        ..Cell::default()
    };
    let ran = match ipython.run(cell, &sandbox.stop).await {
        Ok(ran) => ran,
        Err(failed) => return Ok(error(format!("{:#}", anyhow::Error::new(failed)))),
    };
    if ran.end == End::Done
        && let Some(variables) = variables(&args.code).filter(|variables| !variables.is_empty())
        && let Err(failed) = ipython.set_variables(variables).await
    {
        tracing::warn!(%failed, "variables are not kept for the kernels to come");
    }
    let mut content = text(&ran, limit);
    if args.include_extra {
        let interpreter = ipython.interpreter().unwrap_or_default();
        let _ = write!(
            content,
            "\n[Jupyter current working directory: {}]\n[Jupyter Python interpreter: {}]",
            directory.display(),
            interpreter.display()
        );
    }
    Ok(V0Observation::RunIpython(RunIpythonObservation {
        message: "Code executed in IPython cell.".to_owned(),
        content,
        success: Some(true),
        extras: RunIpythonExtras {
            code: args.code,
            image_urls: Some(ran.images).filter(|images| !images.is_empty()),
            ..RunIpythonExtras::default()
        },
        ..RunIpythonObservation::default()
    }))
}

/// What a cell has shown, or why it has not.
fn text(ran: &Ran, limit: Option<f64>) -> String {
    let mut text = match &ran.end {
        // compat: what it had printed until then is not shown.
        End::TimedOut { .. } => {
            let seconds = limit.unwrap_or_default();
            format!("[Execution timed out ({seconds:?} seconds).]")
        }
        End::Done if !ran.showed => NO_OUTPUT.to_owned(),
        End::Done | End::Failed(_) | End::Cancelled { .. } | End::Died(_) | End::Exited => {
            ran.text.clone()
        }
    };
    if let Some(note) = ran.end.note() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&note);
    }
    text
}
