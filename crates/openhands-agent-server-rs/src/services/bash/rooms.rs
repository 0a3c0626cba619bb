//! Large memory that is used again: to take a megabyte from the system for each piece of a flood of output costs more than to fill it.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::written::LARGE;

/// So many wait to be used again at most.
const MOST: usize = 4;

/// Memory that comes back when nobody needs it. Clones share it; what is still in use when all of them are gone is given up.
#[derive(Clone, Default)]
pub(super) struct Rooms(Arc<Mutex<Vec<Vec<u8>>>>);

/// Some of it, in use.
#[derive(Default)]
pub(super) struct Room {
    bytes: Vec<u8>,
    rooms: Weak<Mutex<Vec<Vec<u8>>>>,
}

impl Rooms {
    /// One that was used before, or one without any memory yet. What is in it means nothing.
    pub(super) fn take(&self) -> Room {
        Room {
            bytes: self.0.lock().pop().unwrap_or_default(),
            rooms: Arc::downgrade(&self.0),
        }
    }
}

impl Deref for Room {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Room {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl AsRef<[u8]> for Room {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if self.bytes.capacity() < LARGE {
            return;
        }
        let Some(rooms) = self.rooms.upgrade() else {
            return;
        };
        let mut rooms = rooms.lock();
        if rooms.len() < MOST {
            rooms.push(std::mem::take(&mut self.bytes));
        }
    }
}

impl fmt::Debug for Rooms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rooms").finish_non_exhaustive()
    }
}
