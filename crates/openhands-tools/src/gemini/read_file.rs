//! The `read_file` tool: numbered lines of a text file.

use std::fs::File;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{
    Action, Observation, ReadFileAction, ReadFileObservation, ToolSpec,
};
use serde_json::{Map, Value, json};

use super::lines::read_lines;
use super::{named, read_failure};
use crate::arguments::{Arguments, InvalidArguments, integer_at_least, text};
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::Registration;
use crate::resources::Locks;

/// The tool's name.
pub const NAME: &str = "read_file";

/// Lines shown when the call sets no limit.
const MAX_LINES: usize = 1000;

const DESCRIPTION: &str = "\
Reads a text file and returns its lines with line numbers.

* Without `limit` at most 1000 lines are returned. When there are more, the answer says so and shows the call for the next part.
* For a large file, find the place first with a search and read only around it, with `offset` and `limit`.
* The number and the two spaces before each line are not part of the file: leave them out of text that you pass to `edit`.
* Reading an empty file, or from beyond the last line, is an error.";

/// The pure half.
#[derive(Debug)]
pub struct ReadFileTool {
    spec: ToolSpec,
    working_dir: PathBuf,
}

impl ReadFileTool {
    pub fn new(working_dir: &Path) -> Self {
        let hints = Hints {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        let description = format!(
            "{DESCRIPTION}\n\nRelative paths start at {}.",
            working_dir.display()
        );
        Self {
            spec: spec(NAME, "ReadFile", description, hints, schema()),
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
            "offset": {
                "anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}],
                "default": null,
                "description": "Lines to skip: 0 begins with the first line, 100 with line 101.",
            },
            "limit": {
                "anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}],
                "default": null,
                "description": "Lines to return at most.",
            },
        },
        "required": ["file_path"],
    })
}

impl ToolDefinition for ReadFileTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = ReadFileAction {
            file_path: given.required("file_path", text),
            offset: given.optional("offset", integer_at_least(0)),
            limit: given.optional("limit", integer_at_least(1)),
            ..ReadFileAction::default()
        };
        given.finish()?;
        Ok(Action::ReadFile(action))
    }

    fn locks(&self, action: &Action) -> Locks {
        if let Action::ReadFile(action) = action {
            Locks::file(&self.working_dir.join(&action.file_path))
        } else {
            Locks::tool(NAME)
        }
    }
}

/// The acting half.
#[derive(Debug)]
pub struct ReadFileExecutor {
    working_dir: PathBuf,
}

impl ReadFileExecutor {
    pub fn new(working_dir: &Path) -> Self {
        Self {
            working_dir: working_dir.to_path_buf(),
        }
    }
}

impl ToolExecutor for ReadFileExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::ReadFile(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let file = named(&self.working_dir, &action.file_path);
            let observation = blocking(move || {
                let shown = file.display().to_string();
                let observation =
                    read(&file, &action).unwrap_or_else(ReadFileObservation::with_error);
                ReadFileObservation {
                    file_path: shown,
                    ..observation
                }
            })
            .await?;
            Ok(Observation::ReadFile(observation))
        })
    }
}

/// Reads what was asked for, or says why not.
fn read(file: &Path, action: &ReadFileAction) -> Result<ReadFileObservation, String> {
    let shown = file.display();
    if !file.exists() {
        return Err(format!("Error: File not found: {shown}"));
    }
    if file.is_dir() {
        return Err(format!("Error: Path is a directory, not a file: {shown}"));
    }
    if !file.is_file() {
        return Err(format!("Error reading file: {shown} is not a regular file"));
    }
    let count = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let offset = action.offset.map_or(0, count);
    let limit = action.limit.map_or(MAX_LINES, count);
    let lines = File::open(file)
        .and_then(|source| read_lines(source, offset, limit))
        .map_err(|error| read_failure(&error, file, "reading file"))?;
    let total = lines.total;
    if offset >= total {
        return Err(format!(
            "Error: Offset {offset} is beyond file length ({total} lines)"
        ));
    }
    let (first, last) = (offset + 1, lines.last);
    let is_truncated = last < total;
    let continuation = if is_truncated {
        format!(
            " (showing lines {first}-{last} of {total}) To read more, use: read_file(file_path='{}', offset={last}, limit={limit})",
            action.file_path
        )
    } else {
        String::new()
    };
    let wide = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    Ok(ReadFileObservation {
        is_truncated,
        lines_shown: is_truncated.then_some((wide(first), wide(last))),
        total_lines: Some(wide(total)),
        file_content: lines.numbered.clone(),
        ..ReadFileObservation::with_text(format!(
            "Read file: {shown}{continuation}\n\n{}",
            lines.numbered
        ))
    })
}

/// Both halves, for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, _| Ok(ReadFileTool::new(&place.working_dir)),
        |machine, _| Ok(ReadFileExecutor::new(&machine.place.working_dir)),
        NAME,
    )
}
