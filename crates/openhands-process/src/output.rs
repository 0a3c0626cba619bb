//! A byte-capped buffer that keeps both ends of what is written to it.

/// The first and the last bytes of a stream, with an exact count of all of them.
///
/// Appending copies each kept byte once and touches no other: the head is filled first, the tail is
/// a ring. Memory grows with what is written, up to the cap.
#[derive(Debug, Clone)]
pub struct HeadTail {
    head: Vec<u8>,
    head_cap: usize,
    tail: Vec<u8>,
    tail_cap: usize,
    /// Where the oldest byte of a full tail is, and the next one goes.
    next: usize,
    total: u64,
}

impl HeadTail {
    /// A buffer of at most `cap` bytes, one half for each end.
    pub fn new(cap: usize) -> Self {
        Self::with_ends(cap / 2, cap - cap / 2)
    }

    /// A buffer of at most `head` first and `tail` last bytes.
    pub fn with_ends(head: usize, tail: usize) -> Self {
        Self {
            head: Vec::new(),
            head_cap: head,
            tail: Vec::new(),
            tail_cap: tail,
            next: 0,
            total: 0,
        }
    }

    /// Appends bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_cap - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        append(&mut self.head, first, self.head_cap);
        if rest.len() >= self.tail_cap {
            // Nothing of the old tail is left.
            let (_, last) = rest.split_at(rest.len() - self.tail_cap);
            self.tail.clear();
            append(&mut self.tail, last, self.tail_cap);
            self.next = 0;
            return;
        }
        let room = self.tail_cap - self.tail.len();
        let (fresh, wrapped) = rest.split_at(room.min(rest.len()));
        append(&mut self.tail, fresh, self.tail_cap);
        self.overwrite(wrapped);
    }

    /// Writes over the oldest bytes of a full tail; `bytes` is shorter than it.
    fn overwrite(&mut self, bytes: &[u8]) {
        let to_end = self.tail.len() - self.next;
        let (before, after) = bytes.split_at(to_end.min(bytes.len()));
        for (at, part) in [(self.next, before), (0, after)] {
            if let Some(place) = self.tail.get_mut(at..at + part.len()) {
                place.copy_from_slice(part);
            }
        }
        self.next = if before.len() < to_end {
            self.next + before.len()
        } else {
            after.len()
        };
    }

    /// The first bytes.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes that are not in the head, in two parts that follow each other.
    pub fn tail(&self) -> (&[u8], &[u8]) {
        let (newer, older) = self.tail.split_at(self.next.min(self.tail.len()));
        (older, newer)
    }

    /// How many bytes were written.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes between head and tail were dropped.
    pub fn dropped(&self) -> u64 {
        self.total - self.len() as u64
    }

    /// How many bytes are kept.
    pub fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All that is kept, in one piece; `between` is called with the count of dropped bytes, if
    /// there are any, for what to put in their place.
    pub fn join(&self, between: impl FnOnce(u64) -> Vec<u8>) -> Vec<u8> {
        let (older, newer) = self.tail();
        let gap = match self.dropped() {
            0 => Vec::new(),
            dropped => between(dropped),
        };
        [&self.head, gap.as_slice(), older, newer].concat()
    }

    /// Empties the buffer, gives its memory back and counts from zero again.
    pub fn clear(&mut self) {
        *self = Self::with_ends(self.head_cap, self.tail_cap);
    }
}

/// Appends without ever reserving beyond the cap: doubling the last time would take up to twice it.
fn append(to: &mut Vec<u8>, bytes: &[u8], cap: usize) {
    let needed = to.len() + bytes.len();
    if needed > to.capacity() {
        let doubled = (to.capacity() * 2).min(cap).max(needed);
        to.reserve_exact(doubled - to.len());
    }
    to.extend_from_slice(bytes);
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
