//! The skills of an organisation: a repository that is cloned, read and forgotten.

use std::path::Path;
use std::time::Duration;

use openhands_runtime::LocalWorkspace;
use tokio_util::sync::CancellationToken;

use crate::skills::checkout::{self, Repository, Updated};
use crate::skills::directory;
use crate::skills::loaded::Loaded;

/// How long git may take.
const CLONE_TIME: Duration = Duration::from_mins(2);

/// Where such a repository has its skills; the first of a name wins.
const DIRECTORIES: [&str; 2] = ["skills", "microagents"];

/// Loads the skills of a repository, which is cloned into `scratch`; who made that directory removes it. A repository
/// that cannot be reached has no skills. `env` is the environment of the server.
pub async fn load_organization(
    url: &str,
    scratch: &Path,
    env: &[(String, String)],
    cancel: &CancellationToken,
) -> Loaded {
    let mut loaded = Loaded::default();
    let repository = Repository {
        url: url.to_owned(),
        git_ref: "HEAD".to_owned(),
        checkout: scratch.join("repository"),
    };
    if let Updated::Stale { .. } =
        checkout::update_within(CLONE_TIME, &repository, env, cancel).await
    {
        // Neither the address nor what git says is told: both may hold a password.
        tracing::warn!("the repository of an organisation's skills cannot be read");
        return loaded;
    }
    let workspace = LocalWorkspace::new(&repository.checkout, &[]);
    for name in DIRECTORIES {
        let directory = repository.checkout.join(name);
        loaded.append(directory::load(&workspace, &directory, &directory, &[]).await);
    }
    loaded
}
