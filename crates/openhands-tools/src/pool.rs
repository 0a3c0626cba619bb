//! Large values that many conversations have in common, such as what models are told about tools, and environments: equal ones are kept once,
//! for as long as somebody has them.

use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// So many different values are known at most; more than that are not shared. A look at all of them stays cheap.
const MAX_KNOWN: usize = 64;

/// Values of which equal ones are one.
pub struct Pool<T: ?Sized>(Mutex<Vec<Weak<T>>>);

impl<T: ?Sized + PartialEq> Pool<T> {
    /// Nothing is known yet.
    pub const fn empty() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The value that is equal to this one, if somebody has it, else this one.
    pub fn share(&self, value: Arc<T>) -> Arc<T> {
        let mut known = self.0.lock();
        known.retain(|known| known.strong_count() > 0);
        let mut living = known.iter().filter_map(Weak::upgrade);
        if let Some(found) = living.find(|found| **found == *value) {
            return found;
        }
        if known.len() < MAX_KNOWN {
            known.push(Arc::downgrade(&value));
        }
        value
    }
}

impl<T: ?Sized> fmt::Debug for Pool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
