//! The newest files of a search, and how many there could have been more.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parking_lot::Mutex;

/// At most this many files are reported.
pub(crate) const MAX_FILES: usize = 100;

/// Files found, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    pub files: Vec<PathBuf>,
    /// There were more than the limit.
    pub truncated: bool,
}

/// Newest first; equal times in the order of paths. A file whose time is unknown comes last.
type Rank = (Reverse<Option<SystemTime>>, PathBuf);

/// Collects files from several threads and keeps only as many as are reported, plus one to know that there were more.
#[derive(Debug, Default)]
pub(crate) struct Newest {
    kept: Mutex<BinaryHeap<Rank>>,
}

impl Newest {
    /// Adds a file; only now its time is looked up, because only hits need it.
    pub(crate) fn add(&self, path: &Path) {
        let modified = std::fs::metadata(path)
            .and_then(|meta| meta.modified())
            .ok();
        let mut kept = self.kept.lock();
        let rank = (Reverse(modified), path.to_path_buf());
        if kept.len() > MAX_FILES {
            match kept.peek() {
                Some(oldest) if rank < *oldest => drop(kept.pop()),
                Some(_) | None => return,
            }
        }
        kept.push(rank);
    }

    pub(crate) fn into_found(self) -> Found {
        let mut files: Vec<PathBuf> = self
            .kept
            .into_inner()
            .into_sorted_vec()
            .into_iter()
            .map(|(_, path)| path)
            .collect();
        let truncated = files.len() > MAX_FILES;
        files.truncate(MAX_FILES);
        Found { files, truncated }
    }
}

#[cfg(test)]
#[path = "newest_tests.rs"]
mod tests;
