//! Hiding the values of secrets in a text that arrives in pieces.

use std::sync::Arc;

use crate::secrets::mask::{HIDDEN, Patterns};

/// Masks a text that arrives in pieces. However it is cut, what comes out in all is what masking the whole text gives.
///
/// Held back is only what may still become a value: at most one byte less than the longest value has.
#[derive(Default)]
pub struct StreamMasker {
    patterns: Option<Arc<Patterns>>,
    held: String,
}

impl std::fmt::Debug for StreamMasker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamMasker")
            .field("held_bytes", &self.held.len())
            .finish_non_exhaustive()
    }
}

impl StreamMasker {
    pub(super) fn new(patterns: Option<Arc<Patterns>>) -> Self {
        Self {
            patterns,
            held: String::new(),
        }
    }

    /// Takes a piece and gives what can be shown now.
    pub fn feed(&mut self, piece: &str) -> String {
        let Some(patterns) = self.patterns.clone() else {
            return piece.to_owned();
        };
        self.held.push_str(piece);
        let open = patterns.open_end(&self.held);
        self.release(&patterns, open)
    }

    /// Gives what is still held back: nothing more will come.
    pub fn finish(&mut self) -> String {
        let Some(patterns) = self.patterns.clone() else {
            return String::new();
        };
        let all = self.held.len();
        self.release(&patterns, all)
    }

    /// Gives everything up to `end`, and the whole of a value that begins before it. Such a value cannot grow any
    /// more: else its beginning would be an open end itself.
    fn release(&mut self, patterns: &Patterns, mut end: usize) -> String {
        let mut shown = String::new();
        let mut begin = 0;
        for value in patterns.search.find_iter(&self.held) {
            if value.start() >= end {
                break;
            }
            shown.push_str(self.held.get(begin..value.start()).unwrap_or_default());
            shown.push_str(HIDDEN);
            begin = value.end();
            end = end.max(begin);
        }
        shown.push_str(self.held.get(begin..end).unwrap_or_default());
        self.held.drain(..end);
        shown
    }
}

impl Patterns {
    /// Where the first end of the text begins that is the beginning of a longer value.
    fn open_end(&self, text: &str) -> usize {
        let earliest = (text.len() + 1).saturating_sub(self.longest);
        text.char_indices()
            .map(|(place, _)| place)
            .filter(|place| *place >= earliest)
            .find(|place| self.begins_longer_value(text.get(*place..).unwrap_or_default()))
            .unwrap_or(text.len())
    }

    fn begins_longer_value(&self, end: &str) -> bool {
        let first = self.sorted.partition_point(|value| value.as_ref() <= end);
        self.sorted
            .get(first)
            .is_some_and(|value| value.starts_with(end))
    }
}

#[cfg(test)]
#[path = "stream_mask_tests.rs"]
mod tests;
