//! A value that anyone reads and one writes, and a number that tells whether it may have changed.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A value behind a lock that counts how often it was written.
#[derive(Debug)]
pub struct Versioned<T> {
    value: RwLock<T>,
    version: AtomicU64,
}

impl<T> Versioned<T> {
    /// A value that was not written yet.
    pub fn new(value: T) -> Self {
        Self {
            value: RwLock::new(value),
            version: AtomicU64::new(0),
        }
    }

    /// Looks at the value.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.value.read()
    }

    /// Looks at the value to change it. The number changes before the value does: what is read after a look at the number is
    /// never older than it.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        let value = self.value.write();
        self.version.fetch_add(1, Ordering::Release);
        value
    }

    /// As long as this is the same, so is the value.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }
}
