//! A repository for somewhere else: what it is, and a patch that can be applied to a fresh clone.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream;
use openhands_sdk_rs::process::{Exit, Tree};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use crate::services::git::{Git, GitError, line};

/// How much of a patch is read at once.
const READ_BYTES: usize = 64 << 10;

/// What is known about a repository.
#[derive(Debug, Default)]
pub(crate) struct Identity {
    /// Where it came from, without credentials.
    pub(crate) remote: Option<String>,
    /// The branch, or `DETACHED`.
    pub(crate) branch: Option<String>,
    pub(crate) head: Option<String>,
}

/// What a patch starts from.
#[derive(Debug)]
pub(crate) struct ExportBase {
    /// A commit or a tree.
    pub(crate) tree: String,
    /// The commit, if it is one.
    pub(crate) commit: Option<String>,
}

impl Git {
    /// What is known about a repository; nothing where git does not answer.
    pub(crate) async fn identity(&self, repository: &Path) -> Identity {
        let remote = self
            .run(repository, ["remote", "get-url", "origin"])
            .await
            .ok();
        let heads = self
            .run(repository, ["rev-parse", "HEAD", "--abbrev-ref", "HEAD"])
            .await
            .ok();
        let mut identity = Identity {
            remote: remote
                .map(|output| without_credentials(&line(&output)))
                .filter(|url| !url.is_empty()),
            ..Identity::default()
        };
        let heads = heads.map(|output| line(&output)).unwrap_or_default();
        if let Some((head, branch)) = heads.split_once('\n') {
            identity.head = Some(head.to_owned());
            let branch = if branch == "HEAD" { "DETACHED" } else { branch };
            identity.branch = Some(branch.to_owned());
        }
        identity
    }

    /// The commit that a patch for a fresh clone starts from: the one that is asked for, the checked-out one if there is no
    /// branch, else what the remote has of the branch or of its default branch. Without any, it starts from nothing.
    pub(crate) async fn export_base(
        &self,
        directory: &Path,
        asked: Option<&str>,
    ) -> Result<ExportBase, GitError> {
        let repository = self.repository(directory).await?;
        let branch = self
            .run(&repository, ["rev-parse", "--abbrev-ref", "HEAD"])
            .await;
        let branch = branch.map(|output| line(&output)).ok();
        let asked = asked.or_else(|| (branch.as_deref() == Some("HEAD")).then_some("HEAD"));
        let commit = match asked {
            Some(name) => match self.commit(&repository, name).await {
                Ok(commit) => Some(commit),
                // A branch without commits.
                Err(GitError::Failed { .. }) if name == "HEAD" => None,
                Err(error) => return Err(error),
            },
            None => self.known_to_remote(&repository, branch.as_deref()).await,
        };
        let tree = match &commit {
            Some(commit) => commit.clone(),
            None => self.empty_tree(&repository).await?,
        };
        Ok(ExportBase { tree, commit })
    }

    async fn known_to_remote(&self, repository: &Path, branch: Option<&str>) -> Option<String> {
        if let Some(branch) = branch
            && let Ok(commit) = self.commit(repository, &format!("origin/{branch}")).await
        {
            return Some(commit);
        }
        let default = self.remote_default(repository).await?;
        self.commit(repository, &format!("origin/{default}"))
            .await
            .ok()
    }

    /// The difference between a tree and the files of a directory, tracked or not, as git writes it. The index that it needs is its own.
    pub(crate) async fn staged_patch(
        &self,
        directory: &Path,
        tree: &str,
        pathspecs: Vec<String>,
    ) -> Result<impl Stream<Item = io::Result<Bytes>> + Send + 'static, GitError> {
        let scratch = tempfile::tempdir().map_err(|error| GitError::File(error.to_string()))?;
        let index = scratch.path().join("index");
        let env = [(OsString::from("GIT_INDEX_FILE"), index.into_os_string())];
        self.run_with(directory, ["read-tree", tree], &env).await?;
        let specs = || {
            ["--".to_owned(), ".".to_owned()]
                .into_iter()
                .chain(pathspecs.iter().cloned())
        };
        let add: Vec<String> = ["add", "-A"]
            .map(str::to_owned)
            .into_iter()
            .chain(specs())
            .collect();
        self.run_with(directory, add, &env).await?;
        let options = [
            "diff",
            "--binary",
            // What the user likes to see must not change what can be applied.
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--cached",
            tree,
        ];
        let diff: Vec<String> = options
            .map(str::to_owned)
            .into_iter()
            .chain(specs())
            .collect();
        let mut tree = self.start(directory, diff, &env).await?;
        let stdout = tree.stdout.take();
        let state = Patch {
            tree,
            stdout,
            _scratch: scratch,
        };
        Ok(stream::try_unfold(state, Patch::next))
    }
}

/// A comparison that runs. Dropping it ends it.
struct Patch {
    tree: Tree,
    stdout: Option<pipe::Receiver>,
    _scratch: TempDir,
}

impl Patch {
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let mut piece = Vec::with_capacity(READ_BYTES);
        if let Some(stdout) = &mut self.stdout
            && stdout.read_buf(&mut piece).await? > 0
        {
            return Ok(Some((piece.into(), self)));
        }
        match self.tree.wait().await {
            Exit::Code(0) => Ok(None),
            exit => Err(io::Error::other(format!("git diff ended with {exit}"))),
        }
    }
}

/// A remote's address without the user, the password and the parameters in it.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (host, path) = rest
        .split_once('/')
        .map_or((rest, None), |(host, path)| (host, Some(path)));
    let host = match host.rsplit_once('@') {
        Some((_, host)) if scheme.to_lowercase().starts_with("http") => format!("****@{host}"),
        _ => host.to_owned(),
    };
    let path = path.map(|path| path.split_once('?').map_or(path, |(path, _)| path));
    match path {
        Some(path) => format!("{scheme}://{host}/{path}"),
        None => format!("{scheme}://{host}"),
    }
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
