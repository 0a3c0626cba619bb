//! Hooks that are commands: run in the workspace, waited for or left to themselves.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use openhands_protocol::Secret;
use openhands_protocol::hooks::HookDefinition;
use openhands_runtime::{Exec, Runtime, Workspace};
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::hooks::input::HookInput;
use crate::hooks::verdict::{Verdict, to_text};

/// How much of each stream is read: enough for any context, and ten times what the log keeps.
const KEEP_BYTES: usize = 1 << 20;
/// Nobody reads what a command in the background prints.
const KEEP_BACKGROUND_BYTES: usize = 4 << 10;

/// The program of a hook with all that it is given.
fn program(hook: &HookDefinition, input: &HookInput, keep_bytes: usize) -> Exec {
    let mut env = vec![
        ("OPENHANDS_PROJECT_DIR", input.working_dir()),
        ("OPENHANDS_SESSION_ID", input.session_id()),
        ("OPENHANDS_EVENT_TYPE", input.event_type.as_str()),
    ];
    if let Some(tool) = input.tool_name.as_deref().filter(|name| !name.is_empty()) {
        env.push(("OPENHANDS_TOOL_NAME", tool));
    }
    let mut exec = Exec::new(["/bin/sh", "-c", hook.command.as_str()]);
    exec.env = env
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Secret::new(value)))
        .collect();
    exec.stdin = Bytes::from(input.to_json());
    exec.timeout = time_limit(hook);
    exec.keep_bytes = keep_bytes;
    exec
}

/// How long a hook may take. A limit below zero is over at once.
pub(super) fn time_limit(hook: &HookDefinition) -> Duration {
    Duration::from_secs(u64::try_from(hook.timeout).unwrap_or(0))
}

/// What is said of a hook that took too long.
pub(super) fn timed_out(hook: &HookDefinition) -> String {
    format!("Hook timed out after {} seconds", hook.timeout)
}

/// Runs a command to its end, its time limit or its cancellation.
pub(super) async fn run(
    workspace: &dyn Workspace,
    hook: &HookDefinition,
    input: &HookInput,
    cancel: &CancellationToken,
) -> Verdict {
    let exec = program(hook, input, KEEP_BYTES);
    let output = match workspace.exec(exec, cancel.clone()).await {
        Ok(output) => output,
        Err(error) => return Verdict::failed(format!("Hook execution failed: {error}")),
    };
    if let Some(exit) = output.exit {
        return Verdict::of_program(exit.return_code(), &output.stdout, &output.stderr);
    }
    let ended = if output.timed_out {
        Verdict::failed(timed_out(hook))
    } else if cancel.is_cancelled() {
        Verdict::cancelled()
    } else {
        Verdict::failed("Hook execution failed: how it ended is not known".to_owned())
    };
    Verdict {
        stdout: to_text(&output.stdout),
        stderr: to_text(&output.stderr),
        ..ended
    }
}

/// Commands that nobody waits for. They end at their time limit, with the session, or when this is dropped.
#[derive(Default)]
pub(super) struct Background(Mutex<Running>);

#[derive(Default)]
struct Running {
    commands: JoinSet<()>,
    end: CancellationToken,
}

impl Background {
    /// Starts a command and leaves it to itself.
    pub(super) fn start(
        &self,
        runtime: &Arc<dyn Runtime>,
        hook: &HookDefinition,
        input: &HookInput,
    ) -> Verdict {
        let exec = program(hook, input, KEEP_BACKGROUND_BYTES);
        let runtime = Arc::clone(runtime);
        let command = hook.command.clone();
        let mut running = self.0.lock();
        while running.commands.try_join_next().is_some() {}
        let end = running.end.clone();
        running.commands.spawn(async move {
            if let Err(error) = runtime.workspace().exec(exec, end).await {
                tracing::warn!(%command, %error, "an async hook could not be started");
            }
        });
        Verdict::started()
    }

    /// Ends all commands and waits until they are gone.
    pub(super) async fn end(&self) {
        let Running { mut commands, end } = std::mem::take(&mut *self.0.lock());
        end.cancel();
        while commands.join_next().await.is_some() {}
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        let mut running = self.0.lock();
        while running.commands.try_join_next().is_some() {}
        running.commands.len()
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
