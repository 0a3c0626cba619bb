//! The `list_directory` tool: the entries of a directory, one level or two.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use openhands_protocol::tool::{
    Action, FileEntry, ListDirectoryAction, ListDirectoryObservation, Observation, ToolSpec,
};
use openhands_protocol::{EventTime, Extra};
use serde_json::{Map, Value, json};

use super::{named, read_failure};
use crate::arguments::{Arguments, InvalidArguments, flag, text};
use crate::blocking::blocking;
use crate::definition::{Hints, ToolDefinition, spec};
use crate::executor::{CallContext, ToolError, ToolExecutor};
use crate::registry::Registration;
use crate::resources::Locks;

/// The tool's name.
pub const NAME: &str = "list_directory";

/// Entries returned at most.
const MAX_ENTRIES: usize = 500;

const DESCRIPTION: &str = "\
Lists the files and directories in a directory, hidden ones too. Directories end in `/`, files come with their size in bytes.

* With `recursive` the entries of the sub-directories are listed as well (two levels in all).
* At most 500 entries are returned. In a large tree look for names with a search instead.";

/// The pure half.
#[derive(Debug)]
pub struct ListDirectoryTool {
    spec: ToolSpec,
    working_dir: PathBuf,
}

impl ListDirectoryTool {
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
            spec: spec(NAME, "ListDirectory", description, hints, schema()),
            working_dir: working_dir.to_path_buf(),
        }
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "dir_path": {
                "type": "string",
                "default": ".",
                "description": "Path of the directory, absolute or relative to the working directory. Without it the working \
                                directory itself is listed.",
            },
            "recursive": {
                "type": "boolean",
                "default": false,
                "description": "Whether to list the sub-directories as well.",
            },
        },
    })
}

impl ToolDefinition for ListDirectoryTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn decode(&self, arguments: &Map<String, Value>) -> Result<Action, InvalidArguments> {
        let mut given = Arguments::new(arguments);
        let action = ListDirectoryAction {
            dir_path: given.or("dir_path", ".".to_owned(), text),
            recursive: given.or("recursive", false, flag),
            ..ListDirectoryAction::default()
        };
        given.finish()?;
        Ok(Action::ListDirectory(action))
    }

    fn locks(&self, action: &Action) -> Locks {
        if let Action::ListDirectory(action) = action {
            Locks::file(&self.working_dir.join(&action.dir_path))
        } else {
            Locks::tool(NAME)
        }
    }
}

/// The acting half.
#[derive(Debug)]
pub struct ListDirectoryExecutor {
    working_dir: PathBuf,
}

impl ListDirectoryExecutor {
    pub fn new(working_dir: &Path) -> Self {
        Self {
            working_dir: working_dir.to_path_buf(),
        }
    }
}

impl ToolExecutor for ListDirectoryExecutor {
    fn execute(
        &self,
        action: Action,
        _cx: CallContext,
    ) -> BoxFuture<'_, Result<Observation, ToolError>> {
        Box::pin(async move {
            let Action::ListDirectory(action) = action else {
                return Err(ToolError::wrong_action(NAME, &action));
            };
            let dir = named(&self.working_dir, &action.dir_path);
            let recursive = action.recursive;
            let observation = blocking(move || {
                list(&dir, recursive).unwrap_or_else(ListDirectoryObservation::with_error)
            })
            .await?;
            Ok(Observation::ListDirectory(observation))
        })
    }
}

fn list(dir: &Path, recursive: bool) -> Result<ListDirectoryObservation, String> {
    let shown = dir.display();
    if !dir.exists() {
        return Err(format!("Error: Directory not found: {shown}"));
    }
    if !dir.is_dir() {
        return Err(format!("Error: Path is not a directory: {shown}"));
    }
    let found =
        collect(dir, recursive).map_err(|error| read_failure(&error, dir, "listing directory"))?;
    let total = found.len();
    let is_truncated = total > MAX_ENTRIES;
    let entries: Vec<FileEntry> = found.into_iter().take(MAX_ENTRIES).collect();
    // compat: one level is counted only up to the limit.
    let counted = if recursive { total } else { entries.len() };
    let cut = if is_truncated {
        format!(", truncated to {MAX_ENTRIES}")
    } else {
        String::new()
    };
    let mut text = format!("Listed directory: {shown} ({counted} entries{cut})");
    // Better than the reference, whose text leaves out the entries: the model reads nothing but the text.
    for entry in &entries {
        text.push('\n');
        text.push_str(&line(dir, entry));
    }
    Ok(ListDirectoryObservation {
        dir_path: Some(shown.to_string()),
        entries,
        total_count: u64::try_from(counted).unwrap_or(u64::MAX),
        is_truncated,
        ..ListDirectoryObservation::with_text(text)
    })
}

/// An entry as the model sees it: its path below the directory, and what it is.
fn line(dir: &Path, entry: &FileEntry) -> String {
    let path = Path::new(&entry.path);
    let below = path.strip_prefix(dir).unwrap_or(path).display();
    if entry.is_directory {
        format!("{below}/")
    } else {
        format!("{below} ({} bytes)", entry.size)
    }
}

/// The entries in order: of one level by name; of two levels directories before files, then each directory's own.
fn collect(dir: &Path, recursive: bool) -> io::Result<Vec<FileEntry>> {
    let mut entries = read_level(dir)?;
    if !recursive {
        return Ok(entries);
    }
    entries.sort_by_key(|entry| !entry.is_directory);
    let below: Vec<PathBuf> = entries
        .iter()
        .filter(|entry| entry.is_directory)
        .map(|entry| PathBuf::from(&entry.path))
        // A link to a directory is listed and not entered: it may lead anywhere, also back up.
        .filter(|path| !path.is_symlink())
        .collect();
    for path in below {
        if entries.len() > MAX_ENTRIES {
            break;
        }
        let mut level = read_level(&path).unwrap_or_default();
        level.sort_by_key(|entry| !entry.is_directory);
        entries.append(&mut level);
    }
    Ok(entries)
}

/// The entries of one directory by name. One that vanished or dangles is left out.
fn read_level(dir: &Path) -> io::Result<Vec<FileEntry>> {
    let mut entries: Vec<FileEntry> = fs::read_dir(dir)?
        .filter_map(|entry| describe(&entry.ok()?.path()))
        .collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

fn describe(path: &Path) -> Option<FileEntry> {
    let metadata = fs::metadata(path).ok()?;
    let modified = Timestamp::try_from(metadata.modified().ok()?).ok()?;
    let is_directory = metadata.is_dir();
    Some(FileEntry {
        name: path.file_name()?.to_string_lossy().into_owned(),
        path: path.display().to_string(),
        is_directory,
        size: if is_directory { 0 } else { metadata.len() },
        modified_time: EventTime::from_civil(modified.to_zoned(TimeZone::system()).datetime()),
        extra: Extra::EMPTY,
    })
}

/// Both halves, for the registry.
pub fn registration() -> Registration {
    Registration::single(
        |place, _| Ok(ListDirectoryTool::new(&place.working_dir)),
        |machine, _| Ok(ListDirectoryExecutor::new(&machine.place.working_dir)),
        NAME,
    )
}
