//! Several file changes that are kept together: each one can be taken back until all are done.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use crate::safe_write::{os_error_text, temporary_name, write_file};

/// What is needed to take one change back.
#[derive(Debug)]
enum Undo {
    Created {
        path: PathBuf,
    },
    Directory {
        path: PathBuf,
    },
    Overwritten {
        path: PathBuf,
        bytes: Vec<u8>,
        mode: Permissions,
    },
    Removed {
        path: PathBuf,
        aside: PathBuf,
    },
}

/// Changes made so far.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    done: Vec<Undo>,
}

impl Transaction {
    /// Writes a file, making the directories above it; `mode` is what the file shall have if not its own.
    pub(super) fn write(
        &mut self,
        path: &Path,
        bytes: &[u8],
        mode: Option<Permissions>,
    ) -> Result<(), String> {
        let failed = |error: &io::Error| os_error_text(error, Some(path));
        self.make_parents(path)?;
        let undo = if let Ok(meta) = fs::metadata(path) {
            if !meta.is_file() && !meta.is_dir() {
                // Reading it, to be able to take the change back, may never end.
                return Err(format!("Not a regular file: '{}'", path.display()));
            }
            Undo::Overwritten {
                path: path.to_path_buf(),
                bytes: fs::read(path).map_err(|error| failed(&error))?,
                mode: meta.permissions(),
            }
        } else {
            Undo::Created {
                path: path.to_path_buf(),
            }
        };
        write_file(path, bytes).map_err(|error| error.to_string())?;
        self.done.push(undo);
        match mode {
            Some(mode) => fs::set_permissions(path, mode).map_err(|error| failed(&error)),
            None => Ok(()),
        }
    }

    fn make_parents(&mut self, path: &Path) -> Result<(), String> {
        let missing: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .take_while(|parent| !parent.exists())
            .collect();
        for directory in missing.into_iter().rev() {
            fs::create_dir(directory).map_err(|error| os_error_text(&error, Some(directory)))?;
            self.done.push(Undo::Directory {
                path: directory.to_path_buf(),
            });
        }
        Ok(())
    }

    /// Removes a file. Until the end it only has another name, so that nothing of it can be lost.
    pub(super) fn remove(&mut self, path: &Path) -> Result<(), String> {
        let aside = temporary_name(path);
        fs::rename(path, &aside).map_err(|error| os_error_text(&error, Some(path)))?;
        self.done.push(Undo::Removed {
            path: path.to_path_buf(),
            aside,
        });
        Ok(())
    }

    /// Takes everything back, last change first; gives the paths where that failed.
    pub(super) fn roll_back(self) -> Vec<PathBuf> {
        let mut lost = Vec::new();
        for undo in self.done.into_iter().rev() {
            let (path, result) = match undo {
                Undo::Created { path } => {
                    let result = fs::remove_file(&path);
                    (path, result)
                }
                Undo::Directory { path } => {
                    let result = fs::remove_dir(&path);
                    (path, result)
                }
                Undo::Overwritten { path, bytes, mode } => {
                    let restored = write_file(&path, &bytes).map_err(io::Error::other);
                    let result = restored.and_then(|()| fs::set_permissions(&path, mode));
                    (path, result)
                }
                Undo::Removed { path, aside } => {
                    let result = fs::rename(&aside, &path);
                    (path, result)
                }
            };
            if let Err(error) = result {
                tracing::warn!(path = %path.display(), %error, "a file of a failed patch could not be put back");
                lost.push(path);
            }
        }
        lost
    }

    /// Everything is done: what was removed goes for good.
    pub(super) fn commit(self) {
        for undo in self.done {
            if let Undo::Removed { aside, .. } = undo
                && let Err(error) = fs::remove_file(&aside)
            {
                tracing::warn!(path = %aside.display(), %error, "a removed file is left under another name");
            }
        }
    }
}
