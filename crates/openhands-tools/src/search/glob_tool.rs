//! Both halves of the `glob` tool.

use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use openhands_protocol::tool::{Action, GlobAction, GlobObservation, Observation, ToolSpec};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::glob::{GlobError, glob, split_absolute};
use super::newest::Found;
use super::run::{READER, TRUNCATED_NOTE, given, on_all_cores, search_directory, shown};
use super::stop::{SEARCH_LIMIT, Stop, Stopped};
use crate::arguments::{Arguments, InvalidArguments, text};
use crate::definition::{ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::Registration;
use crate::resolve::resolve;
use crate::resources::Locks;

/// The tool's name.
pub const NAME: &str = "glob";

const DESCRIPTION: &str = "\
Finds files by name and path. Returns absolute paths of files (not directories), most recently changed first, at most 100.

* `*` stands for any characters within one name, `?` for one, `[abc]` for one of them, `[!abc]` for any other, `{a,b}` for either text.
* `**` as a whole part of a path stands for any number of directories, also none. A pattern with it is read from the search \
directory on: `src/**/*.ts` is everything ending in `.ts` below `src`.
* A pattern without `**` matches at any depth: `*.py` finds every Python file, `tests/*.py` those directly in any directory `tests`.
* Case matters.
* Names that begin with a dot are found only if the pattern writes the dot: `.env`, `.github/**/*.yml`.
* Files that git ignores are found as well: begin the pattern with a directory to stay out of build output and installed packages.
* An absolute pattern (`/srv/app/**/*.json`) searches the directory it begins with; an absolute path alone lists everything below it.
* `!*.lock` finds all files except those.

For finding files by content use `grep`.";

/// The pure half of `glob`.
#[derive(Debug)]
pub struct GlobTool {
    spec: ToolSpec,
}

impl GlobTool {
    /// The definition; the working directory is where searches begin if none is given.
    pub fn new(working_dir: &Path) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "The pattern of paths, such as `*.rs`, `src/**/*.{ts,tsx}` or `**/test_*.py`.",
                },
                "path": {
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "default": null,
                    "description": "Absolute path of the directory to search. Default: the working directory.",
                },
            },
            "required": ["pattern"],
        });
        let description = format!(
            "{DESCRIPTION}\n\nThe working directory is {}",
            working_dir.display()
        );
        Self {
            spec: spec(NAME, "Glob", description, READER, schema),
        }
    }
}

impl ToolDefinition for GlobTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = GlobAction {
            pattern: given.required("pattern", text),
            path: given.optional("path", text),
            ..GlobAction::default()
        };
        given.finish()?;
        Ok(Action::Glob(action))
    }

    fn locks(&self, _action: &Action) -> Locks {
        Locks::none()
    }
}

/// The acting half of `glob`.
#[derive(Debug, Clone)]
pub struct GlobExecutor {
    working_dir: PathBuf,
    home: Option<PathBuf>,
}

impl GlobExecutor {
    /// An executor whose searches begin in `working_dir` if no directory is given; `home` is what `~` means.
    pub fn new(working_dir: &Path, home: Option<PathBuf>) -> Self {
        Self {
            working_dir: resolve(working_dir),
            home,
        }
    }

    /// Where to look and for what: a directory and a pattern below it, or `None` if nothing below it is meant.
    fn target(&self, action: &GlobAction) -> (PathBuf, Option<String>) {
        if let Some(path) = given(action.path.as_deref()) {
            let root = search_directory(path);
            let pattern = if action.pattern.starts_with('/') {
                let below = Path::new(&action.pattern).strip_prefix(&root);
                below.ok().map(shown)
            } else {
                Some(action.pattern.clone())
            };
            return (root, pattern);
        }
        let pattern = self.with_home(&action.pattern);
        match split_absolute(&pattern) {
            Some((directory, below)) => (resolve(&directory), Some(below)),
            None => (self.working_dir.clone(), Some(pattern)),
        }
    }

    /// `~` and `~/...` from the home directory.
    fn with_home(&self, pattern: &str) -> String {
        let Some(home) = &self.home else {
            return pattern.to_owned();
        };
        match pattern.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                format!("{}{rest}", shown(home))
            }
            Some(_) | None => pattern.to_owned(),
        }
    }
}

impl ToolExecutor for GlobExecutor {
    fn execute(
        &self,
        action: Action,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::Glob(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let executor = self.clone();
            on_all_cores(&cx, move |cancel| {
                let (root, pattern) = executor.target(&action);
                search(action, &root, pattern.as_deref(), cancel)
            })
            .await
            .map(Observation::Glob)
        })
    }
}

fn search(
    action: GlobAction,
    root: &Path,
    pattern: Option<&str>,
    cancel: CancellationToken,
) -> Result<GlobObservation, Stopped> {
    let search_path = shown(root);
    let (observation, files, truncated) = if root.is_dir() {
        let stop = Stop::new(SEARCH_LIMIT, cancel);
        let found = pattern.map_or_else(
            || Ok(Found::default()),
            |pattern| glob(pattern, root, &stop),
        );
        match found {
            Ok(found) => {
                let files: Vec<String> = found.files.iter().map(|file| shown(file)).collect();
                let text = report(&action.pattern, &search_path, &files, found.truncated);
                (GlobObservation::with_text(text), files, found.truncated)
            }
            Err(GlobError::Stopped(Stopped::Cancelled)) => return Err(Stopped::Cancelled),
            Err(error) => (
                GlobObservation::with_error(error.to_string()),
                Vec::new(),
                false,
            ),
        }
    } else {
        let text = format!("Search path '{search_path}' is not a valid directory");
        (GlobObservation::with_error(text), Vec::new(), false)
    };
    Ok(GlobObservation {
        files,
        pattern: action.pattern,
        search_path,
        truncated,
        ..observation
    })
}

fn report(pattern: &str, search_path: &str, files: &[String], truncated: bool) -> String {
    if files.is_empty() {
        return format!("No files found matching pattern '{pattern}' in directory '{search_path}'");
    }
    let note = if truncated { TRUNCATED_NOTE } else { "" };
    let count = files.len();
    let files = files.join("\n");
    format!("Found {count} file(s) matching pattern '{pattern}' in '{search_path}':\n{files}{note}")
}

/// Both halves for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, _| Ok(GlobTool::new(&place.working_dir)),
        |machine, _| {
            let home = machine
                .env
                .iter()
                .find(|(name, _)| name == "HOME")
                .map(|(_, home)| PathBuf::from(home));
            Ok(GlobExecutor::new(
                &super::run::usable(&machine.place.working_dir)?,
                home,
            ))
        },
        NAME,
    )
}

#[cfg(test)]
#[path = "glob_tool_tests.rs"]
mod tests;
