//! The skills that a client can be shown: from all sources, the later winning over the earlier.
//!
//! ```text
//!   sandbox < registered marketplaces < public < user < organisation < project
//! ```
//!
//! A source that cannot be read is reported in the log and has no skills; it never fails the others.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::plugins::InstalledExtensions;
use openhands_protocol::skills::{
    ExposedUrl, InstalledSkillResponse, MarketplaceRegistration, OrgConfig, Skill,
    SkillCatalogEntry, SkillInfo, SkillOrigin, SkillTrigger, SkillType, SkillsRequest,
};
use openhands_sdk_rs::runtime::LocalWorkspace;
use openhands_sdk_rs::skills::{
    DEFAULT_MARKETPLACE, DEFAULT_REPOSITORY, Marketplaces, PublicSkills, PublicSource, Repository,
    SkillSources, UserDirectories, load_organization, load_project, load_user,
};
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// The branch of the public skills, unless a variable names another.
const DEFAULT_REF: &str = "main";
/// The variable that names another.
const REF_VARIABLE: &str = "EXTENSIONS_REF";
/// Addresses whose name begins so are for the user's programs.
const WORKER: &str = "WORKER_";
/// The skill about them.
const WORK_HOSTS: &str = "work_hosts";

/// Everything that skills come from.
#[derive(Debug)]
pub(crate) struct Skills {
    user: UserDirectories,
    public: Arc<PublicSkills>,
    marketplaces: Marketplaces,
    registered: Vec<MarketplaceRegistration>,
    env: Vec<(String, String)>,
}

/// Skills, and how many each source had.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) skills: Vec<SkillInfo>,
    pub(crate) sources: IndexMap<String, i64>,
}

impl Skills {
    /// The sources that the settings name.
    pub(crate) fn new(config: &Config) -> Self {
        let variable = |name: &str| {
            let found = config.env.iter().find(|(known, _)| known == name);
            found
                .map(|(_, value)| value.as_str())
                .filter(|value| !value.is_empty())
        };
        let home = variable("HOME").map(PathBuf::from);
        let cache = config.persistence_dir.join("cache");
        let source = match &config.surroundings.extensions_path {
            Some(copy) => PublicSource::Directory(copy.clone()),
            None => PublicSource::Git(Repository {
                url: DEFAULT_REPOSITORY.to_owned(),
                git_ref: variable(REF_VARIABLE).unwrap_or(DEFAULT_REF).to_owned(),
                checkout: cache.join("skills/public-skills"),
            }),
        };
        Self {
            public: Arc::new(PublicSkills::new(source, &config.env)),
            marketplaces: Marketplaces {
                cache: cache.join("marketplaces"),
                home: home.clone(),
                env: config.env.clone(),
            },
            user: UserDirectories {
                home,
                persistence: config.persistence_dir.clone(),
            },
            registered: config.registered_marketplaces.clone(),
            env: config.env.clone(),
        }
    }

    /// What conversations load skills from.
    pub(crate) fn sources(&self) -> SkillSources {
        SkillSources {
            user: Some(self.user.clone()),
            public: Some(Arc::clone(&self.public)),
        }
    }

    /// The skills that a request asks for.
    pub(crate) async fn load(&self, request: &SkillsRequest) -> Found {
        // Whoever asks and goes away ends what was begun.
        let cancel = CancellationToken::new();
        let _ended = cancel.clone().drop_guard();
        let exposed = request.sandbox_config.as_ref();
        let sandbox = exposed.and_then(|config| work_hosts(&config.exposed_urls));
        let registered = if request.load_public {
            let all = self.registered_with(&request.registered_marketplaces);
            self.marketplaces.load(&all, &cancel).await
        } else {
            Vec::new()
        };
        let base = self
            .base(
                request.load_public,
                request.load_user,
                request.marketplace_path.as_deref(),
                &cancel,
            )
            .await;
        let organisations = match &request.org_configs {
            Some(configs) if request.load_org => self.organisations(configs, &cancel).await,
            Some(_) | None => Vec::new(),
        };
        let project = match &request.project_dir {
            Some(directory) if request.load_project => {
                let workspace = LocalWorkspace::new(directory, &self.env);
                load_project(&workspace, &cancel).await.skills
            }
            Some(_) | None => Vec::new(),
        };
        let mut found = Found::default();
        let mut merged: IndexMap<String, Skill> = IndexMap::new();
        for (name, skills) in [
            ("sandbox", sandbox.into_iter().collect()),
            ("registered_marketplaces", registered),
            ("sdk_base", base),
            ("org", organisations),
            ("project", project),
        ] {
            let count = i64::try_from(skills.len()).unwrap_or(i64::MAX);
            found.sources.insert(name.to_owned(), count);
            merged.extend(skills.into_iter().map(|skill| (skill.name.clone(), skill)));
        }
        found.skills = merged.values().map(info).collect();
        found
    }

    /// The user's and the public skills, each with where it is from.
    pub(crate) async fn catalog(&self) -> Vec<SkillCatalogEntry> {
        let cancel = CancellationToken::new();
        let _ended = cancel.clone().drop_guard();
        let own: HashSet<String> = load_user(&self.user)
            .await
            .skills
            .into_iter()
            .map(|skill| skill.name)
            .collect();
        self.base(true, true, Some(DEFAULT_MARKETPLACE), &cancel)
            .await
            .iter()
            .map(|skill| {
                let origin = if own.contains(&skill.name) {
                    SkillOrigin::User
                } else {
                    SkillOrigin::Public
                };
                catalogued(info(skill), origin)
            })
            .collect()
    }

