//! Values made from shared things, kept while the things are in use.
//!
//! A conversation's messages are shared and never change, so what is made of one (its text on the wire, its
//! images made smaller) is made once. A thing is known by its address: the cache holds a weak
//! reference, which keeps the address from being given to anything else.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};

/// A value that was not asked for in this many rounds is forgotten. More than one, because a model may be asked
/// about two lists of messages in turn.
const ROUNDS_KEPT: u64 = 4;

/// Values made from shared things. `tag` tells apart several values made of the same thing.
pub(crate) struct ByArc<T: ?Sized, V> {
    slots: Mutex<Slots<T, V>>,
    max_bytes: usize,
}

struct Slots<T: ?Sized, V> {
    by_address: HashMap<(usize, u8), Slot<T, V>, BuildHasherDefault<AddressHasher>>,
    bytes: usize,
    round: u64,
}

struct Slot<T: ?Sized, V> {
    /// Keeps the address taken, and tells whether the thing still exists.
    owner: Weak<T>,
    value: V,
    bytes: usize,
    round: u64,
}

impl<T: ?Sized, V> std::fmt::Debug for ByArc<T, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ByArc").finish_non_exhaustive()
    }
}

impl<T: ?Sized, V: Clone> ByArc<T, V> {
    /// An empty cache. Beyond `max_bytes` nothing more is kept.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self {
            slots: Mutex::new(Slots {
                by_address: HashMap::default(),
                bytes: 0,
                round: 0,
            }),
            max_bytes,
        }
    }

    /// Begins a round: one use of all things that are in use. Others wait until it is dropped.
    pub(crate) fn round(&self) -> Round<'_, T, V> {
        let mut slots = self.slots.lock();
        slots.round += 1;
        Round {
            slots,
            max_bytes: self.max_bytes,
        }
    }
}

/// One use of all things that are in use.
pub(crate) struct Round<'a, T: ?Sized, V> {
    slots: MutexGuard<'a, Slots<T, V>>,
    max_bytes: usize,
}

impl<T: ?Sized, V: Clone> Round<'_, T, V> {
    /// The value of a thing, if it is known.
    pub(crate) fn find(&mut self, thing: &Arc<T>, tag: u8) -> Option<V> {
        let round = self.slots.round;
        let slot = self.slots.by_address.get_mut(&(address(thing), tag))?;
        slot.round = round;
        Some(slot.value.clone())
    }

    /// Keeps the value of a thing, if there is room.
    pub(crate) fn keep(&mut self, thing: &Arc<T>, tag: u8, value: V, bytes: usize) {
        if self.slots.bytes.saturating_add(bytes) > self.max_bytes {
            return;
        }
        let slot = Slot {
            owner: Arc::downgrade(thing),
            value,
            bytes,
            round: self.slots.round,
        };
        self.slots.bytes += bytes;
        if let Some(old) = self.slots.by_address.insert((address(thing), tag), slot) {
            self.slots.bytes = self.slots.bytes.saturating_sub(old.bytes);
        }
    }
}

impl<T: ?Sized, V> Drop for Round<'_, T, V> {
    fn drop(&mut self) {
        let oldest = self.slots.round.saturating_sub(ROUNDS_KEPT);
        let mut freed = 0;
        self.slots.by_address.retain(|_, slot| {
            let stays = slot.round > oldest && slot.owner.strong_count() > 0;
            if !stays {
                freed += slot.bytes;
            }
            stays
        });
        self.slots.bytes = self.slots.bytes.saturating_sub(freed);
    }
}

/// Spreads addresses over a table. Nobody chooses them, so it need not be hard to guess; every message is looked up for every request.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, tag: u8) {
        self.write_u64(u64::from(tag));
    }

    fn write_usize(&mut self, address: usize) {
        self.write_u64(address as u64);
    }

    fn write_u64(&mut self, number: u64) {
        // The table uses the highest bits as well as the lowest.
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn address<T: ?Sized>(thing: &Arc<T>) -> usize {
    Arc::as_ptr(thing).cast::<()>().addr()
}

#[cfg(test)]
#[path = "by_arc_tests.rs"]
mod tests;
