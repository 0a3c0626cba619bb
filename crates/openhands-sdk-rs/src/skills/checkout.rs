//! A checkout of a git repository, kept up to date.

use std::path::{Path, PathBuf};
use std::time::Duration;

use openhands_process::Exit;
use openhands_protocol::Secret;
use openhands_runtime::{Exec, LocalWorkspace, Workspace};
use tokio_util::sync::CancellationToken;

/// How long git may take to fetch.
const FETCH_TIME: Duration = Duration::from_mins(1);

/// Where a checkout comes from and where it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The address.
    pub url: String,
    /// A branch, a tag or a commit.
    pub git_ref: String,
    /// The directory of the checkout.
    pub checkout: PathBuf,
}

/// What updating came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Updated {
    /// The checkout is what the remote has. A branch moves on; a tag or a commit never does.
    Fresh {
        /// Whether it can never change.
        is_pinned: bool,
    },
    /// The remote could not be asked. The checkout, if there is one, is what it was.
    Stale {
        /// Why.
        problem: String,
    },
}

/// Brings the checkout to what the reference stands for now. Uses the network, unless the reference is a commit that
/// is there already.
pub(crate) async fn update(
    repository: &Repository,
    env: &[(String, String)],
    cancel: &CancellationToken,
) -> Updated {
    update_within(FETCH_TIME, repository, env, cancel).await
}

/// [`update`] with another limit for each step.
pub(crate) async fn update_within(
    limit: Duration,
    repository: &Repository,
    env: &[(String, String)],
    cancel: &CancellationToken,
) -> Updated {
    match try_update(limit, repository, env, cancel).await {
        Ok(is_pinned) => Updated::Fresh { is_pinned },
        Err(problem) => Updated::Stale { problem },
    }
}

async fn try_update(
    limit: Duration,
    repository: &Repository,
    env: &[(String, String)],
    cancel: &CancellationToken,
) -> Result<bool, String> {
    for value in [&repository.url, &repository.git_ref] {
        if value.is_empty() || value.starts_with('-') {
            return Err(format!("'{value}' is no address or reference of git"));
        }
    }
    let checkout = &repository.checkout;
    let parent = checkout
        .parent()
        .ok_or("the checkout has no directory to stand in")?;
    tokio::fs::create_dir_all(parent)
        .await
        .map_err(|error| error.to_string())?;
    let git = Git {
        machine: LocalWorkspace::new(parent, env),
        limit,
        cancel,
    };
    if is_repository(checkout).await {
        if is_commit(&repository.git_ref)
            && git.run(checkout, &["rev-parse", "HEAD"]).await? == repository.git_ref
        {
            return Ok(true);
        }
        return git.fetch(checkout, repository).await;
    }
    // The first time, nobody must see half a checkout: it is made aside and moved into place.
    let aside = tempfile_beside(checkout);
    let made = git.make(&aside, repository).await;
    let moved = match made {
        Ok(is_pinned) => tokio::fs::rename(&aside, checkout)
            .await
            .map(|()| is_pinned)
            .map_err(|error| error.to_string()),
        Err(problem) => Err(problem),
    };
    if moved.is_err() {
        // Nothing to do about leftovers that cannot be removed either.
        let _ = tokio::fs::remove_dir_all(&aside).await;
    }
    moved
}

fn tempfile_beside(checkout: &Path) -> PathBuf {
    let name = checkout.file_name().unwrap_or_default().display();
    checkout.with_file_name(format!(".{name}.{}", uuid::Uuid::new_v4().simple()))
}

async fn is_repository(checkout: &Path) -> bool {
    tokio::fs::metadata(checkout.join(".git")).await.is_ok()
}

/// The full id of a commit, which can mean nothing else.
fn is_commit(git_ref: &str) -> bool {
    git_ref.len() == 40 && git_ref.bytes().all(|byte| byte.is_ascii_hexdigit())
}

struct Git<'a> {
    machine: LocalWorkspace,
    limit: Duration,
    cancel: &'a CancellationToken,
}

impl Git<'_> {
    async fn make(&self, directory: &Path, repository: &Repository) -> Result<bool, String> {
        tokio::fs::create_dir(directory)
            .await
            .map_err(|error| error.to_string())?;
        self.run(directory, &["init", "--quiet"]).await?;
        // Whoever looks at the checkout later finds where it came from.
        self.run(directory, &["remote", "add", "origin", &repository.url])
            .await?;
        self.fetch(directory, repository).await
    }

    /// Fetches the reference and checks it out; says whether it is one that never moves.
    async fn fetch(&self, directory: &Path, repository: &Repository) -> Result<bool, String> {
        let (url, git_ref) = (repository.url.as_str(), repository.git_ref.as_str());
        self.run(
            directory,
            &[
                "fetch",
                "--quiet",
                "--depth",
                "1",
                "--no-tags",
                "--",
                url,
                git_ref,
            ],
        )
        .await?;
        self.run(
            directory,
            &["checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"],
        )
        .await?;
        let fetched = tokio::fs::read_to_string(directory.join(".git/FETCH_HEAD"))
            .await
            .unwrap_or_default();
        Ok(is_commit(git_ref) || fetched.contains("\ttag '"))
    }

    async fn run(&self, directory: &Path, arguments: &[&str]) -> Result<String, String> {
        let mut argv = vec!["git"];
        argv.extend(arguments);
        let exec = Exec {
            cwd: Some(directory.to_owned()),
            timeout: self.limit,
            // Nobody is there to answer: a question is a failure.
            env: vec![
                ("GIT_TERMINAL_PROMPT".to_owned(), Secret::new("0")),
                ("GIT_ASKPASS".to_owned(), Secret::new("true")),
            ],
            ..Exec::new(argv)
        };
        let output = self
            .machine
            .exec(exec, self.cancel.clone())
            .await
            .map_err(|error| error.to_string())?;
        let subject = arguments.first().copied().unwrap_or_default();
        if output.exit == Some(Exit::Code(0)) {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(if output.timed_out {
            format!(
                "git {subject} took longer than {} seconds",
                self.limit.as_secs()
            )
        } else {
            format!("git {subject} failed: {}", said.trim())
        })
    }
}
