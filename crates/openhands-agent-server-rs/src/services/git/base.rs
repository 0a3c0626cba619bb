//! Which commit to compare with.

use std::path::Path;

use crate::services::git::{Git, GitError, line};

/// Branches that are taken for the main one where there is no remote.
const LOCAL_DEFAULTS: [&str; 2] = ["main", "master"];

impl Git {
    /// The commit that changes are shown against: the one that is asked for, or the one that best answers the
    /// question what was done here.
    pub(super) async fn base(
        &self,
        repository: &Path,
        asked: Option<&str>,
    ) -> Result<String, GitError> {
        match asked {
            Some(name) => match self.commit(repository, name).await {
                // A branch without commits has no HEAD, but may have files.
                Err(GitError::Failed { .. }) if name == "HEAD" => self.empty_tree(repository).await,
                found => found,
            },
            None => match self.detected_base(repository).await {
                Some(base) => Ok(base),
                None => self.empty_tree(repository).await,
            },
        }
    }

    /// The full id of a commit.
    pub(super) async fn commit(&self, repository: &Path, name: &str) -> Result<String, GitError> {
        let arguments = ["rev-parse", "--verify", &format!("{name}^{{commit}}")].map(str::to_owned);
        // What starts with a dash would be an option, and no name of a commit does.
        if name.starts_with('-') || name.contains('\0') {
            let command = format!("git --no-pager rev-parse --verify '{name}^{{commit}}'");
            return Err(GitError::Failed { command });
        }
        self.run(repository, arguments)
            .await
            .map(|output| line(&output))
    }

    /// The tree without files. Its id depends on the repository's hash function.
    pub(super) async fn empty_tree(&self, repository: &Path) -> Result<String, GitError> {
        self.run(repository, ["hash-object", "-t", "tree", "/dev/null"])
            .await
            .map(|output| line(&output))
    }

    /// What a name stands for, if it stands for anything.
    pub(super) async fn resolved(&self, repository: &Path, name: &str) -> Option<String> {
        let output = self
            .run(repository, ["rev-parse", "--verify", name])
            .await
            .ok()?;
        Some(line(&output)).filter(|id| !id.is_empty())
    }

    /// None if there is no commit here.
    async fn detected_base(&self, repository: &Path) -> Option<String> {
        let head = self.resolved(repository, "HEAD").await;
        let branch = self.current_branch(repository).await;
        if let Some(branch) = &branch {
            let upstream = self.resolved(repository, &format!("origin/{branch}")).await;
            // A branch that is pushed as it stands would show nothing against its own upstream; its work is what it has
            // beyond the default branch.
            let says_nothing = upstream == head && !self.has_tracked_changes(repository).await;
            if upstream.is_some() && !says_nothing {
                return upstream;
            }
        }
        let from_default = match self.remote_default(repository).await {
            Some(default) => {
                self.fork_point(repository, &format!("origin/{default}"))
                    .await
            }
            None => self.local_fork_point(repository, branch.as_deref()).await,
        };
        from_default.or(head)
    }

    /// Where the branch left another one, or that one itself if their common past is not here.
    async fn fork_point(&self, repository: &Path, other: &str) -> Option<String> {
        match self.merge_base(repository, other).await {
            Some(commit) => Some(commit),
            None => self.resolved(repository, other).await,
        }
    }

    /// The local main branch, if the work is on another one that goes on from it.
    async fn local_fork_point(&self, repository: &Path, branch: Option<&str>) -> Option<String> {
        for name in LOCAL_DEFAULTS {
            let Some(tip) = self.resolved(repository, name).await else {
                continue;
            };
            if branch == Some(name) {
                return None;
            }
            let base = self.merge_base(repository, name).await;
            return base.filter(|base| *base == tip);
        }
        None
    }

    async fn merge_base(&self, repository: &Path, other: &str) -> Option<String> {
        let output = self
            .run(repository, ["merge-base", "HEAD", other])
            .await
            .ok()?;
        Some(line(&output)).filter(|id| !id.is_empty())
    }

    /// None if HEAD is no branch.
    async fn current_branch(&self, repository: &Path) -> Option<String> {
        let output = self
            .run(repository, ["rev-parse", "--abbrev-ref", "HEAD"])
            .await
            .ok()?;
        Some(line(&output)).filter(|name| !name.is_empty() && name != "HEAD")
    }

    /// The default branch of the remote: as it was at the clone, else the remote is asked.
    pub(super) async fn remote_default(&self, repository: &Path) -> Option<String> {
        let recorded = self
            .run(repository, ["rev-parse", "--abbrev-ref", "origin/HEAD"])
            .await
            .map(|output| line(&output))
            .unwrap_or_default();
        if let Some(name) = recorded
            .strip_prefix("origin/")
            .filter(|name| !name.is_empty())
        {
            return Some(name.to_owned());
        }
        let remote = self
            .run(repository, ["remote", "show", "origin"])
            .await
            .ok()?;
        let text = String::from_utf8_lossy(&remote);
        let (_, name) = text
            .lines()
            .find_map(|line| line.split_once("HEAD branch:"))?;
        Some(name.trim().to_owned()).filter(|name| !name.is_empty() && name != "(unknown)")
    }

    /// Whether tracked files differ from HEAD. If git cannot say, they count as different.
    async fn has_tracked_changes(&self, repository: &Path) -> bool {
        self.run(
            repository,
            ["status", "--porcelain", "-z", "--untracked-files=no"],
        )
        .await
        .map_or(true, |output| !output.is_empty())
    }
}
