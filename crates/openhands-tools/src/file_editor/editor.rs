//! The file editor: checks a command in the order that clients know, carries it out, remembers how to undo it.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::resolve::{resolve, tidy};
use crate::safe_write::{WriteError, os_error_text, temporary_name, write_file};

use super::charset::Charset;
use super::command::{Command, Dialect, Outcome, Request};
use super::document::Document;
use super::error::EditorError;
use super::history::{BUDGET_BYTES, History};
use super::listing::{line_count, line_start, lines_between, numbered};
use super::open::{OpenError, check_size, open_document};
use super::search::find_unique;
use super::view::{image_type, view_directory, view_image, view_text};

/// Lines shown around an edit.
const SNIPPET_LINES: usize = 4;
const ADVICE: &str =
    "Review the changes and make sure they are as expected. Edit the file again if necessary.";
/// Files whose character set is remembered between commands.
const MAX_KNOWN_CHARSETS: usize = 1000;

/// An editor with its undo history, shared by all calls of a conversation. Commands for the same file, under
/// whatever name, run one after the other.
#[derive(Debug)]
pub struct FileEditor {
    /// Where relative paths would be looked for when suggesting an absolute one.
    workspace: PathBuf,
    dialect: Dialect,
    state: Mutex<State>,
    /// One lock for each file that a command is at work on.
    busy: Mutex<HashMap<PathBuf, Weak<Mutex<()>>>>,
}

#[derive(Debug)]
struct State {
    history: History,
    /// Character sets other than UTF-8, by real path.
    charsets: HashMap<PathBuf, Charset>,
}

/// Where an edit goes: the path as it is shown, and the real file behind it.
struct Target {
    shown: String,
    real: PathBuf,
}

