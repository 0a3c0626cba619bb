//! Where skills and plugins are fetched from: a repository of GitHub, an address of git, or a directory.

use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use crate::skills::checkout::{self, Repository, Updated};

/// Where things are fetched to, and with what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fetching<'a> {
    /// Where checkouts are kept.
    pub(super) cache: &'a Path,
    /// What `~` stands for.
    pub(super) home: Option<&'a Path>,
    /// The environment of the server.
    pub(super) env: &'a [(String, String)],
    pub(super) cancel: &'a CancellationToken,
}

/// What a source is, with the parts that it names itself.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source<'a> {
    Git {
        url: String,
        git_ref: Option<&'a str>,
        path: Option<&'a str>,
    },
    Directory(&'a str),
}

impl<'a> Source<'a> {
    /// Reads `github:owner/repo[@ref][/path]`, an address of git, or a path.
    fn read(source: &'a str) -> Result<Self, String> {
        let source = source.trim();
        if let Some(rest) = source.strip_prefix("github:") {
            let mut parts = rest.splitn(3, '/');
            let (Some(owner), Some(repo)) = (parts.next(), parts.next()) else {
                return Err(format!("'{source}' names no repository"));
            };
            let path = parts.next().filter(|path| !path.is_empty());
            let (repo, git_ref) = match repo.split_once('@') {
                Some((repo, git_ref)) => (repo, Some(git_ref)),
                None => (repo, None),
            };
            if owner.is_empty() || repo.is_empty() {
                return Err(format!("'{source}' names no repository"));
            }
            return Ok(Self::Git {
                url: format!("https://github.com/{owner}/{repo}.git"),
                git_ref,
                path,
            });
        }
        if is_git_address(source) {
            return Ok(Self::Git {
                url: with_suffix(source),
                git_ref: None,
                path: None,
            });
        }
        if source.starts_with(['/', '~', '.']) || source.contains('/') && !source.contains("://") {
            return Ok(Self::Directory(source));
        }
        Err("it is neither github:owner/repo, nor an address of git, nor a path".to_owned())
    }
}

/// The directory that a source stands for; a repository is fetched.
pub(super) async fn directory_of(
    source: &str,
    git_ref: Option<&str>,
    path: Option<&str>,
    fetching: Fetching<'_>,
) -> Result<PathBuf, String> {
    let (base, inside) = match Source::read(source)? {
        Source::Directory(given) => {
            let directory = match (given.strip_prefix('~'), fetching.home) {
                (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
                (Some(_), None) => return Err("there is no home directory".to_owned()),
                (None, _) => PathBuf::from(given),
            };
            (directory, path)
        }
        Source::Git {
            url,
            git_ref: own_ref,
            path: own_path,
        } => {
            let git_ref = git_ref.or(own_ref).unwrap_or("HEAD");
            let repository = Repository {
                checkout: fetching.cache.join(cache_name(&url, git_ref)),
                url,
                git_ref: git_ref.to_owned(),
            };
            let updated = checkout::update(&repository, fetching.env, fetching.cancel).await;
            if let Updated::Stale { problem } = updated
                && !repository.checkout.join(".git").exists()
            {
                return Err(problem);
            }
            (repository.checkout, path.or(own_path))
        }
    };
    let base = tokio::fs::canonicalize(&base)
        .await
        .map_err(|error| error.to_string())?;
    match inside {
        None => Ok(base),
        Some(inside) => below(&base, inside).await,
    }
}

/// A directory below another, wherever links lead.
pub(super) async fn below(base: &Path, inside: &str) -> Result<PathBuf, String> {
    let is_plain = Path::new(inside)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let real = tokio::fs::canonicalize(base.join(inside))
        .await
        .map_err(|error| format!("{inside}: {error}"))?;
    if is_plain && real.starts_with(base) {
        Ok(real)
    } else {
        Err(format!("'{inside}' leads out of its source"))
    }
}

fn is_git_address(source: &str) -> bool {
    const SCHEMES: [&str; 5] = ["https://", "http://", "git://", "ssh://", "file://"];
    let is_word = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))
    };
    SCHEMES.iter().any(|scheme| source.starts_with(scheme))
        || source
            .split_once(':')
            .and_then(|(user_and_host, _)| user_and_host.split_once('@'))
            .is_some_and(|(user, host)| is_word(user) && is_word(host))
}

/// Hosts want the suffix, but Azure takes it for a part of the name.
fn with_suffix(url: &str) -> String {
    let url = url.trim_end_matches('/');
    let is_web = url.starts_with("https://") || url.starts_with("http://");
    if is_web && url.strip_suffix(".git").is_none() && !url.contains("/_git/") {
        format!("{url}.git")
    } else {
        url.to_owned()
    }
}

/// A name for people, and a part that no other address has.
fn cache_name(url: &str, git_ref: &str) -> String {
    let name: String = url
        .trim_end_matches(".git")
        .rsplit(['/', ':'])
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .take(32)
        .collect();
    let digest = Sha256::digest(format!("{url}#{git_ref}"));
    let hash = digest.iter().take(8).fold(String::new(), |mut hash, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
        hash
    });
    format!("{name}-{hash}")
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
