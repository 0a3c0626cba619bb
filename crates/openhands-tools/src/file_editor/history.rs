//! The undo history: the last contents of each edited file, within a budget of bytes.
//!
//! The newest content of a file is kept whole, so that an undo gives back exactly what was there even if something
//! else has changed the file meanwhile. Each older one is kept as its difference to the next newer one: ten edits
//! of a large file cost little more than one copy of it.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

/// Contents kept for each file.
const MAX_ENTRIES: usize = 10;
/// Bytes kept over all files; beyond it the file that was edited longest ago gives up its oldest contents.
pub(super) const BUDGET_BYTES: usize = 64 << 20;

#[derive(Debug)]
pub(super) struct History {
    files: HashMap<PathBuf, FileHistory>,
    budget: usize,
    edits: u64,
}

#[derive(Debug)]
struct FileHistory {
    newest: Vec<u8>,
    /// Oldest first; each makes its content out of the next one's.
    older: VecDeque<Difference>,
    last_edit: u64,
}

/// How to make an older content: the shared start of the newer one, then `middle`, then its shared end.
#[derive(Debug)]
struct Difference {
    start: usize,
    middle: Vec<u8>,
    end: usize,
}

impl History {
    pub(super) fn with_budget(budget: usize) -> Self {
        Self {
            files: HashMap::new(),
            budget,
            edits: 0,
        }
    }

    /// Remembers what an undo of the edit that was just made must bring back.
    pub(super) fn push(&mut self, file: &Path, content: Vec<u8>) {
        self.edits += 1;
        if let Some(history) = self.files.get_mut(file) {
            history.push(content);
            history.last_edit = self.edits;
        } else {
            let history = FileHistory {
                newest: content,
                older: VecDeque::new(),
                last_edit: self.edits,
            };
            self.files.insert(file.to_path_buf(), history);
        }
        self.keep_to_budget(file);
    }

    /// What the next undo brings back.
    pub(super) fn newest(&self, file: &Path) -> Option<&[u8]> {
        Some(&self.files.get(file)?.newest)
    }

    /// Forgets the newest content, after it was brought back.
    pub(super) fn pop(&mut self, file: &Path) {
        if let Some(history) = self.files.get_mut(file) {
            if let Some(difference) = history.older.pop_back() {
                history.newest = difference.apply(&history.newest);
            } else {
                self.files.remove(file);
            }
        }
    }

    fn size(&self) -> usize {
        self.files.values().map(FileHistory::size).sum()
    }

    fn keep_to_budget(&mut self, just_edited: &Path) {
        let mut excess = self.size().saturating_sub(self.budget);
        while excess > 0 {
            let stalest = self
                .files
                .iter()
                .min_by_key(|(_, history)| history.last_edit)
                .map(|(file, _)| file.clone());
            let Some(file) = stalest else { return };
            let Some(history) = self.files.get_mut(&file) else {
                return;
            };
            if let Some(oldest) = history.older.pop_front() {
                excess = excess.saturating_sub(oldest.middle.len());
            } else if file == just_edited {
                // The last edit can always be undone.
                return;
            } else {
                excess = excess.saturating_sub(history.newest.len());
                self.files.remove(&file);
            }
        }
    }
}

impl FileHistory {
    fn push(&mut self, content: Vec<u8>) {
        let difference = Difference::between(&content, &self.newest);
        self.older.push_back(difference);
        self.newest = content;
        if self.older.len() >= MAX_ENTRIES {
            self.older.pop_front();
        }
    }

    fn size(&self) -> usize {
        let older: usize = self.older.iter().map(|one| one.middle.len()).sum();
        self.newest.len() + older
    }
}

impl Difference {
    fn between(newer: &[u8], older: &[u8]) -> Self {
        let start = shared_start(newer, older);
        let newer_rest = newer.get(start..).unwrap_or_default();
        let older_rest = older.get(start..).unwrap_or_default();
        let end = shared_end(newer_rest, older_rest);
        let middle = older_rest.get(..older_rest.len() - end).unwrap_or_default();
        Self {
            start,
            middle: middle.to_vec(),
            end,
        }
    }

    fn apply(&self, newer: &[u8]) -> Vec<u8> {
        let start = newer.get(..self.start).unwrap_or_default();
        let end = newer.get(newer.len() - self.end..).unwrap_or_default();
        [start, &self.middle, end].concat()
    }
}

/// Bytes compared at once; equal blocks are passed over at memory speed.
const BLOCK: usize = 4096;

fn shared_start(a: &[u8], b: &[u8]) -> usize {
    let blocks = a
        .chunks_exact(BLOCK)
        .zip(b.chunks_exact(BLOCK))
        .take_while(|(a, b)| a == b)
        .count();
    let at = blocks * BLOCK;
    let rest = a.iter().skip(at).zip(b.iter().skip(at));
    at + rest.take_while(|(a, b)| a == b).count()
}

fn shared_end(a: &[u8], b: &[u8]) -> usize {
    let blocks = a
        .rchunks_exact(BLOCK)
        .zip(b.rchunks_exact(BLOCK))
        .take_while(|(a, b)| a == b)
        .count();
    let at = blocks * BLOCK;
    let rest = a.iter().rev().skip(at).zip(b.iter().rev().skip(at));
    at + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
#[path = "history_tests.rs"]
mod tests;
