//! Both sides of one changed file.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use openhands_protocol::git::GitDiff;
use openhands_sdk_rs::tools::resolve;
use tokio::io::AsyncReadExt as _;

use crate::services::git::{Git, GitError, line};

/// Larger files are not compared.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// What a file is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Against<'a> {
    /// The file on the disk with a commit, or with the base that fits.
    Base(Option<&'a str>),
    /// What this commit made of the file its first parent had.
    Commit(&'a str),
}

impl Git {
    /// Both sides of a file. Outside of a repository there are none.
    pub(crate) async fn diff(
        &self,
        path: &Path,
        against: Against<'_>,
    ) -> Result<GitDiff, GitError> {
        let place = Place::of(path).await;
        match against {
            Against::Base(asked) => self.diff_with_disk(&place, asked).await,
            Against::Commit(commit) => self.diff_of_commit(&place, commit).await,
        }
    }

    async fn diff_with_disk(
        &self,
        place: &Place,
        asked: Option<&str>,
    ) -> Result<GitDiff, GitError> {
        let missing = || GitError::File(format!("File does not exist: {}", place.path.display()));
        let on_disk = OnDisk::read(&place.path).await?;
        let is_gone = matches!(on_disk, OnDisk::Missing);
        let Some((repository, inside)) = self.inside(place).await? else {
            return if is_gone {
                Err(missing())
            } else {
                Ok(GitDiff::default())
            };
        };
        let base = self.base(&repository, asked).await?;
        let spec = spec(&base, &inside);
        if is_gone && self.object_type(&repository, &spec).await.as_deref() != Some("blob") {
            return Err(missing());
        }
        let original = self.content(&repository, spec).await?;
        Ok(both(
            on_disk.text(),
            joined_lines(&String::from_utf8_lossy(&original)),
        ))
    }

    async fn diff_of_commit(&self, place: &Place, commit: &str) -> Result<GitDiff, GitError> {
        let Some((repository, inside)) = self.inside(place).await? else {
            return Ok(GitDiff::default());
        };
        let (parent, commit) = self.commit_and_parent(&repository, commit).await?;
        let original = self.content(&repository, spec(&parent, &inside)).await?;
        let modified = self.content(&repository, spec(&commit, &inside)).await?;
        Ok(both(trimmed(&modified), trimmed(&original)))
    }

    /// The repository around a file, and the file's name in it.
    async fn inside(&self, place: &Place) -> Result<Option<(PathBuf, PathBuf)>, GitError> {
        let Some(root) = &place.repository else {
            return Ok(None);
        };
        match self.repository(root).await {
            Err(GitError::NoRepository(_)) => Ok(None),
            Err(error) => Err(error),
            Ok(repository) => {
                let inside = place
                    .path
                    .strip_prefix(&repository)
                    .unwrap_or(Path::new("."));
                let inside = if inside.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    inside
                };
                Ok(Some((repository.clone(), inside.to_owned())))
            }
        }
    }

    async fn object_type(&self, repository: &Path, spec: &OsString) -> Option<String> {
        let arguments = ["cat-file".into(), "-t".into(), spec.clone()];
        let output = self.run(repository, arguments).await.ok()?;
        Some(line(&output))
    }

    /// A file as git has it; empty if git has none.
    async fn content(&self, repository: &Path, spec: OsString) -> Result<Vec<u8>, GitError> {
        let size = ["cat-file".into(), "-s".into(), spec.clone()];
        let Ok(size) = self.run(repository, size).await else {
            return Ok(Vec::new());
        };
        let size = line(&size).parse().unwrap_or_default();
        if size > MAX_FILE_BYTES {
            return Err(too_large(size));
        }
        let show = ["show".into(), "--no-textconv".into(), spec];
        Ok(self.run(repository, show).await.unwrap_or_default())
    }
}

/// Where a file is, and in which repository.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    repository: Option<PathBuf>,
}

impl Place {
    /// A link in a repository is looked at as git does: it is a small file that names another.
    async fn of(path: &Path) -> Self {
        let path = path.to_owned();
        let given = path.clone();
        tokio::task::spawn_blocking(move || {
            let path = std::path::absolute(&path).unwrap_or(path);
            if let (Some(parent), Some(name)) = (path.parent(), path.file_name())
                && path.is_symlink()
            {
                let parent = resolve(parent);
                if let Some(repository) = closest_repository(&parent) {
                    return Self {
                        path: parent.join(name),
                        repository: Some(repository),
                    };
                }
            }
            let path = resolve(&path);
            Self {
                repository: closest_repository(&path),
                path,
            }
        })
        .await
        .unwrap_or(Self {
            path: given,
            repository: None,
        })
    }
}

fn closest_repository(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .find(|directory| directory.join(".git").exists())
        .map(Path::to_owned)
}

/// What is on the disk under a name.
#[derive(Debug)]
enum OnDisk {
    Missing,
    Text(String),
    /// A directory, a device, or bytes that are no text.
    NoText,
}

impl OnDisk {
    async fn read(path: &Path) -> Result<Self, GitError> {
        let unreadable = |error: io::Error| {
            tracing::debug!(%error, "a file cannot be compared");
            GitError::File(format!("Cannot access file: {}", path.display()))
        };
        let metadata = match tokio::fs::symlink_metadata(path).await {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(Self::Missing);
            }
            found => found.map_err(unreadable)?,
        };
        if metadata.is_symlink() {
            let target = tokio::fs::read_link(path).await.map_err(unreadable)?;
            let target = target.as_os_str().as_bytes();
            return Ok(Self::of(target.to_vec()));
        }
        if metadata.len() > MAX_FILE_BYTES {
            return Err(too_large(metadata.len()));
        }
        // Reading from a pipe or a device might never end.
        if !metadata.is_file() {
            return Ok(Self::NoText);
        }
        let Ok(file) = tokio::fs::File::open(path).await else {
            return Ok(Self::NoText);
        };
        let mut bytes = Vec::new();
        if file
            .take(MAX_FILE_BYTES + 1)
            .read_to_end(&mut bytes)
            .await
            .is_err()
        {
            return Ok(Self::NoText);
        }
        match bytes.len() as u64 {
            // It grew while it was read.
            size if size > MAX_FILE_BYTES => Err(too_large(size)),
            _ => Ok(Self::of(bytes)),
        }
    }

    fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or(Self::NoText, Self::Text)
    }

    fn text(&self) -> String {
        match self {
            Self::Text(text) => joined_lines(text),
            Self::Missing | Self::NoText => String::new(),
        }
    }
}

fn both(modified: String, original: String) -> GitDiff {
    GitDiff {
        modified: Some(modified),
        original: Some(original),
        ..GitDiff::default()
    }
}

fn too_large(size: u64) -> GitError {
    GitError::File(format!(
        "File too large for git diff: {size} bytes (max: {MAX_FILE_BYTES} bytes)"
    ))
}

/// A file of a commit, in git's words. After the colon, every byte is part of the name.
fn spec(commit: &str, inside: &Path) -> OsString {
    let mut spec = OsString::from(commit);
    spec.push(":");
    spec.push(inside);
    spec
}

/// compat: every character that Python takes for the end of a line becomes one newline, and there is none after the
/// last line.
fn joined_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                characters.next_if_eq(&'\n');
                joined.push('\n');
            }
            '\n' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                joined.push('\n');
            }
            other => joined.push(other),
        }
    }
    if joined.ends_with('\n') {
        joined.pop();
    }
    joined
}

/// compat: sides of a commit lose the white space around them.
fn trimmed(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
        .to_owned()
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
