//! The skills of a project, from the machine on which the tools run.

use std::path::{Path, PathBuf};

use openhands_runtime::Workspace;
use tokio_util::sync::CancellationToken;

use crate::skills::directory;
use crate::skills::loaded::Loaded;
use crate::skills::third_party;

/// Where a project keeps its skills, first to last.
const DIRECTORIES: [&str; 3] = [
    ".agents/skills",
    ".openhands/skills",
    ".openhands/microagents",
];

/// Loads what the working directory and its git repository say. The working directory goes first, and the first of a
/// name wins.
pub async fn load_project(workspace: &dyn Workspace, cancel: &CancellationToken) -> Loaded {
    let mut roots = vec![workspace.root().to_owned()];
    if let Some(root) = git_root(workspace).await
        && root != workspace.root()
    {
        roots.push(root);
    }
    let mut loaded = Loaded::default();
    for root in &roots {
        third_party::load_top(workspace, root, &mut loaded).await;
    }
    third_party::load_nested(workspace, cancel, &mut loaded).await;
    for root in &roots {
        for below in DIRECTORIES {
            let directory = root.join(below);
            loaded.append(directory::load(workspace, &directory, &directory, &[]).await);
        }
    }
    loaded.mark_as_project();
    loaded
}

/// The nearest directory, from the root upwards, that has a `.git`.
async fn git_root(workspace: &dyn Workspace) -> Option<PathBuf> {
    for candidate in workspace.root().ancestors() {
        if is_git(workspace, candidate).await {
            return Some(candidate.to_owned());
        }
    }
    None
}

/// A repository has a directory `.git`; a worktree or submodule has a file of that name.
async fn is_git(workspace: &dyn Workspace, directory: &Path) -> bool {
    let git = directory.join(".git");
    workspace.read(&git.join("HEAD")).await.is_ok() || workspace.read(&git).await.is_ok()
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
