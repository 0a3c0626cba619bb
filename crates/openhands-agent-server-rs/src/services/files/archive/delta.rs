//! What changed in a repository since a commit, as a patch.

use std::io;
use std::path::Path;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::excludes::Excludes;
use super::of_git;
use crate::services::files::FileError;
use crate::services::git::{Git, GitError};

/// A patch that is being made.
pub(super) struct Delta {
    /// The commit that it applies to; none if it starts from nothing.
    pub(super) base: Option<String>,
    pub(super) content: BoxStream<'static, io::Result<Bytes>>,
}

/// Stages the directory in an index of its own, which leaves the repository's alone, and starts the comparison with the base.
pub(super) async fn start(
    git: &Git,
    root: &Path,
    base_ref: Option<&str>,
    excludes: &Excludes,
) -> Result<Delta, FileError> {
    let base = git
        .export_base(root, base_ref)
        .await
        .map_err(|error| match (error, base_ref) {
            (GitError::Failed { .. }, Some(asked)) => {
                FileError::Invalid(format!("base_ref '{asked}' could not be resolved"))
            }
            (error, _) => of_git(&error),
        })?;
    let patch = git
        .staged_patch(root, &base.tree, excludes.pathspecs())
        .await
        .map_err(|error| of_git(&error))?;
    Ok(Delta {
        base: base.commit,
        content: patch.boxed(),
    })
}
