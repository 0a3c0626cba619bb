//! The user's own skills, from the machine that the mind runs on.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use openhands_runtime::{LocalWorkspace, Workspace};
use serde_json::Value;

use crate::skills::directory;
use crate::skills::files;
use crate::skills::loaded::Loaded;

/// The record of what was installed.
const RECORD: &str = ".installed.json";

/// Where the user keeps skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserDirectories {
    /// The home directory, for `.agents/skills`; none if there is no home.
    pub home: Option<PathBuf>,
    /// The persistence directory, usually `.openhands` in the home directory.
    pub persistence: PathBuf,
}

/// Loads the user's skills, then those that were installed and are turned on. The first of a name wins.
pub async fn load_user(directories: &UserDirectories) -> Loaded {
    let workspace = LocalWorkspace::new("/", &[]);
    let skills = directories.persistence.join("skills");
    let installed = skills.join("installed");
    let mut loaded = Loaded::default();
    let home = directories
        .home
        .as_ref()
        .map(|home| home.join(".agents/skills"));
    let own = home
        .into_iter()
        .chain([skills.clone(), directories.persistence.join("microagents")]);
    let managed = real(&skills).await;
    let mut seen = HashSet::new();
    for path in own {
        // One is often a link to another: the same skills are loaded once, and the installed ones among them below.
        let real = real(&path).await;
        let except = (real == managed).then(|| path.join("installed"));
        if seen.insert(real) {
            loaded.append(directory::load(&workspace, &path, &path, except.as_slice()).await);
        }
    }
    let turned_off = turned_off(&workspace, &installed).await;
    loaded.append(directory::load(&workspace, &installed, &installed, &turned_off).await);
    loaded
}

/// Where a path leads to.
async fn real(path: &Path) -> PathBuf {
    tokio::fs::canonicalize(path)
        .await
        .unwrap_or_else(|_| path.to_owned())
}

/// The directories of installed skills that are turned off. What the record does not name is on.
async fn turned_off(workspace: &dyn Workspace, installed: &Path) -> Vec<PathBuf> {
    let Ok(Some(text)) = files::text_if_there(workspace, &installed.join(RECORD)).await else {
        return Vec::new();
    };
    let record: Value = serde_json::from_str(&text).unwrap_or_default();
    // The last key is today's; the others are what older versions wrote, and an entry of today's wins.
    let mut off = HashSet::new();
    for key in ["plugins", "skills", "extensions"] {
        for (name, info) in record
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if info.get("enabled").and_then(Value::as_bool) == Some(false) {
                off.insert(installed.join(name));
            } else {
                off.remove(&installed.join(name));
            }
        }
    }
    off.into_iter().collect()
}

#[cfg(test)]
#[path = "user_tests.rs"]
mod tests;