impl FileEditor {
    pub fn new(workspace: impl Into<PathBuf>) -> Self {
        Self {
            workspace: workspace.into(),
            dialect: Dialect::V1,
            state: Mutex::new(State {
                history: History::with_budget(BUDGET_BYTES),
                charsets: HashMap::new(),
            }),
            busy: Mutex::new(HashMap::new()),
        }
    }

    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// Carries one command out. It blocks on the file system.
    pub fn run(&self, request: &Request) -> Result<Outcome, EditorError> {
        let shown = tidy(&request.path);
        self.check_path(request.command, &shown)?;
        let missing = |parameter| EditorError::Missing {
            parameter,
            command: request.command,
        };
        let need = |value: &'_ Option<String>, parameter| match value {
            Some(value) => Ok(value.clone()),
            None => Err(missing(parameter)),
        };
        let target = Target {
            real: resolve(Path::new(&shown)),
            shown,
        };
        let file = self.lock_of(&target.real);
        let _turn = file.lock();
        match request.command {
            Command::View => self.view(&target, request.view_range.as_deref().unwrap_or_default()),
            Command::Create => self.create(&target, need(&request.file_text, "file_text")?),
            Command::StrReplace => {
                let old_str = need(&request.old_str, "old_str")?;
                let new_str = need(&request.new_str, "new_str")?;
                self.str_replace(&target, &old_str, &new_str)
            }
            Command::Insert => {
                let line = request.insert_line.ok_or_else(|| missing("insert_line"))?;
                self.insert(&target, line, &need(&request.new_str, "new_str")?)
            }
            Command::UndoEdit => self.undo_edit(&target),
        }
    }

    /// Whether a command can be about this path.
    pub fn check_path(&self, command: Command, shown: &str) -> Result<(), EditorError> {
        let invalid = |hint: String| EditorError::Invalid {
            parameter: "path",
            value: shown.to_owned(),
            hint,
        };
        // compat: a home-relative path passes for an absolute one here and is then not found.
        if !shown.trim_start().starts_with(['/', '~']) {
            let absolute = match self.dialect {
                Dialect::V1 => "The path should be an absolute path.",
                Dialect::V0 => "The path should be an absolute path, starting with `/`.",
            };
            let meant = self.workspace.join(shown);
            if meant.exists() {
                let meant = tidy(&meant.to_string_lossy());
                return Err(invalid(format!("{absolute} Maybe you meant {meant}?")));
            }
            return Err(invalid(absolute.to_owned()));
        }
        let path = Path::new(shown);
        let exists = path.is_absolute() && path.exists();
        if command == Command::Create {
            if exists {
                return Err(invalid(format!(
                    "File already exists at: {shown}. Cannot overwrite files using command `create`."
                )));
            }
            return Ok(());
        }
        if !exists {
            return Err(invalid(format!(
                "The path {shown} does not exist. Please provide a valid path."
            )));
        }
        if command != Command::View && path.is_dir() {
            return Err(invalid(format!(
                "The path {shown} is a directory and only the `view` command can be used on directories."
            )));
        }
        Ok(())
    }

    fn lock_of(&self, real: &Path) -> Arc<Mutex<()>> {
        let mut busy = self.busy.lock();
        busy.retain(|_, file| file.strong_count() > 0);
        if let Some(file) = busy.get(real).and_then(Weak::upgrade) {
            return file;
        }
        let file = Arc::new(Mutex::new(()));
        busy.insert(real.to_path_buf(), Arc::downgrade(&file));
        file
    }

    fn view(&self, target: &Target, range: &[i64]) -> Result<Outcome, EditorError> {
        let path = &target.shown;
        if target.real.is_dir() {
            if !range.is_empty() {
                return Err(EditorError::Invalid {
                    parameter: "view_range",
                    value: format!("{range:?}"),
                    hint: "The `view_range` parameter is not allowed when `path` points to a directory.".to_owned(),
                });
            }
            return Ok(Outcome::shown(path, view_directory(&target.real, path)?));
        }
        // compat: the editor of 0.x shows no images, and its answers have no place for one.
        let shows_images = self.dialect != Dialect::V0 && target.real.is_file();
        if let Some(mime) = image_type(Path::new(path)).filter(|_| shows_images) {
            return view_image(&target.real, path, mime);
        }
        let document = self.read(target)?;
        let text = view_text(document.text(), path, range, self.dialect)?;
        Ok(Outcome::shown(path, text))
    }

    fn create(&self, target: &Target, file_text: String) -> Result<Outcome, EditorError> {
        check_parent(Path::new(&target.shown)).map_err(|reason| EditorError::Write {
            reason,
            path: target.shown.clone(),
        })?;
        write(target, file_text.as_bytes())?;
        // compat: the history gets the created text itself, so that undoing a creation changes nothing.
        let created = file_text.clone().into_bytes();
        self.state.lock().history.push(&target.real, created);
        Ok(Outcome {
            existed: false,
            new_content: Some(file_text),
            ..Outcome::shown(
                &target.shown,
                format!("File created successfully at: {}", target.shown),
            )
        })
    }

    fn str_replace(
        &self,
        target: &Target,
        old_str: &str,
        new_str: &str,
    ) -> Result<Outcome, EditorError> {
        if old_str == new_str {
            return Err(EditorError::Invalid {
                parameter: "new_str",
                value: new_str.to_owned(),
                hint: "No replacement was performed. `new_str` and `old_str` must be different."
                    .to_owned(),
            });
        }
        let before = self.read(target)?;
        let found = find_unique(&before, old_str, &target.shown)?;
        let line = 1 + breaks_in(before.text().get(..found.start).unwrap_or_default());
        let after = self.edit(target, &before, found, new_str)?;

        let first = line.saturating_sub(SNIPPET_LINES) + 1;
        let last = line + SNIPPET_LINES + breaks_in(new_str);
        let snippet = numbered(
            lines_between(after.text(), first, last),
            &format!("a snippet of {}", target.shown),
            first,
            self.dialect,
        );
        Ok(edited(target, before, after, &[&snippet, ADVICE].concat()))
    }

    fn insert(&self, target: &Target, line: i64, new_str: &str) -> Result<Outcome, EditorError> {
        let before = self.read(target)?;
        let lines = line_count(before.text());
        let Some(line) = usize::try_from(line).ok().filter(|line| *line <= lines) else {
            return Err(EditorError::Invalid {
                parameter: "insert_line",
                value: line.to_string(),
                hint: format!("It should be within the range of allowed values: [0, {lines}]"),
            });
        };
        let at = line_start(before.text(), line + 1);
        let unfinished = at > 0 && !before.text().get(..at).unwrap_or_default().ends_with('\n');
        // Better than the reference: a last line without a break gets one, instead of growing by the new text.
        let text = [if unfinished { "\n" } else { "" }, new_str, "\n"].concat();
        let after = self.edit(target, &before, at..at, &text)?;

        let added = breaks_in(new_str) + 1;
        let first = line.saturating_sub(SNIPPET_LINES) + 1;
        let snippet = numbered(
            lines_between(after.text(), first, line + SNIPPET_LINES + added),
            "a snippet of the edited file",
            first,
            self.dialect,
        );
        let advice = "Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.";
        Ok(edited(target, before, after, &[&snippet, advice].concat()))
    }

    /// Puts `text` in the place of the lines `first..=last` (from 1; -1 is the last one). It can be undone like any edit.
    pub fn replace_lines(
        &self,
        path: &str,
        first: i64,
        last: i64,
        text: &str,
    ) -> Result<Outcome, EditorError> {
        let shown = tidy(path);
        self.check_path(Command::StrReplace, &shown)?;
        let target = Target {
            real: resolve(Path::new(&shown)),
            shown,
        };
        let file = self.lock_of(&target.real);
        let _turn = file.lock();
        let before = self.read(&target)?;
        let lines = line_count(before.text());
        let end = if last == -1 { lines } else { line_number(last) };
        let start = line_number(first);
        // One line behind the last is where text is added.
        if !(1..=lines + 1).contains(&start) || end > lines || end + 1 < start {
            return Err(EditorError::Invalid {
                parameter: "start and end",
                value: format!("[{first}, {last}]"),
                hint: format!(
                    "They should be lines of the file: [1, {lines}], the first one not behind the last one."
                ),
            });
        }
        let range = line_start(before.text(), start)..line_start(before.text(), end + 1);
        let at_end = range.end == before.text().len();
        let unfinished = range.start > 0
            && !before
                .text()
                .get(..range.start)
                .unwrap_or_default()
                .ends_with('\n');
        let needs_break = !text.is_empty() && !text.ends_with('\n') && !at_end;
        let with = [
            if unfinished { "\n" } else { "" },
            text,
            if needs_break { "\n" } else { "" },
        ]
        .concat();
        let after = self.edit(&target, &before, range, &with)?;
        let from = start.saturating_sub(SNIPPET_LINES).max(1);
        let to = start + breaks_in(text) + SNIPPET_LINES;
        let snippet = numbered(
            lines_between(after.text(), from, to),
            &format!("a snippet of {}", target.shown),
            from,
            self.dialect,
        );
        Ok(edited(&target, before, after, &[&snippet, ADVICE].concat()))
    }

    fn undo_edit(&self, target: &Target) -> Result<Outcome, EditorError> {
        let current = self.read(target)?;
        let known = Some(current.charset());
        let bytes = self
            .state
            .lock()
            .history
            .newest(&target.real)
            .map(<[u8]>::to_vec);
        let Some(bytes) = bytes else {
            return Err(EditorError::NoHistory {
                path: target.shown.clone(),
            });
        };
        write(target, &bytes)?;
        self.state.lock().history.pop(&target.real);
        let restored = Document::read(bytes, known);
        let listing = numbered(restored.text(), &target.shown, 1, self.dialect);
        let text = format!(
            "Last edit to {} undone successfully. {listing}",
            target.shown
        );
        Ok(Outcome {
            old_content: Some(current.into_text()),
            new_content: Some(restored.into_text()),
            ..Outcome::shown(&target.shown, text)
        })
    }

    /// Makes and stores the edited document.
    fn edit(
        &self,
        target: &Target,
        before: &Document,
        range: Range<usize>,
        with: &str,
    ) -> Result<Document, EditorError> {
        let after = before
            .replace(&[range], with)
            .map_err(|reason| EditorError::Splice {
                reason,
                path: target.shown.clone(),
            })?;
        // A file that grew beyond the limit could not be looked at again, nor the edit undone.
        let bytes = u64::try_from(after.bytes().len()).unwrap_or(u64::MAX);
        check_size(bytes).map_err(|error| unfit(target, &error))?;
        write(target, after.bytes())?;
        let mut state = self.state.lock();
        state.history.push(&target.real, before.bytes().to_vec());
        state.remember(&target.real, after.charset());
        Ok(after)
    }

    fn read(&self, target: &Target) -> Result<Document, EditorError> {
        let known = self.state.lock().charsets.get(&target.real).copied();
        let document = open_document(&target.real, known).map_err(|error| {
            if let OpenError::Io(error) = &error {
                return EditorError::Read {
                    reason: os_error_text(error, Some(&target.real)),
                    path: target.shown.clone(),
                };
            }
            unfit(target, &error)
        })?;
        self.state.lock().remember(&target.real, document.charset());
        Ok(document)
    }
}

