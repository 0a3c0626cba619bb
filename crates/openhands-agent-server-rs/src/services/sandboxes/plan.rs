//! What a container is made for, and what must be there before.

use std::path::{Path, PathBuf};

use openhands_protocol::ConversationId;
use openhands_protocol::conversation::ConversationContainerOptions;
use openhands_sdk_rs::runtime::docker::Mount;

use super::{OwnData, mounts};

/// What a container is made for.
#[derive(Debug, Clone)]
pub(crate) struct SlotPlan {
    /// For which conversation.
    pub(crate) conversation: ConversationId,
    /// The directory that it works in.
    pub(crate) working_dir: PathBuf,
    /// Where its tools keep files.
    pub(crate) directory: PathBuf,
    /// Where this server keeps outputs that are too long for the model.
    pub(crate) observations: PathBuf,
    /// What the container sees of this machine.
    pub(crate) mounts: Vec<Mount>,
    /// What the request said of it.
    pub(crate) options: ConversationContainerOptions,
    /// Whether the working directory is made a repository.
    pub(crate) init_git: bool,
}

impl SlotPlan {
    /// What is mounted for the work itself: the working directory, or what holds its worktree.
    fn root(&self) -> &Path {
        self.mounts
            .first()
            .map_or(&self.working_dir, |mount| &mount.source)
    }

    /// Makes what is mounted, and gives the mounts with the data of this server covered.
    pub(super) fn prepare(&self, own: &OwnData) -> Result<Vec<Mount>, String> {
        own.check(self.root())?;
        let prepared = std::fs::create_dir_all(&self.observations)
            .and_then(|()| mounts::make_for(self.root(), &self.directory))
            .and_then(|()| {
                own.cover(
                    self.mounts.clone(),
                    &self.directory.with_file_name("covers"),
                )
            });
        prepared.map_err(|error| format!("{}: {error}", self.directory.display()))
    }
}
