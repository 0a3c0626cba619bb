//! The list of directories that the UI offers. It has no effect on conversations.

use std::collections::HashSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openhands_protocol::workspace::{StoredWorkspaces, WorkspaceItem, WorkspaceParentItem};
use openhands_protocol::{Form, Reading};
use openhands_sdk_rs::tools::blocking;
use thiserror::Error;

use crate::config::Config;

/// The version of the file that is understood.
const SCHEMA_VERSION: i64 = 1;

/// Why the list could not be used.
#[derive(Debug, Error)]
pub(crate) enum WorkspacesError {
    /// What is there is not to be overwritten.
    #[error("Workspaces file is corrupted")]
    Corrupted,
    /// The file could not be read or written.
    #[error("Failed to access workspaces: {0}")]
    File(#[from] io::Error),
}

/// The list of directories.
#[derive(Debug, Clone)]
pub(crate) struct Workspaces {
    directory: Arc<Path>,
}

impl Workspaces {
    /// The list in `workspaces.json` of a directory.
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// Where the server is set up to keep it. compat: without `OH_PERSISTENCE_DIR` it is not in the user's home, as the
    /// rest is, but beside the conversations.
    pub(crate) fn of_config(config: &Config) -> Self {
        Self::new(if config.surroundings.persistence_dir_is_given {
            config.persistence_dir.clone()
        } else {
            let above = config.conversations_path.parent();
            above.unwrap_or_else(|| Path::new(".")).join(".openhands")
        })
    }

    /// The list.
    pub(crate) async fn list(&self) -> Result<StoredWorkspaces, WorkspacesError> {
        self.with(Self::read).await
    }

    /// Adds directories whose paths are not there yet.
    pub(crate) async fn add(
        &self,
        items: Vec<WorkspaceItem>,
    ) -> Result<StoredWorkspaces, WorkspacesError> {
        self.change(move |list| append(&mut list.workspaces, items, |item| &item.path))
            .await
    }

    /// Adds parents whose paths are not there yet.
    pub(crate) async fn add_parents(
        &self,
        items: Vec<WorkspaceParentItem>,
    ) -> Result<StoredWorkspaces, WorkspacesError> {
        self.change(move |list| append(&mut list.workspace_parents, items, |item| &item.path))
            .await
    }

    /// Takes a directory off the list; false if it was not on it.
    pub(crate) async fn remove(&self, path: String) -> Result<bool, WorkspacesError> {
        self.changed(move |list| shrink(&mut list.workspaces, |item| item.path != path))
            .await
    }

    /// Takes a parent off the list; false if it was not on it.
    pub(crate) async fn remove_parent(&self, path: String) -> Result<bool, WorkspacesError> {
        self.changed(move |list| shrink(&mut list.workspace_parents, |item| item.path != path))
            .await
    }

    async fn change(
        &self,
        change: impl FnOnce(&mut StoredWorkspaces) -> bool + Send + 'static,
    ) -> Result<StoredWorkspaces, WorkspacesError> {
        self.with(|store| store.update(change).map(|(list, _)| list))
            .await
    }

    async fn changed(
        &self,
        change: impl FnOnce(&mut StoredWorkspaces) -> bool + Send + 'static,
    ) -> Result<bool, WorkspacesError> {
        self.with(|store| store.update(change).map(|(_, changed)| changed))
            .await
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, WorkspacesError> + Send + 'static,
    ) -> Result<T, WorkspacesError> {
        let store = self.clone();
        blocking(move || work(&store))
            .await
            .map_err(io::Error::other)?
    }

    fn file(&self) -> PathBuf {
        self.directory.join("workspaces.json")
    }

    fn read(&self) -> Result<StoredWorkspaces, WorkspacesError> {
        let text = match std::fs::read(self.file()) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(StoredWorkspaces::default());
            }
            Err(error) => return Err(error.into()),
        };
        let list: StoredWorkspaces = Reading::lenient().from_slice(&text).map_err(|error| {
            tracing::error!(%error, "workspaces.json cannot be read");
            WorkspacesError::Corrupted
        })?;
        // A later version may mean something else by it.
        if list.schema_version > SCHEMA_VERSION {
            return Err(WorkspacesError::Corrupted);
        }
        Ok(list)
    }

    /// Changes the list under a lock that other servers of this directory take too. Gives it, and whether it changed.
    fn update(
        &self,
        change: impl FnOnce(&mut StoredWorkspaces) -> bool,
    ) -> Result<(StoredWorkspaces, bool), WorkspacesError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)?;
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.directory.join(".workspaces.lock"))?;
        lock.lock()?;
        let mut list = self.read()?;
        let changed = change(&mut list);
        if changed {
            list.schema_version = SCHEMA_VERSION;
            self.save(&list)?;
        }
        Ok((list, changed))
    }

    fn save(&self, list: &StoredWorkspaces) -> io::Result<()> {
        let value = Form::PEER.to_value(list)?;
        let mut aside = tempfile::Builder::new()
            .prefix(".workspaces.json.")
            .suffix(".tmp")
            .tempfile_in(&self.directory)?;
        serde_json::to_writer_pretty(&mut aside, &value)?;
        aside.flush()?;
        aside.as_file().sync_all()?;
        aside.persist(self.file()).map_err(|failed| failed.error)?;
        // The new name is safe when the directory is.
        File::open(&self.directory)?.sync_all()
    }
}

fn append<T>(list: &mut Vec<T>, items: Vec<T>, path: fn(&T) -> &String) -> bool {
    let before = list.len();
    let mut known: HashSet<String> = list.iter().map(|item| path(item).clone()).collect();
    list.extend(
        items
            .into_iter()
            .filter(|item| known.insert(path(item).clone())),
    );
    list.len() > before
}

fn shrink<T>(list: &mut Vec<T>, stays: impl Fn(&T) -> bool) -> bool {
    let before = list.len();
    list.retain(stays);
    list.len() < before
}
