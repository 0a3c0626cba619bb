//! What a container gets to see of the machine: the workspace, where tools keep files, and the repository of a worktree.

use std::io;
use std::path::{Path, PathBuf};

use openhands_sdk_rs::runtime::docker::Mount;

/// Where a conversation keeps what is not in its workspace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kept<'a> {
    /// What its tools write.
    pub(crate) by_tools: &'a Path,
    /// What this server writes for them to read. It must not be theirs to change: a link in it would lead the server
    /// wherever they want.
    pub(crate) by_server: &'a Path,
}

/// The mounts of a conversation, each at its own path. A worktree comes as the directory that holds it and the repository
/// that has its history.
pub(crate) fn mounts_of(
    working_dir: &Path,
    kept: Kept<'_>,
    worktree: Option<(&Path, &Path)>,
) -> Vec<Mount> {
    let (root, repository) = worktree.unwrap_or((working_dir, working_dir));
    // The user inside is the owner of the first.
    let mut mounts = vec![Mount::same(root), Mount::same(kept.by_tools)];
    mounts.push(Mount {
        read_only: true,
        ..Mount::same(kept.by_server)
    });
    // A worktree has its history elsewhere.
    for path in git_directories(repository) {
        if !path.starts_with(root) {
            mounts.push(Mount::same(path));
        }
    }
    mounts
}

/// The root of the repository that a directory is in. Found without git: a repository may name programs that git runs.
pub(crate) fn find_repository(directory: &Path) -> Option<PathBuf> {
    directory
        .ancestors()
        .find(|above| above.join(".git").exists())
        .map(Path::to_owned)
}

/// Where the history of a repository is: its `.git`, or what that leads to.
fn git_directories(repository: &Path) -> Vec<PathBuf> {
    let own = repository.join(".git");
    let is_plain = own.symlink_metadata().is_ok_and(|file| file.is_dir());
    if is_plain {
        return vec![own];
    }
    match history_of(&own) {
        Some(common) => vec![own, common],
        None => Vec::new(),
    }
}

/// The repository of the worktree whose `.git` is a file. The file may be the work of an agent that wants to see more: the
/// repository must know of the worktree, and be one.
fn history_of(file: &Path) -> Option<PathBuf> {
    let line = |path: &Path| std::fs::read_to_string(path).ok();
    let text = line(file)?;
    let named = Path::new(text.strip_prefix("gitdir:")?.trim());
    let git = file.parent()?.join(named).canonicalize().ok()?;
    let back = git.join(line(&git.join("gitdir"))?.trim());
    if back.canonicalize().ok()? != file.canonicalize().ok()? {
        return None;
    }
    let common = git.join(line(&git.join("commondir"))?.trim());
    let common = common.canonicalize().ok()?;
    let is_repository = common.join("HEAD").is_file()
        && common.join("objects").is_dir()
        && common.join("refs").is_dir();
    (git.parent()? == common.join("worktrees") && is_repository).then_some(common)
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
