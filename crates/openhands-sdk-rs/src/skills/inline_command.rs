//! Commands in the text of a skill: `` !`command` `` stands for what the command prints.

use std::time::Duration;

use openhands_process::Exit;
use openhands_runtime::{Exec, ExecOutput, Workspace, WorkspaceError};
use tokio_util::sync::CancellationToken;

/// How long a command may take.
const COMMAND_TIME: Duration = Duration::from_secs(10);
/// How much of a command's output is kept.
const MAX_OUTPUT_BYTES: usize = 50 * 1024;
/// How many commands of one skill are run.
const MAX_COMMANDS: usize = 32;

/// A piece of a skill's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Stays as it is.
    Text(&'a str),
    /// Is run, and what it prints is put here.
    Command(&'a str),
}

/// Takes a text apart. Code in fences or backticks is text, a fence that is never closed reaches to the end, and
/// `` \!`command` `` is the text `` !`command` ``.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    // The start of the text that was not handed out yet is `rest`; `at` is where the search stands in it.
    let mut at = 0;
    while let Some(found) = rest.get(at..).and_then(|tail| tail.find('`')) {
        let tick = at + found;
        let (before, from_tick) = rest.split_at_checked(tick).unwrap_or((rest, ""));
        if let Some(inside) = from_tick.strip_prefix("```") {
            at = inside
                .find("```")
                .map_or(rest.len(), |end| tick + 3 + end + 3);
            continue;
        }
        let span = from_tick.get(1..).and_then(|inside| inside.split_once('`'));
        let Some((inside, after)) = span.filter(|(inside, _)| !inside.is_empty()) else {
            at = tick + 1;
            continue;
        };
        let Some(start) = before.strip_suffix('!') else {
            at = rest.len() - after.len();
            continue;
        };
        if let Some(start) = start.strip_suffix('\\') {
            // Without the backslash.
            pieces.push(Piece::Text(start));
            rest = rest.get(start.len() + 1..).unwrap_or_default();
            at = rest.len() - after.len();
            continue;
        }
        pieces.push(Piece::Text(start));
        pieces.push(Piece::Command(inside));
        rest = after;
        at = 0;
    }
    pieces.push(Piece::Text(rest));
    pieces.retain(|piece| *piece != Piece::Text(""));
    pieces
}

/// The text with the output of its commands, which run in the workspace one after the other. None if cancelled.
pub(crate) async fn render(
    text: &str,
    workspace: &dyn Workspace,
    cancel: &CancellationToken,
) -> Option<String> {
    let mut rendered = String::with_capacity(text.len());
    let mut commands = 0;
    for piece in pieces(text) {
        match piece {
            Piece::Text(text) => rendered.push_str(text),
            Piece::Command(command) if commands >= MAX_COMMANDS => {
                rendered.push_str(&error(&format!(
                    "Command `{command}` was not run: a skill may run {MAX_COMMANDS} commands"
                )));
            }
            Piece::Command(command) => {
                commands += 1;
                let exec = Exec {
                    timeout: COMMAND_TIME,
                    // Room to see that there is more than what is kept; the cut is made below.
                    keep_bytes: 4 * MAX_OUTPUT_BYTES,
                    ..Exec::shell(command)
                };
                let output = workspace.exec(exec, cancel.clone()).await;
                if cancel.is_cancelled() {
                    return None;
                }
                rendered.push_str(&shown(command, output));
            }
        }
    }
    Some(rendered)
}

fn shown(command: &str, output: Result<ExecOutput, WorkspaceError>) -> String {
    let output = match output {
        Ok(output) => output,
        Err(problem) => return error(&format!("Failed to execute command `{command}`: {problem}")),
    };
    let code = match output.exit {
        Some(Exit::Code(0)) => return cut(String::from_utf8_lossy(&output.stdout).trim()),
        Some(Exit::Code(code)) => code,
        // As Python's subprocess counts signals.
        Some(Exit::Signal(signal)) => -signal,
        None => {
            return error(&format!(
                "Command `{command}` timed out after {:?}s",
                COMMAND_TIME.as_secs_f64()
            ));
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    error(&format!(
        "Command `{command}` exited with code {code}: {}",
        cut(&said)
    ))
}

fn error(problem: &str) -> String {
    format!("[Error: {problem}]")
}

fn cut(output: &str) -> String {
    if output.len() <= MAX_OUTPUT_BYTES {
        return output.to_owned();
    }
    let end = output.floor_char_boundary(MAX_OUTPUT_BYTES);
    format!(
        "{}\n... [output truncated]",
        output.get(..end).unwrap_or_default()
    )
}

#[cfg(test)]
#[path = "inline_command_tests.rs"]
mod tests;
