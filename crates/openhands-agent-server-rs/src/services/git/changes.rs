//! Which files changed: in a directory, and in the repositories directly below it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use futures_util::{StreamExt as _, stream};
use openhands_protocol::git::{GitChange, GitChangeStatus};

use crate::services::git::{Git, GitError};

/// How many repositories below a directory are looked at side by side.
const REPOSITORIES_AT_ONCE: usize = 4;

/// Changes by path. A file that left the index but not the disk is both deleted and added.
type Changes = BTreeSet<(String, GitChangeStatus)>;

impl Git {
    /// The changes in a directory against `asked`, or against the base that fits. Without a repository there are none.
    pub(crate) async fn changes(
        &self,
        directory: &Path,
        asked: Option<&str>,
    ) -> Result<Vec<GitChange>, GitError> {
        let children = child_repositories(directory).await;
        let own = match self.changes_in(directory, asked).await {
            Err(GitError::NoRepository(_)) => Changes::new(),
            found => found?,
        };
        let mut all: Changes = own
            .into_iter()
            .filter(|(path, _)| !children.iter().any(|child| is_below(path, child)))
            .collect();
        let mut below = stream::iter(children)
            .map(|child| async move {
                let found = self.changes_in(&directory.join(&child), asked).await;
                (child, found)
            })
            .buffer_unordered(REPOSITORIES_AT_ONCE);
        while let Some((child, found)) = below.next().await {
            match found {
                Ok(changes) => {
                    let child = child.to_string_lossy();
                    all.extend(
                        changes
                            .into_iter()
                            .map(|(path, status)| (format!("{child}/{path}"), status)),
                    );
                }
                Err(error) => {
                    tracing::debug!(%error, child = %child.display(), "a repository below is left out");
                }
            }
        }
        Ok(listed(all))
    }

    /// The changes of one commit against its first parent.
    pub(crate) async fn commit_changes(
        &self,
        directory: &Path,
        commit: &str,
    ) -> Result<Vec<GitChange>, GitError> {
        let repository = match self.repository(directory).await {
            Err(GitError::NoRepository(_)) => return Ok(Vec::new()),
            found => found?,
        };
        let (parent, commit) = self.commit_and_parent(&repository, commit).await?;
        let arguments = [
            "diff",
            "--name-status",
            "--no-renames",
            "--no-relative",
            "-z",
            &parent,
            &commit,
            "--",
        ];
        let output = self.run(&repository, arguments).await?;
        Ok(listed(name_status(&output)))
    }

    async fn changes_in(&self, directory: &Path, asked: Option<&str>) -> Result<Changes, GitError> {
        let repository = self.repository(directory).await?;
        let base = self.base(&repository, asked).await?;
        // A rename is what it is without looking for it: the old name is deleted, the new one added.
        let arguments = [
            "diff",
            "--name-status",
            "--no-renames",
            "--relative",
            "-z",
            &base,
            "--",
        ];
        let mut changes = name_status(&self.run(&repository, arguments).await?);
        let untracked = ["ls-files", "--others", "--exclude-standard", "-z"];
        match self.run(&repository, untracked).await {
            Ok(output) => {
                changes.extend(names(&output).map(|name| (shown(name), GitChangeStatus::Added)));
            }
            Err(error) => tracing::warn!(%error, "untracked files are left out"),
        }
        Ok(changes)
    }
}

/// The parts of NUL-separated output.
fn names(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    output
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
}

/// A repository among untracked files is a name with a slash at its end.
fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name.strip_suffix(b"/").unwrap_or(name)).into_owned()
}

/// Reads pairs of a status letter and a name.
fn name_status(output: &[u8]) -> Changes {
    let mut changes = Changes::new();
    let mut parts = names(output);
    while let (Some(letter), Some(name)) = (parts.next(), parts.next()) {
        let status = match letter {
            b"A" => GitChangeStatus::Added,
            b"D" => GitChangeStatus::Deleted,
            // M, T (another type of file), U (a conflict).
            _ => GitChangeStatus::Updated,
        };
        changes.insert((shown(name), status));
    }
    changes
}

fn listed(changes: Changes) -> Vec<GitChange> {
    changes
        .into_iter()
        .map(|(path, status)| GitChange {
            status,
            path,
            ..GitChange::default()
        })
        .collect()
}

/// Compared by whole parts: `foobar` is not below `foo`.
fn is_below(path: &str, child: &OsString) -> bool {
    Path::new(path).starts_with(child)
}

/// Names of the directories directly below that are repositories; hidden ones are not looked at.
async fn child_repositories(directory: &Path) -> Vec<OsString> {
    let mut children = Vec::new();
    let Ok(mut entries) = tokio::fs::read_dir(directory).await else {
        return children;
    };
    while let Ok(Some(entry)) = entries.next_entry().await {
        let name = entry.file_name();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let git = entry.path().join(".git");
        if !is_hidden && tokio::fs::symlink_metadata(&git).await.is_ok() {
            children.push(name);
        }
    }
    children
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
