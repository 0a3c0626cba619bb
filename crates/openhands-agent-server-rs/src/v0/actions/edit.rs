//! `edit`: the commands of the file editor, and the replacement of lines.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use openhands_protocol::v0::{
    EditAction, EditArgs, EditExtras, EditObservation, FileImpl, V0Observation,
};
use openhands_sdk_rs::tools::file_editor::{Command, EditorError, FileEditor, Outcome, Request};
use openhands_sdk_rs::tools::safe_write::os_error_text;
use serde_json::Value;
use similar::TextDiff;

use super::read::in_background;
use crate::v0::refusal::Refusal;
use crate::v0::sandbox::Sandbox;

pub(in crate::v0) const COMMANDS: &[(&str, Command)] = &[
    ("view", Command::View),
    ("create", Command::Create),
    ("str_replace", Command::StrReplace),
    ("insert", Command::Insert),
    ("undo_edit", Command::UndoEdit),
];
/// A diff that takes longer than this is made of larger pieces.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// Edits a file.
pub(in crate::v0) async fn edit(
    sandbox: &Sandbox,
    action: EditAction,
) -> Result<V0Observation, Refusal> {
    let args = action.args;
    if args.impl_source != FileImpl::OhAci {
        // compat: this way of editing is done by clients, and the server has no words for it.
        return Err(Refusal::action(""));
    }
    let (path, old_content, new_content) = (
        args.path.clone(),
        args.old_str.clone(),
        args.new_str.clone(),
    );
    let (content, diff) = match request(args) {
        Ok(Asked::Lines {
            path,
            start,
            end,
            text,
        }) => {
            let editor = Arc::clone(&sandbox.editor);
            finish(in_background(move || editor.replace_lines(&path, start, end, &text)).await?)
                .await?
        }
        Ok(Asked::Command(request)) => perform(sandbox, request).await?,
        Ok(Asked::Unknown { path, command }) => {
            let editor = Arc::clone(&sandbox.editor);
            let text = in_background(move || unknown_command(&editor, &path, &command)).await?;
            (failed(text), String::new())
        }
        Err(text) => (failed(text), String::new()),
    };
    Ok(V0Observation::Edit(EditObservation {
        message: format!("I edited the file {path}."),
        content,
        extras: EditExtras {
            path,
            old_content,
            new_content,
            diff: Some(diff),
            ..EditExtras::default()
        },
        ..EditObservation::default()
    }))
}

/// What an edit asks for.
enum Asked {
    Command(Request),
    /// Lines from `start` to `end` (from 1, -1 is the last) are replaced.
    Lines {
        path: String,
        start: i64,
        end: i64,
        text: String,
    },
    Unknown {
        path: String,
        command: String,
    },
}

fn request(args: EditArgs) -> Result<Asked, String> {
    let insert_line = args
        .insert_line
        .as_ref()
        .map(|given| line(&given.0))
        .transpose()?
        .flatten();
    if args.command.is_empty() && !args.content.is_empty() {
        return Ok(Asked::Lines {
            path: args.path,
            start: args.start,
            end: args.end,
            text: args.content,
        });
    }
    let Some((_, command)) = COMMANDS.iter().find(|(name, _)| *name == args.command) else {
        return Ok(Asked::Unknown {
            path: args.path,
            command: args.command,
        });
    };
    let mut request = Request::new(*command, args.path);
    request.file_text = args.file_text;
    request.old_str = args.old_str;
    request.new_str = match args.new_str {
        // Nothing in its place: the text is deleted.
        None if *command == Command::StrReplace => Some(String::new()),
        given => given,
    };
    request.insert_line = insert_line;
    Ok(Asked::Command(request))
}

/// What is wrong with a command that there is not: its path, or else its name.
pub(in crate::v0) fn unknown_command(editor: &FileEditor, path: &str, command: &str) -> String {
    if let Err(refused) = editor.check_path(Command::StrReplace, path) {
        return refused.to_string();
    }
    let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    format!(
        "Unrecognized command {command}. The allowed commands for the oh_editor tool are: {}",
        names.join(", ")
    )
}

/// A line number, also as text.
pub(in crate::v0) fn line(given: &Value) -> Result<Option<i64>, String> {
    let wrong = |shown: String| format!("Invalid insert_line value: {shown}. Expected an integer.");
    match given {
        Value::Null => Ok(None),
        Value::String(text) => match text.trim().parse() {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(wrong(format!("'{text}'"))),
        },
        other => other
            .as_i64()
            .map(Some)
            .ok_or_else(|| wrong(other.to_string())),
    }
}

/// Carries a command of the editor out. Gives the text for the agent and the change as a diff.
pub(super) async fn perform(
    sandbox: &Sandbox,
    request: Request,
) -> Result<(String, String), Refusal> {
    let editor = Arc::clone(&sandbox.editor);
    finish(in_background(move || editor.run(&request)).await?).await
}

async fn finish(done: Result<Outcome, EditorError>) -> Result<(String, String), Refusal> {
    Ok(match done {
        Ok(outcome) => {
            let text = outcome.text.clone();
            let diff = in_background(move || diff(&outcome)).await?;
            (text, diff)
        }
        Err(refused) => (failed(refused.to_string()), String::new()),
    })
}

/// compat: failures of the editor are no error observations.
fn failed(text: impl AsRef<str>) -> String {
    format!("ERROR:\n{}", text.as_ref())
}

/// What changed, without any lines around it.
fn diff(outcome: &Outcome) -> String {
    let old = outcome.old_content.as_deref().unwrap_or_default();
    let new = outcome.new_content.as_deref().unwrap_or_default();
    let compared = TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(old, new);
    let text = compared
        .unified_diff()
        .context_radius(0)
        .missing_newline_hint(false)
        .header(&outcome.path, &outcome.path)
        .to_string();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// What the system said about a path, as clients know it.
pub(super) fn os_error(error: &io::Error, path: &str) -> String {
    os_error_text(error, Some(Path::new(path)))
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
