//! The history of a repository.

use std::path::Path;

use openhands_protocol::git::{GitCommit, GitCommitsPage};

use crate::services::git::{Git, GitError};

/// Id, short id, author, date and subject, with a character between them that none of them has.
const FORMAT: &str = "--format=%H%x1f%h%x1f%an%x1f%aI%x1f%s";

impl Git {
    /// The latest commits of HEAD, newest first. Without a repository or without commits there are none.
    pub(crate) async fn commits(
        &self,
        directory: &Path,
        limit: usize,
    ) -> Result<GitCommitsPage, GitError> {
        let repository = match self.repository(directory).await {
            Err(GitError::NoRepository(_)) => return Ok(GitCommitsPage::default()),
            found => found?,
        };
        let Some(head) = self.resolved(&repository, "HEAD").await else {
            return Ok(GitCommitsPage::default());
        };
        // One more than is asked for tells whether there are more.
        let count = (limit + 1).to_string();
        let arguments = [
            "log",
            "--no-show-signature",
            "-z",
            FORMAT,
            "-n",
            &count,
            &head,
            "--",
        ];
        let output = self.run(&repository, arguments).await?;
        let text = String::from_utf8_lossy(&output);
        let mut commits: Vec<GitCommit> = text.split('\0').filter_map(commit).collect();
        let has_more = commits.len() > limit;
        commits.truncate(limit);
        Ok(GitCommitsPage {
            commits,
            has_more,
            ..GitCommitsPage::default()
        })
    }

    /// The full ids of a commit's first parent and of the commit. What has no parent has the empty tree.
    pub(super) async fn commit_and_parent(
        &self,
        repository: &Path,
        commit: &str,
    ) -> Result<(String, String), GitError> {
        let commit = self.commit(repository, commit).await?;
        let parent = match self.resolved(repository, &format!("{commit}^")).await {
            Some(parent) => parent,
            None => self.empty_tree(repository).await?,
        };
        Ok((parent, commit))
    }
}

fn commit(text: &str) -> Option<GitCommit> {
    let mut fields = text.splitn(5, '\u{1f}').map(str::to_owned);
    let (sha, short_sha, author, timestamp, subject) = (
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
        fields.next()?,
    );
    Some(GitCommit {
        sha,
        short_sha,
        subject,
        author,
        timestamp,
        ..GitCommit::default()
    })
}