/// Whether a file can be created at `path` as far as its directory goes.
fn check_parent(path: &Path) -> Result<(), WriteError> {
    // A path that passed as absolute without being so names no place to create a file in.
    let Some(parent) = path.parent().filter(|_| path.is_absolute()) else {
        return Err(WriteError::not_found(path));
    };
    // The system must agree that the path leads somewhere: `missing/..` is no other name for the directory it is in.
    match fs::metadata(parent) {
        Ok(_) => Ok(()),
        Err(error) => Err(WriteError::at(&temporary_name(path))(error)),
    }
}

/// A line's number; what can be none is line 0.
fn line_number(given: i64) -> usize {
    usize::try_from(given).unwrap_or(0)
}

fn edited(target: &Target, before: Document, after: Document, rest: &str) -> Outcome {
    let text = format!("The file {} has been edited. {rest}", target.shown);
    Outcome {
        old_content: Some(before.into_text()),
        new_content: Some(after.into_text()),
        ..Outcome::shown(&target.shown, text)
    }
}

fn write(target: &Target, bytes: &[u8]) -> Result<(), EditorError> {
    write_file(&target.real, bytes).map_err(|reason| EditorError::Write {
        reason,
        path: target.shown.clone(),
    })
}

fn unfit(target: &Target, reason: &OpenError) -> EditorError {
    EditorError::Unfit {
        path: target.shown.clone(),
        reason: reason.to_string(),
    }
}

impl State {
    fn remember(&mut self, file: &Path, charset: Charset) {
        if charset == Charset::UTF_8 {
            self.charsets.remove(file);
            return;
        }
        // Forgetting all of them costs one more detection each; a thousand such files are rare enough.
        if self.charsets.len() >= MAX_KNOWN_CHARSETS {
            self.charsets.clear();
        }
        self.charsets.insert(file.to_path_buf(), charset);
    }
}

fn breaks_in(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
#[path = "editor_tests.rs"]
mod tests;
