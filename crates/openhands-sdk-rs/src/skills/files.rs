//! Bounded reading of skill files through a workspace.

use std::path::Path;

use openhands_runtime::{Entry, EntryKind, Workspace, WorkspaceError};

use crate::skills::error::SkillError;
use crate::skills::loaded::Loaded;

/// A skill is prose for a model: a file beyond this is something else.
pub(crate) const MAX_FILE_BYTES: usize = 1 << 20;
/// How many files are read below one directory of skills.
pub(crate) const MAX_FILES: usize = 1_000;
/// How many directories are listed below one directory of skills.
pub(crate) const MAX_DIRECTORIES: usize = 1_000;
/// How deep directories are searched. Bounds links that lead in circles, too.
pub(crate) const MAX_DEPTH: usize = 8;

/// The text of a file of reasonable size.
pub(crate) async fn text(workspace: &dyn Workspace, path: &Path) -> Result<String, SkillError> {
    let bytes = workspace.read(path).await?;
    if bytes.len() > MAX_FILE_BYTES {
        return Err(SkillError::TooLarge {
            size: bytes.len(),
            limit: MAX_FILE_BYTES,
        });
    }
    String::from_utf8(bytes.into()).map_err(|_| SkillError::NotText)
}

/// The text of a file; none if there is no such file. Looked up in its directory first, so that nothing but a file is
/// opened: reading a pipe would never end.
pub(crate) async fn text_if_there(
    workspace: &dyn Workspace,
    path: &Path,
) -> Result<Option<String>, SkillError> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(None);
    };
    let entries = list(workspace, directory).await?;
    if !file_names(&entries).any(|file| Path::new(file) == Path::new(name)) {
        return Ok(None);
    }
    text(workspace, path).await.map(Some)
}

/// What is in a directory. One that is not there is empty; one that cannot be listed is reported.
pub(crate) async fn entries(
    workspace: &dyn Workspace,
    path: &Path,
    loaded: &mut Loaded,
) -> Vec<Entry> {
    match list(workspace, path).await {
        Ok(entries) => entries,
        Err(error) => {
            loaded.warn(path, error);
            Vec::new()
        }
    }
}

/// What is in a directory, sorted; nothing if it is not there.
pub(crate) async fn list(
    workspace: &dyn Workspace,
    path: &Path,
) -> Result<Vec<Entry>, WorkspaceError> {
    match workspace.list(path).await {
        Ok(mut entries) => {
            entries.sort();
            Ok(entries)
        }
        Err(error) if error.is_not_found() => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// The names of the files among entries.
pub(crate) fn file_names(entries: &[Entry]) -> impl Iterator<Item = &str> {
    names(entries, EntryKind::File)
}

/// The names of the directories among entries.
pub(crate) fn directory_names(entries: &[Entry]) -> impl Iterator<Item = &str> {
    names(entries, EntryKind::Directory)
}

fn names(entries: &[Entry], kind: EntryKind) -> impl Iterator<Item = &str> {
    entries
        .iter()
        .filter(move |entry| entry.kind == kind)
        .map(|entry| entry.name.as_str())
}
