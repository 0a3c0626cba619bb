//! What happened in a repository: changes, differences and commits, and the repositories that a host offers.
//!
//! ```text
//!   changes ──┐              one list for a directory and the repositories directly below it
//!   diff ─────┼─► base ─► command    which commit to compare with; git itself
//!   commits ──┘
//!   github                   repositories of a host, asked over its API
//! ```
//!
//! Names are read from git's NUL-separated output, so every file name works. What is not UTF-8 is shown with
//! replacement characters.

mod base;
mod changes;
mod command;
mod commits;
mod diff;
mod export;
mod github;

pub(crate) use command::{Git, GitError};
pub(crate) use diff::Against;
pub(crate) use github::{GithubRepositories, RepositorySearch, TOKEN_NAMES};

use std::path::{Path, PathBuf};

impl Git {
    /// The real path of a directory that is in a repository.
    async fn repository(&self, directory: &Path) -> Result<PathBuf, GitError> {
        let missing = || GitError::NoRepository(directory.to_owned());
        let real = tokio::fs::canonicalize(directory)
            .await
            .map_err(|_| missing())?;
        let is_directory = tokio::fs::metadata(&real)
            .await
            .is_ok_and(|metadata| metadata.is_dir());
        if !is_directory {
            return Err(missing());
        }
        match self.run(&real, ["rev-parse", "--git-dir"]).await {
            Ok(_) => Ok(real),
            Err(GitError::Failed { .. }) => Err(GitError::NoRepository(real)),
            Err(other) => Err(other),
        }
    }
}

/// The text of an answer that is one line.
fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim().to_owned()
}
