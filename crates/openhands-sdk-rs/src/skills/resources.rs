//! The files that a SKILL.md skill brings along.

use std::path::{Path, PathBuf};

use openhands_protocol::skills::SkillResources;
use openhands_runtime::{Entry, EntryKind, Workspace};

use crate::skills::files::{self, MAX_DEPTH, MAX_DIRECTORIES, MAX_FILES};

/// What is in the resource directories among `siblings`; none if they are empty. Names are relative to their directory.
pub(crate) async fn find(
    workspace: &dyn Workspace,
    root: &Path,
    siblings: &[Entry],
) -> Option<SkillResources> {
    let mut found = [Vec::new(), Vec::new(), Vec::new()];
    for (files, name) in found.iter_mut().zip(["scripts", "references", "assets"]) {
        if files::directory_names(siblings).any(|sibling| sibling == name) {
            *files = all_files(workspace, &root.join(name)).await;
        }
    }
    if found.iter().all(Vec::is_empty) {
        return None;
    }
    let [scripts, references, assets] = found;
    Some(SkillResources {
        skill_root: root.display().to_string(),
        scripts,
        references,
        assets,
        ..SkillResources::default()
    })
}

async fn all_files(workspace: &dyn Workspace, directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![(PathBuf::new(), 0)];
    let mut listed = 0;
    while let Some((below, depth)) = waiting.pop() {
        if listed >= MAX_DIRECTORIES || found.len() >= MAX_FILES {
            break;
        }
        listed += 1;
        // A directory that cannot be listed has nothing that could be used.
        let entries = files::list(workspace, &directory.join(&below))
            .await
            .unwrap_or_default();
        for entry in entries {
            let path = below.join(&entry.name);
            match entry.kind {
                EntryKind::File => found.push(path.display().to_string()),
                EntryKind::Directory if depth < MAX_DEPTH => waiting.push((path, depth + 1)),
                EntryKind::Directory | EntryKind::Other => {}
            }
        }
    }
    found.truncate(MAX_FILES);
    found.sort();
    found
}
