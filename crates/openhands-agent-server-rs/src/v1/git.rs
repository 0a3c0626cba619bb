//! Changes, differences and commits, and repositories of a host.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::Secret;
use openhands_protocol::git::{
    GitChange, GitChangesQuery, GitCommitChangesQuery, GitCommitPath, GitCommitsPage,
    GitCommitsQuery, GitDiff, GitDiffQuery, GitProvider, GitProviderRepositoryPage,
    GitRepositoriesQuery,
};

use crate::app::App;
use crate::http::{ApiError, Path, Query, Reply, Routes};
use crate::services::git::{Against, GitError, RepositorySearch, TOKEN_NAMES};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/git/repositories/search", search_repositories)
        .says("The repositories that a stored token gives access to")
        .answers::<GitProviderRepositoryPage>(200)
        .get("/api/git/changes", flat_changes)
        .says("The files that changed in a repository, a part of it, or the repositories in a directory")
        .answers::<Vec<GitChange>>(200)
        .get("/api/git/diff", flat_diff)
        .says("Both sides of a changed file")
        .answers::<GitDiff>(200)
        .get("/api/git/commits", flat_commits)
        .says("The latest commits, newest first")
        .answers::<GitCommitsPage>(200)
        .get("/api/git/commits/{sha}/changes", flat_commit_changes)
        .says("The files that a commit changed")
        .answers::<Vec<GitChange>>(200)
}

async fn flat_changes(
    State(app): State<Arc<App>>,
    Query(query): Query<GitChangesQuery>,
) -> Result<Reply<Vec<GitChange>>, ApiError> {
    changes(&app, &query).await
}

async fn flat_diff(
    State(app): State<Arc<App>>,
    Query(query): Query<GitDiffQuery>,
) -> Result<Reply<GitDiff>, ApiError> {
    diff(&app, &query).await
}

async fn flat_commits(
    State(app): State<Arc<App>>,
    Query(query): Query<GitCommitsQuery>,
) -> Result<Reply<GitCommitsPage>, ApiError> {
    commits(&app, &query).await
}

async fn flat_commit_changes(
    State(app): State<Arc<App>>,
    Path(commit): Path<GitCommitPath>,
    Query(query): Query<GitCommitChangesQuery>,
) -> Result<Reply<Vec<GitChange>>, ApiError> {
    commit_changes(&app, &commit.sha, &query).await
}

/// The changes in `query.path`, which the caller has checked.
pub(crate) async fn changes(
    app: &App,
    query: &GitChangesQuery,
) -> Result<Reply<Vec<GitChange>>, ApiError> {
    app.activity.touch();
    app.git
        .changes(FilePath::new(&query.path), query.git_ref.as_deref())
        .await
        .map(Reply)
        .map_err(|error| refused(&error))
}

/// Both sides of `query.path`, which the caller has checked.
pub(crate) async fn diff(app: &App, query: &GitDiffQuery) -> Result<Reply<GitDiff>, ApiError> {
    let against = match (query.git_ref.as_deref(), query.commit.as_deref()) {
        (Some(_), Some(_)) => {
            return Err(ApiError::bad_request(
                "'ref' and 'commit' are mutually exclusive",
            ));
        }
        (asked, None) => Against::Base(asked),
        (None, Some(commit)) => Against::Commit(commit),
    };
    app.activity.touch();
    app.git
        .diff(FilePath::new(&query.path), against)
        .await
        .map(Reply)
        .map_err(|error| refused(&error))
}

/// The commits of `query.path`, which the caller has checked.
pub(crate) async fn commits(
    app: &App,
    query: &GitCommitsQuery,
) -> Result<Reply<GitCommitsPage>, ApiError> {
    app.activity.touch();
    app.git
        .commits(FilePath::new(&query.path), count(query.limit))
        .await
        .map(Reply)
        .map_err(|error| refused(&error))
}

/// What a commit changed in `query.path`, which the caller has checked.
pub(crate) async fn commit_changes(
    app: &App,
    sha: &str,
    query: &GitCommitChangesQuery,
) -> Result<Reply<Vec<GitChange>>, ApiError> {
    app.activity.touch();
    app.git
        .commit_changes(FilePath::new(&query.path), sha)
        .await
        .map(Reply)
        .map_err(|error| refused(&error))
}

async fn search_repositories(
    State(app): State<Arc<App>>,
    Query(query): Query<GitRepositoriesQuery>,
) -> Result<Reply<GitProviderRepositoryPage>, ApiError> {
    if query.provider != GitProvider::Github {
        return Err(ApiError::bad_request(format!(
            "Repository discovery is not supported for provider '{}'",
            query.provider.as_str()
        )));
    }
    let Some(token) = stored_token(&app).await? else {
        return Ok(Reply(GitProviderRepositoryPage {
            missing_token: true,
            ..GitProviderRepositoryPage::default()
        }));
    };
    let search = RepositorySearch {
        query: query.query.as_deref(),
        limit: count(query.limit),
        page_id: query.page_id.as_deref(),
    };
    app.github
        .search(&token, search)
        .await
        .map(Reply)
        .map_err(|error| {
            if error.status.is_server_error() {
                ApiError::masked(error.status, error)
            } else {
                ApiError::new(error.status, error.to_string())
            }
        })
}

/// The first token that the user has stored.
async fn stored_token(app: &App) -> Result<Option<Secret>, ApiError> {
    let token = app.stores.run(|stores| {
        for name in TOKEN_NAMES {
            if let Some(token) = stores.secrets.value(name)? {
                return Ok(Some(token));
            }
        }
        Ok(None)
    });
    Ok(token.await?)
}

/// Validation has made sure that it is positive and small.
fn count(limit: i64) -> usize {
    usize::try_from(limit).unwrap_or_default()
}

fn refused(error: &GitError) -> ApiError {
    ApiError::bad_request(error.to_string())
}
