//! Worktrees: a checkout of its own for a conversation, on a branch of its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_protocol::ConversationId;
use openhands_protocol::conversation::{ConversationWorktreeOptions, WorktreeBase};
use openhands_sdk_rs::Host;
use openhands_sdk_rs::runtime::{Exec, LocalWorkspace, Workspace};
use openhands_sdk_rs::tools::absolute;
use tokio_util::sync::CancellationToken;

use crate::services::conversations::RefusedRequest;
use crate::services::sandboxes::find_repository;

/// How long git may take; it may have to fetch.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A worktree that is to be made.
#[derive(Debug)]
pub(super) struct Plan {
    repository: PathBuf,
    source: PathBuf,
    root: PathBuf,
    /// The directory in it that stands for the workspace.
    pub(super) workspace: PathBuf,
    branch: String,
    options: ConversationWorktreeOptions,
}

impl Plan {
    /// Where a worktree of a workspace goes; none if the workspace is in no repository.
    pub(super) async fn new(
        host: &Host,
        root: &Path,
        workspace: &Path,
        id: ConversationId,
        options: Option<ConversationWorktreeOptions>,
    ) -> Option<Self> {
        let source = tokio::fs::canonicalize(workspace).await.ok()?;
        let here = LocalWorkspace::new(&source, &host.env);
        let top = git(
            &here,
            &source,
            &["--no-pager", "rev-parse", "--show-toplevel"],
        )
        .await;
        let repository = tokio::fs::canonicalize(top.ok()?).await.ok()?;
        Self::of_repository(root, source, repository, id, options)
    }

    /// The same for a workspace whose repository must not be touched on this machine: git runs programs that a
    /// repository names.
    pub(super) fn in_sandbox(
        root: &Path,
        workspace: &Path,
        id: ConversationId,
        options: Option<ConversationWorktreeOptions>,
    ) -> Option<Self> {
        let source = workspace.canonicalize().ok()?;
        let repository = find_repository(&source)?;
        Self::of_repository(&absolute(root), source, repository, id, options)
    }

    fn of_repository(
        root: &Path,
        source: PathBuf,
        repository: PathBuf,
        id: ConversationId,
        options: Option<ConversationWorktreeOptions>,
    ) -> Option<Self> {
        let options = options.unwrap_or_default();
        let root = root.join(id.dashed()).join(repository.file_name()?);
        let inside = source.strip_prefix(&repository).ok()?.to_owned();
        Some(Self {
            workspace: root.join(inside),
            branch: format!("{}{}", options.branch_prefix, id.dashed()),
            repository,
            source,
            root,
            options,
        })
    }

    /// The directory that holds the worktree and nothing else, and the repository.
    pub(super) fn directories(&self) -> (&Path, &Path) {
        (self.root.parent().unwrap_or(&self.root), &self.repository)
    }

    /// What the agent is told of it.
    pub(super) fn guidance(&self) -> String {
        let base = match (&self.options.base, &self.options.git_ref) {
            (WorktreeBase::Head, _) => "what the original workspace has checked out".to_owned(),
            (WorktreeBase::Ref, Some(name)) => format!("`{name}`"),
            _ => "the main branch".to_owned(),
        };
        format!(
            "You work in a git worktree that belongs to this conversation alone.\n\
             - Workspace: {}\n- Root of the worktree: {}\n- Branch: {}, which starts from {base}\n\
             - The original workspace, which others use: {}\n\
             Change files and use git only inside the worktree. Give your work a branch with a fitting name, and leave the \
             original workspace as it is.",
            self.workspace.display(),
            self.root.display(),
            self.branch,
            self.source.display(),
        )
    }

    /// Makes the worktree. One that is left from before is replaced.
    pub(super) async fn make(&self, at: &dyn Workspace) -> Result<(), RefusedRequest> {
        let root = self.root.to_string_lossy();
        if let Some(parent) = self.root.parent() {
            tokio::fs::create_dir_all(parent)
                .await
                .map_err(RefusedRequest::Files)?;
        }
        if self.root.exists() {
            let removed = self
                .git(at, &["worktree", "remove", "--force", &root])
                .await;
            if removed.is_err() {
                tokio::fs::remove_dir_all(&self.root)
                    .await
                    .map_err(RefusedRequest::Files)?;
            }
        }
        self.must(at, &["worktree", "prune"]).await?;
        let old = self.must(at, &["branch", "--list", &self.branch]).await?;
        if !old.is_empty() {
            self.must(at, &["branch", "-D", &self.branch]).await?;
        }
        let start = self.start_point(at).await;
        self.must(at, &["worktree", "add", "-b", &self.branch, &root, &start])
            .await?;
        // By a program where the tools run: a path in the repository may be a link that leads elsewhere.
        let workspace = self.workspace.to_string_lossy();
        let made = run(at, &self.repository, ["mkdir", "-p", &workspace]).await;
        made.map(drop).map_err(no_worktree)
    }

