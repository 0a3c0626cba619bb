//! Locks that let tool calls run side by side without touching the same thing.

use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Weak};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The names of what one call must have to itself. No names: it runs beside anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Locks(BTreeSet<String>);

impl Locks {
    /// Runs beside anything.
    pub fn none() -> Self {
        Self::default()
    }

    /// One named resource.
    pub fn key(key: impl Into<String>) -> Self {
        Self(BTreeSet::from([key.into()]))
    }

    /// The whole tool: one call at a time.
    pub fn tool(name: &str) -> Self {
        Self::key(format!("tool:{name}"))
    }

    /// One file, under whatever name it is reached.
    pub fn file(path: &Path) -> Self {
        Self::key(format!("file:{}", resolved(path).display()))
    }

    /// Several files.
    pub fn files<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        Self(
            paths
                .into_iter()
                .map(|path| format!("file:{}", resolved(path).display()))
                .collect(),
        )
    }

    /// The names, in the order they are taken.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// `path` without `.` and `..`; links are not followed, because a definition does no I/O.
fn resolved(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// The locks of one conversation.
#[derive(Debug, Default)]
pub struct ResourceLocks {
    held: Mutex<HashMap<String, Weak<AsyncMutex<()>>>>,
}

/// Holds a call's locks until it is dropped.
#[derive(Debug)]
pub struct LockGuard {
    _guards: Vec<OwnedMutexGuard<()>>,
}

impl ResourceLocks {
    /// Waits until every lock is free and takes them all.
    ///
    /// Names are taken in sorted order, so two calls can never wait for each other.
    pub async fn acquire(&self, locks: &Locks) -> LockGuard {
        let mut guards = Vec::with_capacity(locks.0.len());
        for key in &locks.0 {
            guards.push(self.mutex(key).lock_owned().await);
        }
        LockGuard { _guards: guards }
    }

    fn mutex(&self, key: &str) -> Arc<AsyncMutex<()>> {
        let mut held = self.held.lock();
        if let Some(mutex) = held.get(key).and_then(Weak::upgrade) {
            return mutex;
        }
        // Names of finished calls are dropped whenever a new one comes, so the map stays as small as what runs.
        held.retain(|_, mutex| mutex.strong_count() > 0);
        let mutex = Arc::new(AsyncMutex::new(()));
        held.insert(key.to_owned(), Arc::downgrade(&mutex));
        mutex
    }
}

#[cfg(test)]
#[path = "resources_tests.rs"]
mod tests;
