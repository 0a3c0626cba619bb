//! Skills of registered marketplaces: lists of plugins and skills, some of which load by themselves.

use std::path::{Path, PathBuf};

use openhands_protocol::plugins::{Marketplace, MarketplaceEntry};
use openhands_protocol::skills::{MarketplaceRegistration, Skill};
use openhands_runtime::{LocalWorkspace, Workspace};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::skills::directory;
use crate::skills::files;
use crate::skills::loaded::Loaded;
use crate::skills::plugin;
use crate::skills::source::{Fetching, below, directory_of};

/// Where a repository has its list, the first one first.
const LISTS: [&str; 2] = [
    ".plugin/marketplace.json",
    ".claude-plugin/marketplace.json",
];
/// Where one without a list has its skills; if it has neither, at its top.
const SKILL_DIRECTORIES: [&str; 2] = ["skills", ".skills"];

/// Marketplaces, and where what they offer is fetched to.
#[derive(Debug, Clone)]
pub struct Marketplaces {
    /// Where checkouts are kept.
    pub cache: PathBuf,
    /// What `~` in a source stands for.
    pub home: Option<PathBuf>,
    /// The environment of the server, of which git gets what commands get.
    pub env: Vec<(String, String)>,
}

/// Whether a registration loads something of this name by itself.
pub fn auto_loads(registration: &MarketplaceRegistration, name: &str) -> bool {
    match &registration.auto_load.0 {
        Value::Bool(all) => *all,
        Value::Array(names) => names.iter().any(|known| known == name),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Object(_) => false,
    }
}

/// Whether it loads anything at all.
fn loads_something(registration: &MarketplaceRegistration) -> bool {
    match &registration.auto_load.0 {
        Value::Bool(all) => *all,
        Value::Array(names) => !names.is_empty(),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Object(_) => false,
    }
}

impl Marketplaces {
    /// The skills that load by themselves, in order: of two with the same name, the later counts. What cannot be read
    /// is reported and costs the others nothing.
    pub async fn load(
        &self,
        registrations: &[MarketplaceRegistration],
        cancel: &CancellationToken,
    ) -> Vec<Skill> {
        let mut skills = Vec::new();
        for registration in registrations.iter().filter(|one| loads_something(one)) {
            match self.load_one(registration, cancel).await {
                Ok(found) => skills.extend(found),
                Err(problem) => {
                    tracing::warn!(
                        marketplace = registration.name,
                        problem,
                        "marketplace skipped"
                    );
                }
            }
        }
        skills
    }

    async fn load_one(
        &self,
        registration: &MarketplaceRegistration,
        cancel: &CancellationToken,
    ) -> Result<Vec<Skill>, String> {
        let fetching = Fetching {
            cache: &self.cache,
            home: self.home.as_deref(),
            env: &self.env,
            cancel,
        };
        let root = directory_of(
            &registration.source,
            registration.git_ref.as_deref(),
            registration.repo_path.as_deref(),
            fetching,
        )
        .await?;
        let workspace = LocalWorkspace::new(&root, &[]);
        let Some(list) = list_of(&workspace).await? else {
            let mut found = plain_skills(&workspace, &root).await;
            found.retain(|skill| auto_loads(registration, &skill.name));
            return Ok(found);
        };
        let mut skills = Vec::new();
        // Plugins come after single skills, so that they win over them.
        for (entries, is_plugin) in [(&list.skills, false), (&list.plugins, true)] {
            for entry in entries {
                if !auto_loads(registration, &entry.name) {
                    continue;
                }
                match place_of(entry, &root, fetching).await {
                    Ok(place) if is_plugin => skills.extend(plugin::load(&place).await.skills),
                    Ok(place) => skills.extend(skill_in(&place).await),
                    Err(problem) => {
                        tracing::warn!(entry = entry.name, problem, "skipped in a marketplace");
                    }
                }
            }
        }
        Ok(skills)
    }
}

async fn list_of(workspace: &dyn Workspace) -> Result<Option<Marketplace>, String> {
    for name in LISTS {
        let text = files::text_if_there(workspace, Path::new(name))
            .await
            .map_err(|error| error.to_string())?;
        if let Some(text) = text {
            return serde_json::from_str(&text)
                .map(Some)
                .map_err(|error| format!("{name}: {error}"));
        }
    }
    Ok(None)
}

/// Where an entry is: below the marketplace, or a source of its own.
async fn place_of(
    entry: &MarketplaceEntry,
    root: &Path,
    fetching: Fetching<'_>,
) -> Result<PathBuf, String> {
    let text = |name: &str| entry.source.0.get(name).and_then(Value::as_str);
    if let Some(source) = entry.source.0.as_str() {
        let is_own = source.starts_with(['/', '~'])
            || source.contains("://")
            || source.starts_with("github:");
        return if is_own {
            directory_of(source, None, None, fetching).await
        } else {
            below(root, source).await
        };
    }
    let source = match (text("source"), text("repo"), text("url")) {
        (Some("github"), Some(repo), _) => format!("github:{repo}"),
        (Some("url"), _, Some(url)) => url.to_owned(),
        _ => return Err("it has no source that can be fetched".to_owned()),
    };
    directory_of(&source, text("ref"), text("path"), fetching).await
}

/// The SKILL.md skill of a directory.
async fn skill_in(directory: &Path) -> Option<Skill> {
    let workspace = LocalWorkspace::new(directory, &[]);
    let mut loaded = Loaded::default();
    let entries = files::entries(&workspace, directory, &mut loaded).await;
    let name = files::file_names(&entries).find(|name| name.eq_ignore_ascii_case("skill.md"))?;
    directory::load_file(&workspace, &directory.join(name), directory, &mut loaded).await
}

/// The SKILL.md skills of a repository that has no list.
async fn plain_skills(workspace: &dyn Workspace, root: &Path) -> Vec<Skill> {
    let mut loaded = Loaded::default();
    let mut is_found = false;
    for name in SKILL_DIRECTORIES {
        let directory = root.join(name);
        if tokio::fs::metadata(&directory)
            .await
            .is_ok_and(|meta| meta.is_dir())
        {
            is_found = true;
            loaded.append(directory::load(workspace, &directory, &directory, &[]).await);
        }
    }
    if !is_found {
        loaded.append(directory::load(workspace, root, root, &[]).await);
    }
    let mut skills = loaded.skills;
    skills.retain(|skill| skill.is_agentskills_format);
    skills
}
