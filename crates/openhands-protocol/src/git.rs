//! Changes, differences and commits of a repository.

use crate::text::words;
use crate::wire::wire;

words! {
    /// What happened to a file.
    pub enum GitChangeStatus {
        Moved = "MOVED",
        Added = "ADDED",
        Deleted = "DELETED",
        Updated = "UPDATED",
    }
}

words! {
    /// Who hosts repositories.
    pub open enum GitProvider {
        Github = "github",
        Gitlab = "gitlab",
        Bitbucket = "bitbucket",
        AzureDevops = "azure_devops",
    }
}

wire! {
    /// A changed file.
    pub struct GitChange (default) {
        status: GitChangeStatus,
        path: String,
    }

    /// Both sides of a changed file.
    pub struct GitDiff (default) {
        modified: Option<String>,
        original: Option<String>,
    }

    /// A commit.
    pub struct GitCommit (default) {
        sha: String,
        short_sha: String,
        subject: String,
        author: String,
        timestamp: String,
    }

    /// Commits, newest first.
    pub struct GitCommitsPage (default) {
        commits: Vec<GitCommit>,
        has_more: bool,
    }

    /// A hosted repository.
    pub struct GitProviderRepository (default) {
        id: String,
        full_name: String,
        git_provider: String,
        is_public: bool,
        stargazers_count: Option<i64> = None,
        pushed_at: Option<String> = None,
        main_branch: Option<String> = None,
    }

    /// Hosted repositories.
    pub struct GitProviderRepositoryPage (default) {
        items: Vec<GitProviderRepository>,
        next_page_id: Option<String> = None,
        missing_token: bool = false,
    }
}

wire! {
    /// Which changes to list.
    pub struct GitChangesQuery (default) {
        /// A repository, or a directory in or above one.
        path: String,
        /// What to compare with, such as `HEAD`; otherwise what fits best.
        git_ref as "ref": Option<String> = None,
    }

    /// Which file to compare.
    pub struct GitDiffQuery (default) {
        /// The file.
        path: String,
        /// What to compare with, such as `HEAD`; otherwise what fits best.
        git_ref as "ref": Option<String> = None,
        /// A commit whose own change is wanted.
        commit in [pattern("^[0-9a-fA-F]{4,64}$")]: Option<String> = None,
    }

    /// Which commits to list.
    pub struct GitCommitsQuery (default) {
        /// The repository.
        path: String,
        /// How many at most.
        limit in [ge(1.0) le(200.0)]: i64 = 50,
    }

    /// A commit in the path.
    pub struct GitCommitPath (default) {
        /// Its id, or the start of it.
        sha in [pattern("^[0-9a-fA-F]{4,64}$")]: String,
    }

    /// Where a commit is.
    pub struct GitCommitChangesQuery (default) {
        /// The repository.
        path: String,
    }

    /// Which repositories of a host to list.
    pub struct GitRepositoriesQuery (default) {
        /// The host.
        provider: GitProvider,
        /// A part of the name.
        query: Option<String> = None,
        /// How many at most.
        limit in [ge(1.0) le(100.0)]: i64 = 100,
        /// Where an earlier answer stopped.
        page_id: Option<String> = None,
    }
}
