//! A directory as an archive: all files, or a patch of what changed.
//!
//! Nothing outside of the directory gets in: links are not followed, and what holds credentials of git stays out whatever is
//! asked for.

mod delta;
mod excludes;
mod repository;
mod tarball;
pub(super) mod walk;

use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::BoxStream;
use openhands_protocol::files::{ArchiveFormat, ArchiveQuery};
use openhands_sdk_rs::tools::blocking;

use super::{FileError, Files, absolute};
use crate::services::git::{Git, GitError};
use excludes::Excludes;

/// An archive that is being made.
pub(crate) struct Archive {
    pub(crate) file_name: String,
    pub(crate) content_type: &'static str,
    /// What is known about the repository, by the name of a header.
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) content: BoxStream<'static, io::Result<Bytes>>,
}

impl Files {
    /// Archives a directory.
    pub(crate) async fn archive(
        &self,
        git: &Git,
        query: ArchiveQuery,
    ) -> Result<Archive, FileError> {
        let asked = absolute(&query.path)?;
        let is_option = |name: &String| name.starts_with('-');
        if query.base_ref.as_ref().is_some_and(is_option) {
            // After the checks of the path, as clients know it.
            check(&asked)?;
            return Err(FileError::invalid("base_ref must not start with '-'"));
        }
        let root = blocking(move || check(&asked).map(|real| repository::root_of(&real)))
            .await
            .map_err(|lost| FileError::Failed(lost.to_string()))??;
        let excludes = Excludes::new(
            query.use_default_excludes,
            query.exclude.unwrap_or_default(),
        );
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let place = std::sync::Arc::clone(&self.archives)
            .acquire_owned()
            .await
            .ok();
        let mut facts = Vec::new();
        let (file_name, content_type, content) = match query.format {
            ArchiveFormat::GitDelta => {
                let delta = delta::start(git, &root, query.base_ref.as_deref(), &excludes).await?;
                if let Some(base) = delta.base {
                    facts.push(("x-archive-base-commit", base));
                    facts.push((
                        "x-archive-base-ref",
                        query.base_ref.unwrap_or_else(|| "auto".to_owned()),
                    ));
                }
                (format!("{name}.patch"), "text/x-patch", delta.content)
            }
            ArchiveFormat::TarGz => {
                let content = tarball::stream(root.clone(), name.clone(), excludes, place);
                (format!("{name}.tar.gz"), "application/gzip", boxed(content))
            }
        };
        if root.join(".git").exists() {
            facts.extend(repository::identity(git, &root).await);
        }
        Ok(Archive {
            file_name,
            content_type,
            facts,
            content,
        })
    }
}

fn boxed(
    stream: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
) -> BoxStream<'static, io::Result<Bytes>> {
    Box::pin(stream)
}

/// The real path of a directory.
fn check(path: &Path) -> Result<PathBuf, FileError> {
    match path.metadata() {
        Ok(there) if !there.is_dir() => Err(FileError::invalid("Path is not a directory")),
        Ok(_) => path
            .canonicalize()
            .map_err(|error| FileError::of_system("Failed to archive directory", &error, path)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Err(FileError::NotFound("Directory not found"))
        }
        Err(error) => Err(FileError::of_system(
            "Failed to archive directory",
            &error,
            path,
        )),
    }
}

/// What git's failure means for an archive.
fn of_git(error: &GitError) -> FileError {
    match error {
        GitError::NoRepository(_) => FileError::Invalid(format!("Not a git repository: {error}")),
        other => FileError::Failed(format!("Failed to generate git delta: {other}")),
    }
}
