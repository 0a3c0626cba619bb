//! The `edit` tool: replaces a text in a file, as often as the caller says it occurs.

use std::ops::Range;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, EditAction, EditObservation, Observation, ToolSpec};
use serde_json::{Map, Value, json};

use super::write_file::create_parents;
use super::{read_failure, write_failure};
use crate::arguments::{Arguments, InvalidArguments, integer_at_least, text};
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::file_editor::{Document, OpenError, occurrences, open_document, with_plain_breaks};
use crate::registry::Registration;
use crate::resolve::resolve;
use crate::resources::Locks;
use crate::safe_write::write_file;

/// The tool's name.
pub const NAME: &str = "edit";

const DESCRIPTION: &str = "\
Replaces a text in a file, or creates a file.

* `old_string` must match the file exactly: every space, tab and line break. Copy it from `read_file`, without the line numbers. \
Take enough lines around the place to name it without doubt.
* Every occurrence is replaced, and the number of them must be `expected_replacements` (1 unless you say otherwise). If it is not, \
nothing is changed and the number found is told.
* `new_string` takes the place of `old_string`; an empty one deletes it.
* An empty `old_string` creates the file with `new_string` as its content, together with the directories it needs. The file must not \
exist then; use `write_file` to replace a whole file.

The file keeps its encoding, line ends and permissions.";

/// The pure half.
#[derive(Debug)]
pub struct EditTool {
    spec: ToolSpec,
    working_dir: PathBuf,
}

impl EditTool {
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
            spec: spec(NAME, "Edit", description, hints, schema()),
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
            "old_string": {
                "type": "string",
                "description": "The text to replace, exactly as it is in the file. Empty to create a new file.",
            },
            "new_string": {
                "type": "string",
                "description": "What takes its place, or the content of the new file.",
            },
            "expected_replacements": {
                "type": "integer",
                "minimum": 0,
                "default": 1,
                "description": "How often `old_string` occurs; all occurrences are replaced.",
            },
        },
        "required": ["file_path", "old_string", "new_string"],
    })
}

impl ToolDefinition for EditTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = EditAction {
            file_path: given.required("file_path", text),
            old_string: given.required("old_string", text),
            new_string: given.required("new_string", text),
            expected_replacements: given.or("expected_replacements", 1, integer_at_least(0)),
            ..EditAction::default()
        };
        given.finish()?;
        Ok(Action::Edit(action))
    }

    fn locks(&self, action: &Action) -> Locks {
        if let Action::Edit(action) = action {
            Locks::file(&self.working_dir.join(&action.file_path))
        } else {
            Locks::tool(NAME)
        }
    }
}

/// The acting half.
#[derive(Debug)]
pub struct EditExecutor {
    working_dir: PathBuf,
}

impl EditExecutor {
    pub fn new(working_dir: &Path) -> Self {
        Self {
            working_dir: working_dir.to_path_buf(),
        }
    }
}

impl ToolExecutor for EditExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::Edit(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let file = self.working_dir.join(&action.file_path);
            let observation = blocking(move || {
                // compat: unlike the other file tools this one shows the real place.
                let file = resolve(&file);
                let done = if action.old_string.is_empty() {
                    create(&file, action.new_string)
                } else {
                    edit(&file, &action)
                };
                done.unwrap_or_else(|refused| refused.observe(&file))
            })
            .await?;
            Ok(Observation::Edit(observation))
        })
    }
}

/// Why nothing was changed, and whether the observation names the file.
struct Refused {
    text: String,
    names_file: bool,
}

impl Refused {
    fn observe(self, file: &Path) -> EditObservation {
        EditObservation {
            file_path: self.names_file.then(|| file.display().to_string()),
            ..EditObservation::with_error(self.text)
        }
    }
}

impl From<String> for Refused {
    fn from(text: String) -> Self {
        Self {
            text,
            names_file: false,
        }
    }
}

fn create(file: &Path, content: String) -> Result<EditObservation, Refused> {
    let shown = file.display();
    if file.exists() {
        return Err(Refused::from(format!(
            "Error: Cannot create file that already exists: {shown}. Use write_file to overwrite or provide non-empty old_string."
        )));
    }
    create_parents(file).map_err(|reason| format!("Error creating file: {reason}"))?;
    write_file(file, content.as_bytes())
        .map_err(|error| write_failure(&error, file, "creating"))?;
    Ok(EditObservation {
        file_path: Some(shown.to_string()),
        is_new_file: true,
        replacements_made: 1,
        new_content: Some(content),
        ..EditObservation::with_text(format!("Created new file: {shown}"))
    })
}

fn edit(file: &Path, action: &EditAction) -> Result<EditObservation, Refused> {
    let shown = file.display();
    if !file.exists() {
        return Err(Refused::from(format!(
            "Error: File not found: {shown}. To create a new file, use old_string=''."
        )));
    }
    if file.is_dir() {
        return Err(Refused::from(format!(
            "Error: Path is a directory, not a file: {shown}"
        )));
    }
    let before = open_document(file, None).map_err(|error| {
        if let OpenError::Io(error) = &error {
            return read_failure(error, file, "editing file");
        }
        format!("Error editing file: {error}")
    })?;
    if action.old_string == action.new_string {
        let text = "Error: No changes to apply. old_string and new_string are identical.";
        return Err(Refused::from(text.to_owned()));
    }
    let found = find(&before, &action.old_string);
    let about_file = |text: String| Refused {
        text,
        names_file: true,
    };
    if found.is_empty() {
        return Err(about_file(format!(
            "Error: Could not find the string to replace. 0 occurrences found in {shown}. Use read_file to verify the exact text."
        )));
    }
    let expected = action.expected_replacements;
    if i64::try_from(found.len()) != Ok(expected) {
        let word = if expected == 1 {
            "occurrence"
        } else {
            "occurrences"
        };
        return Err(about_file(format!(
            "Error: Expected {expected} {word} but found {} in {shown}.",
            found.len()
        )));
    }
    let after = before
        .replace(&found, &action.new_string)
        .map_err(|reason| format!("Error editing file: {reason}"))?;
    if before.bytes() == after.bytes() {
        let text = "Error: No changes made. The new content is identical to the current content.";
        return Err(about_file(text.to_owned()));
    }
    write_file(file, after.bytes()).map_err(|error| write_failure(&error, file, "editing"))?;
    Ok(EditObservation {
        file_path: Some(shown.to_string()),
        replacements_made: u64::try_from(found.len()).unwrap_or(u64::MAX),
        old_content: Some(before.into_text()),
        new_content: Some(after.into_text()),
        ..EditObservation::with_text(format!(
            "Successfully edited {shown} ({} replacement(s))",
            found.len()
        ))
    })
}

/// Where the text occurs. It may be written with the line ends of the file itself.
fn find(document: &Document, wanted: &str) -> Vec<Range<usize>> {
    let places = |wanted: &str| -> Vec<Range<usize>> {
        occurrences(document.text(), wanted)
            .map(|at| at..at + wanted.len())
            .collect()
    };
    let found = places(wanted);
    if found.is_empty() && wanted.contains('\r') && document.has_carriage_returns() {
        return places(&with_plain_breaks(wanted));
    }
    found
}

/// Both halves, for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, _| Ok(EditTool::new(&place.working_dir)),
        |machine, _| Ok(EditExecutor::new(&machine.place.working_dir)),
        NAME,
    )
}
