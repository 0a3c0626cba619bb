//! Which repository is meant, and what is known about it.

use std::path::{Path, PathBuf};

use crate::services::git::Git;

/// How far below a directory its repository is looked for.
const MAX_DEPTH: usize = 3;

/// Directories that may hold repositories which are not the user's own.
const FOREIGN: [&str; 4] = ["node_modules", "venv", "site-packages", "vendor"];

/// The directory itself if it is a repository; else the only repository below it; else the directory.
pub(super) fn root_of(directory: &Path) -> PathBuf {
    if directory.join(".git").exists() {
        return directory.to_owned();
    }
    let mut found: Option<PathBuf> = None;
    let mut pending = vec![(directory.to_owned(), 0)];
    while let Some((current, depth)) = pending.pop() {
        let Ok(entries) = std::fs::read_dir(&current) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if !is_directory || name.starts_with('.') || FOREIGN.contains(&&*name) {
                continue;
            }
            let child = entry.path();
            if child.join(".git").exists() {
                if found.is_some() {
                    // Nobody can say which one is meant.
                    return directory.to_owned();
                }
                found = Some(child);
            } else if depth + 1 < MAX_DEPTH {
                pending.push((child, depth + 1));
            }
        }
    }
    found.unwrap_or_else(|| directory.to_owned())
}

/// Remote, branch and commit, as far as they are known, by the names of headers.
pub(super) async fn identity(git: &Git, root: &Path) -> Vec<(&'static str, String)> {
    let identity = git.identity(root).await;
    let mut facts = Vec::new();
    for (name, value) in [
        ("x-archive-repo-remote", identity.remote),
        ("x-archive-branch", identity.branch),
        ("x-archive-head-commit", identity.head),
    ] {
        facts.extend(value.map(|value| (name, value)));
    }
    facts.push(("x-archive-repo-root", root.to_string_lossy().into_owned()));
    facts
}
