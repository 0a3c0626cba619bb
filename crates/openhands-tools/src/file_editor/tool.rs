//! The `file_editor` tool: both halves, on top of the engine.

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use openhands_protocol::message::Content;
use openhands_protocol::tool::{
    Action, FileEditorAction, FileEditorObservation, Observation, ToolSpec,
};
use serde_json::{Map, Value};

use crate::arguments::InvalidArguments;
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::Registration;
use crate::resources::Locks;
use crate::truncate::{DEFAULT_NOTICE, truncate_middle};

use super::command::{Outcome, Request};
use super::editor::FileEditor;
use super::error::EditorError;
use super::{NAME, arguments};

/// Characters of an error text that the model is shown; only one that quotes a huge argument is longer.
const MAX_ERROR_CHARS: usize = 16_000;

pub(crate) const DESCRIPTION: &str = "\
Looks at files and directories and edits text files. Paths are absolute.

Commands
* `view` shows a text file with line numbers, or the part of it given by `view_range`; an image (png, jpg, gif, webp, bmp) as \
a picture; or a directory, two levels deep, without hidden entries. Long content is cut in the middle: search for the line \
numbers first (`grep -n`) and view that range.
* `create` writes a new file with `file_text`. Its directory must exist, and the file must not: to change a file use the \
commands below.
* `str_replace` replaces `old_str` by `new_str`. Both are required.
* `insert` adds `new_str` as new lines after line `insert_line`. A line break at the end of `new_str` adds an empty line.
* `undo_edit` takes back the last edit that this tool made to the file; up to ten can be taken back one after the other.

Making `str_replace` work
* `old_str` must match the file exactly: every space, tab and line break. Copy it from a `view`, without the line numbers and the tab \
after them. Line breaks are written as `\\n`, also for files with Windows line ends.
* `old_str` must occur exactly once. If it occurs more often nothing is changed and the lines are listed: add lines before or after it \
until it is unique.
* `new_str` must differ from `old_str`. Repeat in it what was only there to make `old_str` unique.
* View the file again after something else may have changed it, such as a formatter or a command in the terminal.

An edit keeps the file's encoding, line ends, permissions and links, and is never written half. The answer shows the changed lines: \
check them. Binary files and files over 10 MB are refused.";

/// The pure half.
#[derive(Debug)]
pub struct FileEditorTool {
    spec: ToolSpec,
}

impl FileEditorTool {
    /// The definition for an agent that works in `working_dir`.
    pub fn new(working_dir: &Path) -> Self {
        let hints = Hints {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        };
        let description = format!(
            "{DESCRIPTION}\n\nYour working directory is {}: start there when you look for the project's files.",
            working_dir.display()
        );
        Self {
            spec: spec(NAME, "FileEditor", description, hints, arguments::schema()),
        }
    }
}

impl ToolDefinition for FileEditorTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        arguments::read(arguments).map(Action::FileEditor)
    }

    fn locks(&self, action: &Action) -> Locks {
        if let Action::FileEditor(action) = action {
            Locks::file(Path::new(&action.path))
        } else {
            Locks::tool(NAME)
        }
    }
}

/// The acting half: one editor, with the undo history of its conversation.
#[derive(Debug)]
pub struct FileEditorExecutor {
    editor: Arc<FileEditor>,
}

impl FileEditorExecutor {
    pub fn new(working_dir: &Path) -> Self {
        Self {
            editor: Arc::new(FileEditor::new(working_dir)),
        }
    }
}

impl ToolExecutor for FileEditorExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::FileEditor(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let editor = Arc::clone(&self.editor);
            let observation = blocking(move || run(&editor, action)).await?;
            Ok(Observation::FileEditor(observation))
        })
    }
}

pub(crate) fn run(editor: &FileEditor, action: FileEditorAction) -> FileEditorObservation {
    let command = action.command;
    let observation = match editor.run(&Request::from(action)) {
        Ok(outcome) => observe(outcome),
        Err(error) => refuse(&error),
    };
    FileEditorObservation {
        command,
        ..observation
    }
}

fn observe(outcome: Outcome) -> FileEditorObservation {
    let mut content = vec![Content::text(outcome.text)];
    content.extend(outcome.image_url.map(Content::image));
    FileEditorObservation {
        content,
        path: Some(outcome.path),
        prev_exist: outcome.existed,
        old_content: outcome.old_content,
        new_content: outcome.new_content,
        ..FileEditorObservation::default()
    }
}

fn refuse(error: &EditorError) -> FileEditorObservation {
    let text = error.to_string();
    let text = truncate_middle(&text, MAX_ERROR_CHARS, DEFAULT_NOTICE);
    FileEditorObservation::with_error(text)
}

impl From<FileEditorAction> for Request {
    fn from(action: FileEditorAction) -> Self {
        Self {
            command: action.command,
            path: action.path,
            file_text: action.file_text,
            old_str: action.old_str,
            new_str: action.new_str,
            insert_line: action.insert_line,
            view_range: action.view_range,
        }
    }
}

/// Both halves, for the registry.
pub fn registration() -> Registration {
    Registration::shared(
        |place| place.working_dir.clone(),
        |working_dir| FileEditorTool::new(working_dir),
        |machine, _| Ok(FileEditorExecutor::new(&machine.place.working_dir)),
        NAME,
    )
}