    /// Fetches the public skills now.
    pub(crate) async fn sync(&self) -> Result<(), String> {
        let cancel = CancellationToken::new();
        let _ended = cancel.clone().drop_guard();
        self.public.sync(&cancel).await
    }

    /// What the record of installed skills says.
    pub(crate) async fn installed(&self) -> Vec<InstalledSkillResponse> {
        let directory = self.user.persistence.join("skills/installed");
        let Ok(record) = tokio::fs::read(directory.join(".installed.json")).await else {
            return Vec::new();
        };
        let record: InstalledExtensions = serde_json::from_slice(&record).unwrap_or_default();
        let mut skills = Vec::new();
        for entry in record.extensions.into_values() {
            // The record may name what was deleted by hand.
            let place = directory.join(&entry.name);
            if tokio::fs::metadata(&place)
                .await
                .is_ok_and(|meta| meta.is_dir())
            {
                skills.push(InstalledSkillResponse {
                    name: entry.name,
                    version: entry.version,
                    description: entry.description,
                    enabled: entry.enabled,
                    source: entry.source,
                    resolved_ref: entry.resolved_ref,
                    repo_path: entry.repo_path,
                    installed_at: entry.installed_at,
                    install_path: entry.install_path,
                    ..InstalledSkillResponse::default()
                });
            }
        }
        skills
    }

    /// Public ones, with the user's own over them.
    async fn base(
        &self,
        public: bool,
        user: bool,
        marketplace: Option<&str>,
        cancel: &CancellationToken,
    ) -> Vec<Skill> {
        let mut skills = Vec::new();
        if public {
            skills.extend(self.public.load(marketplace, cancel).await.skills);
        }
        if user {
            skills.extend(load_user(&self.user).await.skills);
        }
        last_of_each_name(skills)
    }

    /// Repositories of organisations, one after the other: a later one wins.
    async fn organisations(&self, configs: &[OrgConfig], cancel: &CancellationToken) -> Vec<Skill> {
        let mut skills = Vec::new();
        for config in configs {
            match tempfile::Builder::new()
                .prefix("openhands-org-skills-")
                .tempdir()
            {
                Ok(scratch) => {
                    let url = &config.org_repo_url;
                    let loaded = load_organization(url, scratch.path(), &self.env, cancel).await;
                    skills.extend(loaded.skills);
                    // What is left is in the system's directory for such things.
                    let _ = tokio::task::spawn_blocking(move || drop(scratch)).await;
                }
                Err(error) => tracing::warn!(%error, "skills of an organisation are left out"),
            }
        }
        last_of_each_name(skills)
    }

    /// The registered marketplaces; those of a request take the place of ours with the same name.
    fn registered_with(&self, asked: &[MarketplaceRegistration]) -> Vec<MarketplaceRegistration> {
        let mut all: IndexMap<&str, &MarketplaceRegistration> = IndexMap::new();
        for registration in self.registered.iter().chain(asked) {
            all.insert(&registration.name, registration);
        }
        all.into_values().cloned().collect()
    }
}

fn last_of_each_name(skills: Vec<Skill>) -> Vec<Skill> {
    let by_name: IndexMap<String, Skill> = skills
        .into_iter()
        .map(|skill| (skill.name.clone(), skill))
        .collect();
    by_name.into_values().collect()
}

/// A skill that tells where the user's programs can be reached.
fn work_hosts(urls: &[ExposedUrl]) -> Option<Skill> {
    let hosts: Vec<String> = urls
        .iter()
        .filter(|exposed| exposed.name.starts_with(WORKER))
        .map(|exposed| format!("* {} (port {})", exposed.url, exposed.port))
        .collect();
    (!hosts.is_empty()).then(|| Skill {
        name: WORK_HOSTS.to_owned(),
        content: format!(
            "A web application that listens on one of these ports can be opened by the user at the address beside it:\n{}",
            hosts.join("\n")
        ),
        ..Skill::default()
    })
}

/// A skill as it is listed.
fn info(skill: &Skill) -> SkillInfo {
    let triggers = match &skill.trigger {
        Some(SkillTrigger::Keyword(keyword)) => keyword.keywords.clone(),
        Some(SkillTrigger::Task(task)) => task.triggers.clone(),
        Some(_) | None => Vec::new(),
    };
    let kind = if skill.is_agentskills_format {
        SkillType::Agentskills
    } else if skill.trigger.is_none() {
        SkillType::Repo
    } else {
        SkillType::Knowledge
    };
    SkillInfo {
        name: skill.name.clone(),
        kind,
        content: skill.content.clone(),
        triggers,
        source: skill.source.clone(),
        description: skill.description.clone(),
        is_agentskills_format: skill.is_agentskills_format,
        disable_model_invocation: skill.disable_model_invocation,
        ..SkillInfo::default()
    }
}

fn catalogued(skill: SkillInfo, origin: SkillOrigin) -> SkillCatalogEntry {
    SkillCatalogEntry {
        name: skill.name,
        kind: skill.kind,
        content: skill.content,
        triggers: skill.triggers,
        source: skill.source,
        description: skill.description,
        is_agentskills_format: skill.is_agentskills_format,
        disable_model_invocation: skill.disable_model_invocation,
        origin,
        ..SkillCatalogEntry::default()
    }
}
