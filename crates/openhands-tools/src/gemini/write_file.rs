//! The `write_file` tool: a whole file at once.

use std::fs;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{
    Action, Observation, ToolSpec, WriteFileAction, WriteFileObservation,
};
use serde_json::{Map, Value, json};

use super::{named, write_failure};
use crate::arguments::{Arguments, InvalidArguments, text};
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::file_editor::{MAX_FILE_BYTES, with_plain_breaks};
use crate::registry::Registration;
use crate::resources::Locks;
use crate::safe_write::{os_error_text, write_file};

/// The tool's name.
pub const NAME: &str = "write_file";

const DESCRIPTION: &str = "\
Writes a whole file: creates it, with the directories it needs, or replaces all of its content.

* Use it for new files and for complete rewrites. To change part of a file use `edit`, which is shorter and keeps the rest as it is.
* `content` is stored exactly as given, in UTF-8. End text files with a line break.
* Read an existing file before replacing it: what is not in `content` is gone.";

/// The pure half.
#[derive(Debug)]
pub struct WriteFileTool {
    spec: ToolSpec,
    working_dir: PathBuf,
}

impl WriteFileTool {
    pub fn new(working_dir: &Path) -> Self {
        let hints = Hints {
            read_only: false,
            destructive: true,
            idempotent: false,
            open_world: false,
        };
        let description = format!(
            "{DESCRIPTION}\n\nRelative paths start at {}.",
            working_dir.display()
        );
        Self {
            spec: spec(NAME, "WriteFile", description, hints, schema()),
            working_dir: working_dir.to_path_buf(),
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file_path": {
                "type": "string",
                "description": "Path of the file, absolute or relative to the working directory.",
            },
            "content": {
                "type": "string",
                "description": "The whole content of the file.",
            },
        },
        "required": ["file_path", "content"],
    })
}

impl ToolDefinition for WriteFileTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = WriteFileAction {
            file_path: given.required("file_path", text),
            content: given.required("content", text),
            ..WriteFileAction::default()
        };
        given.finish()?;
        Ok(Action::WriteFile(action))
    }

    fn locks(&self, action: &Action) -> Locks {
        if let Action::WriteFile(action) = action {
            Locks::file(&self.working_dir.join(&action.file_path))
        } else {
            Locks::tool(NAME)
        }
    }
}

/// The acting half.
#[derive(Debug)]
pub struct WriteFileExecutor {
    working_dir: PathBuf,
}

impl WriteFileExecutor {
    pub fn new(working_dir: &Path) -> Self {
        Self {
            working_dir: working_dir.to_path_buf(),
        }
    }
}

impl ToolExecutor for WriteFileExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::WriteFile(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let file = named(&self.working_dir, &action.file_path);
            let observation = blocking(move || {
                write(&file, action.content).unwrap_or_else(WriteFileObservation::with_error)
            })
            .await?;
            Ok(Observation::WriteFile(observation))
        })
    }
}

fn write(file: &Path, content: String) -> Result<WriteFileObservation, String> {
    let shown = file.display().to_string();
    if file.is_dir() {
        return Err(format!("Error: Path is a directory, not a file: {shown}"));
    }
    let is_new_file = !file.exists();
    if !is_new_file && !file.is_file() {
        return Err(format!("Error writing file: {shown} is not a regular file"));
    }
    let old_content = old_content(file);
    create_parents(file).map_err(|reason| format!("Error writing file: {reason}"))?;
    write_file(file, content.as_bytes()).map_err(|error| write_failure(&error, file, "writing"))?;
    let verb = if is_new_file { "Created" } else { "Updated" };
    Ok(WriteFileObservation {
        is_new_file,
        old_content,
        new_content: Some(content),
        file_path: Some(shown.clone()),
        ..WriteFileObservation::with_text(format!("{verb} file: {shown}"))
    })
}

/// Makes the directories above a new file.
pub(super) fn create_parents(file: &Path) -> Result<(), String> {
    let Some(parent) = file.parent() else {
        return Ok(());
    };
    fs::create_dir_all(parent).map_err(|error| os_error_text(&error, Some(parent)))
}

/// What the file held, for the log. A file too large to edit is too large to log.
fn old_content(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    if metadata.len() > MAX_FILE_BYTES {
        return None;
    }
    let bytes = fs::read(file).ok()?;
    Some(with_plain_breaks(&String::from_utf8_lossy(&bytes)))
}

/// Both halves, for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, _| Ok(WriteFileTool::new(&place.working_dir)),
        |machine, _| Ok(WriteFileExecutor::new(&machine.place.working_dir)),
        NAME,
    )
}
