//! Public skills: a git repository with a list of what to take from it.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use openhands_runtime::{LocalWorkspace, Workspace};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::skills::checkout::{self, Repository, Updated};
use crate::skills::directory;
use crate::skills::files;
use crate::skills::loaded::Loaded;

/// The repository that is used when nothing else is said.
pub const DEFAULT_REPOSITORY: &str = "https://github.com/OpenHands/extensions";
/// The list that is used when nothing else is said. A repository without it gives everything.
pub const DEFAULT_MARKETPLACE: &str = "marketplaces/default.json";

/// How long a branch is taken to be what it was.
const FRESH: Duration = Duration::from_mins(1);

/// Where public skills come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PublicSource {
    /// A repository, fetched as needed.
    Git(Repository),
    /// A copy on the disk, used as it is.
    Directory(PathBuf),
}

/// The public skills. Keeps what it read for a minute, or for good if the reference cannot move.
#[derive(Debug)]
pub struct PublicSkills {
    source: PublicSource,
    env: Vec<(String, String)>,
    kept: Mutex<HashMap<Option<String>, Kept>>,
    /// One at a time updates the checkout.
    turn: Semaphore,
}

#[derive(Debug, Clone)]
struct Kept {
    loaded: Loaded,
    /// None: for good.
    until: Option<Instant>,
}

impl PublicSkills {
    /// Public skills from a source. `env` is the environment of the server, of which git gets what commands get.
    pub fn new(source: PublicSource, env: &[(String, String)]) -> Self {
        Self {
            source,
            env: env.to_vec(),
            kept: Mutex::default(),
            turn: Semaphore::new(1),
        }
    }

    /// The skills that `marketplace` lists, or all. A remote that cannot be reached is no failure: what was fetched
    /// before is used, and if that is nothing, there are none.
    pub async fn load(&self, marketplace: Option<&str>, cancel: &CancellationToken) -> Loaded {
        if let Some(kept) = self.kept(marketplace) {
            return kept;
        }
        // Closed never; a caller that is cancelled while it waits gets nothing.
        let _turn = tokio::select! {
            turn = self.turn.acquire() => turn.ok(),
            () = cancel.cancelled() => return Loaded::default(),
        };
        if let Some(kept) = self.kept(marketplace) {
            return kept;
        }
        let mut loaded = Loaded::default();
        let mut is_pinned = false;
        let directory = match &self.source {
            PublicSource::Directory(directory) => directory,
            PublicSource::Git(repository) => {
                match checkout::update(repository, &self.env, cancel).await {
                    Updated::Fresh { is_pinned: pinned } => is_pinned = pinned,
                    Updated::Stale { problem } => loaded.warn(Path::new(&repository.url), problem),
                }
                &repository.checkout
            }
        };
        loaded.append(read(directory, marketplace).await);
        if !loaded.skills.is_empty() {
            let kept = Kept {
                loaded: loaded.clone(),
                until: (!is_pinned).then(|| Instant::now() + FRESH),
            };
            self.kept
                .lock()
                .insert(marketplace.map(str::to_owned), kept);
        }
        loaded
    }

    /// Fetches the repository now. What was kept is forgotten, whatever comes of it.
    pub async fn sync(&self, cancel: &CancellationToken) -> Result<(), String> {
        self.kept.lock().clear();
        let PublicSource::Git(repository) = &self.source else {
            return Ok(());
        };
        let _turn = tokio::select! {
            turn = self.turn.acquire() => turn.ok(),
            () = cancel.cancelled() => return Err("it was cancelled".to_owned()),
        };
        match checkout::update(repository, &self.env, cancel).await {
            Updated::Fresh { .. } => Ok(()),
            Updated::Stale { problem } => Err(problem),
        }
    }

    fn kept(&self, marketplace: Option<&str>) -> Option<Loaded> {
        let kept = self.kept.lock();
        let kept = kept.get(&marketplace.map(str::to_owned))?;
        let is_good = kept.until.is_none_or(|until| Instant::now() < until);
        is_good.then(|| kept.loaded.clone())
    }
}

async fn read(repository: &Path, marketplace: Option<&str>) -> Loaded {
    let workspace = LocalWorkspace::new(repository, &[]);
    let skills = repository.join("skills");
    let mut loaded = Loaded::default();
    let listed = match marketplace {
        None => None,
        Some(list) => match listed(&workspace, list).await {
            Ok(names) => Some(names),
            Err(_) if list == DEFAULT_MARKETPLACE => None,
            Err(problem) => {
                loaded.warn(&repository.join(list), problem);
                return loaded;
            }
        },
    };
    let Some(listed) = listed else {
        // compat: plain files are named from the top of the repository, `skills/x` and not `x`.
        loaded.append(directory::load(&workspace, &skills, repository, &[]).await);
        return loaded;
    };
    for name in listed {
        for file in [
            skills.join(&name).join("SKILL.md"),
            skills.join(format!("{name}.md")),
        ] {
            if tokio::fs::metadata(&file)
                .await
                .is_ok_and(|meta| meta.is_file())
            {
                if let Some(skill) =
                    directory::load_file(&workspace, &file, repository, &mut loaded).await
                {
                    loaded.add(skill);
                }
                break;
            }
        }
    }
    loaded
}

/// The names that a list has. Names that would lead out of the directory of skills are left out.
async fn listed(workspace: &dyn Workspace, list: &str) -> Result<Vec<String>, String> {
    let path = Path::new(list);
    if !path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return Err("a list must be inside its repository".to_owned());
    }
    let text = files::text_if_there(workspace, path)
        .await
        .map_err(|error| error.to_string())?
        .ok_or("there is no such list")?;
    let list: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let plugins = list
        .get("plugins")
        .and_then(Value::as_array)
        .ok_or("it has no list of plugins")?;
    let names = plugins
        .iter()
        .filter_map(|plugin| plugin.get("name")?.as_str());
    Ok(names
        .filter(|name| !name.contains('/') && !name.starts_with('.'))
        .map(str::to_owned)
        .collect())
}

#[cfg(test)]
#[path = "public_tests.rs"]
mod tests;
