//! Applying a patch to the files of a workspace: all of it, or nothing.
//!
//! The whole patch is read, every place found and every path checked before the first write. Should a write then fail
//! (no space, no permission), what was done before it is taken back. Files are replaced by the project's one
//! writer, so modes, owners, links and line breaks survive.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::str::Utf8Error;

use indexmap::IndexMap;

use super::error::PatchError;
use super::parse::{FileAction, Patch, files_needed, parse, patch_lines};
use super::text::FileText;
use super::transaction::Transaction;
use crate::resolve::resolve;
use crate::safe_write::os_error_text;

/// What a patch did to one file. Texts have plain line feeds, whatever the file has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Added {
        new: String,
    },
    Deleted {
        old: String,
    },
    /// `move_path` is empty if the file stays where it is.
    Updated {
        old: String,
        new: String,
        move_path: String,
    },
}

/// What a patch did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// By path as written in the patch, in its order.
    pub changes: IndexMap<String, Change>,
    /// How far contexts had to be bent; 0 is exact.
    pub fuzz: u64,
}

/// A patch that was not applied.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The patch is wrong or does not fit the files.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// A file could not be read or written; the text is for the model.
    #[error("{0}")]
    File(String),
}

impl ApplyError {
    fn file(error: &io::Error, path: &Path) -> Self {
        Self::File(os_error_text(error, Some(path)))
    }
}

/// Applies a patch to the workspace at `root`.
pub fn apply_patch(root: &Path, text: &str) -> Result<Applied, ApplyError> {
    let workspace = Workspace {
        root: resolve(root),
    };
    let lines = patch_lines(text)?;
    let mut files = HashMap::new();
    for path in files_needed(&lines) {
        files.insert(path.to_owned(), workspace.read(path)?);
    }
    let patch = parse(&lines, &files)?;
    let steps = workspace.plan(&patch, &files)?;
    run(steps)?;
    Ok(report(patch, &files))
}

/// One thing to do to the disk.
#[derive(Debug)]
enum Step {
    Write {
        to: PathBuf,
        text: String,
        mode: Option<Permissions>,
    },
    Remove {
        path: PathBuf,
    },
}

struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// Where a path of a patch really leads; refused if that is outside of the workspace, also by way of links.
    fn place(&self, path: &str) -> Result<PathBuf, PatchError> {
        let place = resolve(&self.root.join(path));
        if place.starts_with(&self.root) {
            Ok(place)
        } else {
            Err(PatchError::OutsideWorkspace)
        }
    }

    fn read(&self, path: &str) -> Result<FileText, ApplyError> {
        let place = self.place(path)?;
        let bytes = match fs::metadata(&place) {
            // Never opened: reading a pipe or a device could wait forever.
            Ok(meta) if !meta.is_file() && !meta.is_dir() => {
                return Err(ApplyError::File(format!(
                    "Not a regular file: '{}'",
                    place.display()
                )));
            }
            Ok(_) | Err(_) => fs::read(&place),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(PatchError::MissingFile(path.to_owned()).into());
            }
            Err(error) => return Err(ApplyError::file(&error, &place)),
        };
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(FileText::new(text)),
            Err(error) => Err(ApplyError::File(decode_error(&bytes, error))),
        }
    }

    /// Everything to do, in the order of the patch, with every path checked.
    fn plan(
        &self,
        patch: &Patch,
        files: &HashMap<String, FileText>,
    ) -> Result<Vec<Step>, ApplyError> {
        let mut steps = Vec::new();
        for (path, action) in &patch.actions {
            match action {
                FileAction::Add { content } => {
                    let to = self.writable(path)?;
                    let text = content.clone();
                    steps.push(Step::Write {
                        to,
                        text,
                        mode: None,
                    });
                }
                FileAction::Delete => steps.push(self.removal(path)?),
                FileAction::Update { chunks, move_to } => {
                    let Some(file) = files.get(path) else {
                        return Err(PatchError::MissingFile(path.clone()).into());
                    };
                    let text = file.changed(chunks).to_file();
                    let from = self.place(path)?;
                    let to = if move_to.is_empty() {
                        from.clone()
                    } else {
                        self.writable(move_to)?
                    };
                    if to == from {
                        steps.push(Step::Write {
                            to,
                            text,
                            mode: None,
                        });
                        continue;
                    }
                    let mode = fs::metadata(&from).ok().map(|meta| meta.permissions());
                    steps.push(Step::Write { to, text, mode });
                    steps.push(self.removal(path)?);
                }
            }
        }
        Ok(steps)
    }

    fn writable(&self, path: &str) -> Result<PathBuf, ApplyError> {
        let to = self.place(path)?;
        if to.is_dir() {
            let error = io::Error::from_raw_os_error(rustix::io::Errno::ISDIR.raw_os_error());
            return Err(ApplyError::file(&error, &to));
        }
        Ok(to)
    }

    /// Removes what the path names: of a link, the link itself and not the file behind it.
    fn removal(&self, path: &str) -> Result<Step, ApplyError> {
        self.place(path)?;
        let named = self.root.join(path);
        let path = match (named.parent(), named.file_name()) {
            (Some(parent), Some(name)) => resolve(parent).join(name),
            (None, _) | (_, None) => self.place(path)?,
        };
        Ok(Step::Remove { path })
    }
}

fn run(steps: Vec<Step>) -> Result<(), ApplyError> {
    let mut transaction = Transaction::default();
    for step in steps {
        let done = match &step {
            Step::Write { to, text, mode } => transaction.write(to, text.as_bytes(), mode.clone()),
            Step::Remove { path } => transaction.remove(path),
        };
        if let Err(problem) = done {
            return Err(ApplyError::File(match transaction.roll_back().as_slice() {
                [] => format!("{problem}. Nothing was changed."),
                lost => {
                    let lost: Vec<String> =
                        lost.iter().map(|path| path.display().to_string()).collect();
                    format!(
                        "{problem}. These files could not be put back as they were: {}",
                        lost.join(", ")
                    )
                }
            }));
        }
    }
    transaction.commit();
    Ok(())
}

fn report(patch: Patch, files: &HashMap<String, FileText>) -> Applied {
    let mut changes = IndexMap::new();
    for (path, action) in patch.actions {
        let old = files.get(&path);
        let before = || old.map(FileText::plain).unwrap_or_default();
        let change = match action {
            FileAction::Add { content } => Change::Added { new: content },
            FileAction::Delete => Change::Deleted { old: before() },
            FileAction::Update { chunks, move_to } => Change::Updated {
                old: before(),
                new: old
                    .map(|file| file.changed(&chunks).plain())
                    .unwrap_or_default(),
                move_path: move_to,
            },
        };
        changes.insert(path, change);
    }
    Applied {
        changes,
        fuzz: patch.fuzz,
    }
}

/// Why bytes are not UTF-8, in Python's words, which clients know.
fn decode_error(bytes: &[u8], error: Utf8Error) -> String {
    let start = error.valid_up_to();
    let byte = bytes.get(start).copied().unwrap_or_default();
    let (length, reason) = match error.error_len() {
        None => (bytes.len() - start, "unexpected end of data"),
        Some(length) if (0xC2..=0xF4).contains(&byte) => (length, "invalid continuation byte"),
        Some(length) => (length, "invalid start byte"),
    };
    if length == 1 {
        format!("'utf-8' codec can't decode byte 0x{byte:02x} in position {start}: {reason}")
    } else {
        let last = start + length - 1;
        format!("'utf-8' codec can't decode bytes in position {start}-{last}: {reason}")
    }
}

#[cfg(test)]
#[path = "apply_tests.rs"]
mod tests;
