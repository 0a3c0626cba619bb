//! What a container gets to see of the machine: the workspace, where tools keep files, and the repository of a worktree.

use std::io;
use std::path::{Path, PathBuf};

use openhands_sdk_rs::runtime::docker::Mount;

/// The mounts of a conversation, each at its own path. A worktree comes as the directory that holds it and the repository
/// that has its history.
pub(crate) fn mounts_of(
    working_dir: &Path,
    directory: &Path,
    worktree: Option<(&Path, &Path)>,
) -> Vec<Mount> {
    let (root, repository) = worktree.unwrap_or((working_dir, working_dir));
    let mut paths: Vec<PathBuf> = vec![root.to_owned(), directory.to_owned()];
    // A worktree has its history elsewhere.
    for path in git_directories(repository) {
        if !path.starts_with(root) {
            paths.push(path);
        }
    }
    paths.into_iter().map(Mount::same).collect()
}

/// The root of the repository that a directory is in. Found without git: a repository may name programs that git runs.
pub(crate) fn find_repository(directory: &Path) -> Option<PathBuf> {
    directory
        .ancestors()
        .find(|above| above.join(".git").exists())
        .map(Path::to_owned)
}

/// Where the history of a repository is: its `.git`, and what that leads to.
fn git_directories(repository: &Path) -> Vec<PathBuf> {
    let own = repository.join(".git");
    if own.is_dir() {
        return vec![own];
    }
    let Some(git) = linked(&own) else {
        return Vec::new();
    };
    let common = std::fs::read_to_string(git.join("commondir"))
        .ok()
        .map(|text| git.join(text.trim()));
    let common = common.and_then(|path| path.canonicalize().ok());
    vec![own, common.unwrap_or(git)]
}

/// Where a `.git` that is a file leads to.
fn linked(file: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(file).ok()?;
    let path = text.strip_prefix("gitdir:")?.trim();
    file.parent()?.join(path).canonicalize().ok()
}

/// Makes a directory that a container writes to, as its user: the owner of the workspace.
pub(crate) fn make_for(workspace: &Path, directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::create_dir_all(directory)?;
    let wanted = std::fs::metadata(workspace)?;
    let found = std::fs::metadata(directory)?;
    if (wanted.uid(), wanted.gid()) != (found.uid(), found.gid())
        && rustix::process::geteuid().is_root()
    {
        std::os::unix::fs::chown(directory, Some(wanted.uid()), Some(wanted.gid()))?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "mounts_tests.rs"]
mod tests;
