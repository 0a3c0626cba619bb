//! Both halves of the `grep` tool.

use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, GrepAction, GrepObservation, Observation, ToolSpec};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::grep::{GrepError, GrepQuery, grep};
use super::run::{READER, TRUNCATED_NOTE, given, on_all_cores, search_directory, shown};
use super::stop::{SEARCH_LIMIT, Stop, Stopped};
use crate::arguments::{Arguments, InvalidArguments, text};
use crate::definition::{ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::Registration;
use crate::resolve::resolve;
use crate::resources::Locks;

/// The tool's name.
pub const NAME: &str = "grep";

const DESCRIPTION: &str = "\
Finds the files whose content matches a regular expression. Returns absolute paths, most recently changed first, at most 100. It \
does not show the matching lines: open the files you need, or use `grep -n` in the terminal for lines of a known file.

* The search never cares about case and goes line by line through all files below `path`.
* Patterns have Python's syntax: `log.*Error`, `def\\s+\\w+\\(`, `\\bclass Foo\\b`, `^import `, `a|b`. Look-around and back-references work too. \
Escape what has a meaning of its own and is meant literally: `foo\\(bar\\)`, `a\\.b`, `\\[x\\]`. A pattern with `\\n` may span lines.
* Left out: binary files, files that git ignores, and everything whose name begins with a dot.
* `include` limits the search to file names of a shell-style pattern, such as `*.py`, `test_*.rs` or `Dockerfile*`. It looks at the name \
alone, not at directories, and knows no braces; for several kinds of files search several times. Files that match it are searched \
even if they are hidden (`include: \".env\"`) or ignored; hidden and ignored directories stay out.
* If more than 100 files match, use a more specific pattern, an `include` or a deeper `path`.

For finding files by name use `glob`.";

/// The pure half of `grep`.
#[derive(Debug)]
pub struct GrepTool {
    spec: ToolSpec,
}

impl GrepTool {
    /// The definition; the working directory is where searches begin if none is given.
    pub fn new(working_dir: &Path) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "The regular expression to look for in file contents.",
                },
                "path": {
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "default": null,
                    "description": "Absolute path of the directory to search. Default: the working directory.",
                },
                "include": {
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "default": null,
                    "description": "Only search files whose name matches this shell-style pattern, such as `*.py`. No braces, no directories.",
                },
            },
            "required": ["pattern"],
        });
        let description = format!(
            "{DESCRIPTION}\n\nThe working directory is {}",
            working_dir.display()
        );
        Self {
            spec: spec(NAME, "Grep", description, READER, schema),
        }
    }
}

impl ToolDefinition for GrepTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = GrepAction {
            pattern: given.required("pattern", text),
            path: given.optional("path", text),
            include: given.optional("include", text),
            ..GrepAction::default()
        };
        given.finish()?;
        Ok(Action::Grep(action))
    }

    fn locks(&self, _action: &Action) -> Locks {
        Locks::none()
    }
}

/// The acting half of `grep`.
#[derive(Debug)]
pub struct GrepExecutor {
    working_dir: PathBuf,
}

impl GrepExecutor {
    /// An executor whose searches begin in `working_dir` if no directory is given.
    pub fn new(working_dir: &Path) -> Self {
        Self {
            working_dir: resolve(working_dir),
        }
    }
}

impl ToolExecutor for GrepExecutor {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::Grep(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let working_dir = self.working_dir.clone();
            on_all_cores(&cx, move |cancel| search(action, working_dir, cancel))
                .await
                .map(Observation::Grep)
        })
    }
}

fn search(
    action: GrepAction,
    working_dir: PathBuf,
    cancel: CancellationToken,
) -> Result<GrepObservation, Stopped> {
    let path = given(action.path.as_deref());
    let root = path.map_or(working_dir, search_directory);
    let include = given(action.include.as_deref());
    let search_path = shown(&root);
    let (observation, matches, truncated) = if root.is_dir() {
        let query = GrepQuery {
            pattern: &action.pattern,
            root: &root,
            include,
        };
        match grep(query, &Stop::new(SEARCH_LIMIT, cancel)) {
            Ok(found) => {
                let matches: Vec<String> = found.files.iter().map(|file| shown(file)).collect();
                let text = report(
                    &action.pattern,
                    &search_path,
                    include,
                    &matches,
                    found.truncated,
                );
                (GrepObservation::with_text(text), matches, found.truncated)
            }
            Err(GrepError::Stopped(Stopped::Cancelled)) => return Err(Stopped::Cancelled),
            Err(error) => (
                GrepObservation::with_error(error.to_string()),
                Vec::new(),
                false,
            ),
        }
    } else {
        let text = format!(
            "Search path '{}' is not a valid directory",
            path.unwrap_or(&search_path)
        );
        (GrepObservation::with_error(text), Vec::new(), false)
    };
    Ok(GrepObservation {
        matches,
        pattern: action.pattern,
        search_path,
        include_pattern: action.include,
        truncated,
        ..observation
    })
}

fn report(
    pattern: &str,
    search_path: &str,
    include: Option<&str>,
    matches: &[String],
    truncated: bool,
) -> String {
    let filter = include
        .map(|include| format!(" (filtered by '{include}')"))
        .unwrap_or_default();
    if matches.is_empty() {
        return format!(
            "No files found containing pattern '{pattern}' in directory '{search_path}'{filter}"
        );
    }
    let note = if truncated { TRUNCATED_NOTE } else { "" };
    let count = matches.len();
    let files = matches.join("\n");
    format!(
        "Found {count} file(s) containing pattern '{pattern}' in '{search_path}'{filter}:\n{files}{note}"
    )
}

/// Both halves for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, _| Ok(GrepTool::new(&place.working_dir)),
        |machine, _| {
            Ok(GrepExecutor::new(&super::run::usable(
                &machine.place.working_dir,
            )?))
        },
        NAME,
    )
}

#[cfg(test)]
#[path = "grep_tool_tests.rs"]
mod tests;
