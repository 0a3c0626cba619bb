//! The task list, its text for the model and its file.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use openhands_protocol::tool::{TaskItem, TaskStatus};
use serde_json::{Value, json};

use crate::arguments::{Arguments, Read, list, object, one_of, text};
use crate::safe_write::write_file;

const FILE_NAME: &str = "TASKS.json";
/// Unreadable lists that are kept aside before the last one is overwritten.
const MAX_KEPT: usize = 100;

/// The tasks of one conversation, mirrored in a file where the conversation has a directory.
#[derive(Debug, Default)]
pub struct TaskList {
    tasks: Vec<TaskItem>,
    dir: Option<PathBuf>,
    /// Whether the file holds something that could not be read and must not be overwritten.
    is_corrupt: bool,
}

impl TaskList {
    /// The list kept in `dir`. A file that cannot be understood counts as empty; it is moved aside before the next plan is saved.
    pub fn load(dir: Option<&Path>) -> Self {
        let mut loaded = Self {
            dir: dir.map(Path::to_path_buf),
            ..Self::default()
        };
        let Some(file) = loaded.file() else {
            return loaded;
        };
        match fs::read(&file) {
            Ok(bytes) => {
                let tasks = parse(&bytes);
                loaded.is_corrupt = tasks.is_none();
                if loaded.is_corrupt {
                    tracing::warn!(file = %file.display(), "task list not understood, starting an empty one");
                }
                loaded.tasks = tasks.unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(file = %file.display(), %error, "task list not read, starting an empty one");
            }
        }
        loaded
    }

    pub fn tasks(&self) -> &[TaskItem] {
        &self.tasks
    }

    /// Replaces the list and saves it. A list that cannot be saved still holds for this conversation.
    pub fn replace(&mut self, tasks: Vec<TaskItem>) {
        self.tasks = tasks;
        if let Err(problem) = self.save() {
            tracing::warn!(problem, "task list not saved");
        }
    }

    fn file(&self) -> Option<PathBuf> {
        Some(self.dir.as_ref()?.join(FILE_NAME))
    }

    fn save(&mut self) -> Result<(), String> {
        let (Some(dir), Some(file)) = (&self.dir, self.file()) else {
            return Ok(());
        };
        fs::create_dir_all(dir).map_err(|error| error.to_string())?;
        if self.is_corrupt {
            fs::rename(&file, free_name(&file)).map_err(|error| error.to_string())?;
            self.is_corrupt = false;
        }
        write_file(&file, encode(&self.tasks).as_bytes()).map_err(|error| error.to_string())
    }

    /// The list as the model reads it.
    pub fn show(&self) -> String {
        if self.tasks.is_empty() {
            return r#"No task list found. Use the "plan" command to create one."#.to_owned();
        }
        let mut shown = "# Task List\n".to_owned();
        for (number, task) in (1..).zip(&self.tasks) {
            let icon = match task.status {
                TaskStatus::Todo => "⏳",
                TaskStatus::InProgress => "🔄",
                TaskStatus::Done => "✅",
            };
            // Writing to a string cannot fail.
            let _ = write!(shown, "\n{number}. {icon} {}\n", task.title);
            if !task.notes.is_empty() {
                let _ = writeln!(shown, "   {}", task.notes);
            }
        }
        shown.trim().to_owned()
    }
}

/// The first name of its kind that is not taken, so that no earlier file is lost either.
fn free_name(file: &Path) -> PathBuf {
    let named = |number: usize| file.with_file_name(format!("{FILE_NAME}.corrupt-{number}"));
    (1..MAX_KEPT)
        .map(named)
        .find(|name| !name.exists())
        .unwrap_or_else(|| named(MAX_KEPT))
}

/// Reads one task of a call or of the file; what it has besides is ignored.
pub(super) fn task(value: &Value) -> Read<TaskItem> {
    object(|fields: &mut Arguments<'_>| TaskItem {
        title: fields.required("title", text),
        notes: fields.or("notes", String::new(), text),
        status: fields.or("status", TaskStatus::Todo, status),
        ..TaskItem::default()
    })(value)
}

/// A status, also in the words that models use for it.
fn status(value: &Value) -> Read<TaskStatus> {
    let word = value
        .as_str()
        .map(|word| word.trim().to_lowercase().replace([' ', '-'], "_"));
    match word.as_deref() {
        Some("todo" | "to_do" | "pending") => Ok(TaskStatus::Todo),
        Some("in_progress") => Ok(TaskStatus::InProgress),
        Some("done" | "completed" | "complete") => Ok(TaskStatus::Done),
        // Refuses in the usual words.
        Some(_) | None => one_of(TaskStatus::WORDS)(value).map(|_| TaskStatus::Todo),
    }
}

fn parse(bytes: &[u8]) -> Option<Vec<TaskItem>> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    list(task)(&value).ok()
}

/// The file's text: indented by two, with everything beyond ASCII escaped, as the reference writes it.
fn encode(tasks: &[TaskItem]) -> String {
    let items: Vec<Value> = tasks
        .iter()
        .map(|task| json!({"title": task.title, "notes": task.notes, "status": task.status.as_str()}))
        .collect();
    let mut ascii = String::new();
    for c in format!("{:#}", Value::Array(items)).chars() {
        if c <= '~' {
            ascii.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(ascii, "\\u{unit:04x}");
        }
    }
    ascii
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