    /// What the branch starts from.
    async fn start_point(&self, at: &dyn Workspace) -> String {
        if self.options.base == WorktreeBase::Head {
            return "HEAD".to_owned();
        }
        let has_remote = self.git(at, &["remote", "get-url", "origin"]).await.is_ok();
        if has_remote && let Err(error) = self.git(at, &["fetch", "origin"]).await {
            tracing::warn!(repository = %self.repository.display(), error, "cannot fetch; what was fetched before is used");
        }
        if let (WorktreeBase::Ref, Some(name)) = (&self.options.base, &self.options.git_ref) {
            return name.clone();
        }
        if has_remote
            && let Ok(head) = self
                .git(at, &["symbolic-ref", "refs/remotes/origin/HEAD"])
                .await
            && let Some(branch) = head.strip_prefix("refs/remotes/")
        {
            return branch.to_owned();
        }
        for branch in ["main", "master"] {
            let reference = format!("refs/heads/{branch}");
            let shown = self
                .git(at, &["show-ref", "--verify", "--quiet", &reference])
                .await;
            if shown.is_ok() {
                return branch.to_owned();
            }
        }
        "HEAD".to_owned()
    }

    async fn git(&self, at: &dyn Workspace, arguments: &[&str]) -> Result<String, String> {
        git(at, &self.repository, arguments).await
    }

    async fn must(&self, at: &dyn Workspace, arguments: &[&str]) -> Result<String, RefusedRequest> {
        self.git(at, arguments).await.map_err(no_worktree)
    }
}

/// The worktree that a workspace lies in, if it is one of ours.
pub(super) fn of_workspace(root: &Path, workspace: &Path) -> Option<PathBuf> {
    let inside = workspace.strip_prefix(root).ok()?;
    let mut parts = inside.components();
    let (id, name) = (parts.next()?, parts.next()?);
    Some(root.join(id).join(name))
}

#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn no_worktree(said: String) -> RefusedRequest {
    RefusedRequest::Invalid(format!("no worktree could be made: {said}"))
}

/// Removes a worktree. Its branch stays: it may hold work.
pub(super) async fn remove(at: &dyn Workspace, tree: &Path) {
    let path = tree.to_string_lossy();
    if let Err(error) = git(at, tree, &["worktree", "remove", "--force", &path]).await {
        tracing::warn!(worktree = %tree.display(), error, "a worktree could not be removed");
    }
    if let Some(parent) = tree.parent() {
        // Only when nothing else is in it.
        let _ = tokio::fs::remove_dir(parent).await;
    }
}

/// Makes a directory and, if it is in no repository, a repository of it: changes are shown by git.
pub(super) async fn prepare(host: &Host, workspace: &Path) -> Result<(), RefusedRequest> {
    tokio::fs::create_dir_all(workspace)
        .await
        .map_err(RefusedRequest::Files)?;
    // Looked at by hand: asking git takes longer than all the rest of a start.
    let here = LocalWorkspace::new(workspace, &host.env);
    if find_repository(workspace).is_none()
        && let Err(error) = git(&here, workspace, &["init"]).await
    {
        tracing::warn!(workspace = %workspace.display(), error, "no repository could be made");
    }
    Ok(())
}

/// What git says; as an error, what it complains about.
async fn git(at: &dyn Workspace, directory: &Path, arguments: &[&str]) -> Result<String, String> {
    run(
        at,
        directory,
        std::iter::once("git").chain(arguments.iter().copied()),
    )
    .await
}

/// What a program says; as an error, what it complains about.
async fn run<'a>(
    at: &dyn Workspace,
    directory: &Path,
    argv: impl IntoIterator<Item = &'a str>,
) -> Result<String, String> {
    let mut exec = Exec::new(argv);
    exec.cwd = Some(directory.to_owned());
    exec.timeout = TIMEOUT;
    let done = at
        .exec(exec, CancellationToken::new())
        .await
        .map_err(|error| error.to_string())?;
    if done
        .exit
        .is_some_and(openhands_sdk_rs::process::Exit::success)
    {
        Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
    } else {
        Err(String::from_utf8_lossy(&done.stderr).trim().to_owned())
    }
}
