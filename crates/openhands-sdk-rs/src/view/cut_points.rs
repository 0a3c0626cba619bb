//! Where a view may be cut without taking apart what belongs together.

use std::collections::HashMap;

use super::View;

/// The places at which a view may be cut, each the number of events before it.
///
/// What lies between two of them may be removed, and something may be put in at any of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutPoints(Vec<usize>);

impl CutPoints {
    pub(super) fn of(view: &View) -> Self {
        let mut spans = Spans::default();
        for (at, item) in view.items().enumerate() {
            if let Some(call) = item.call() {
                spans.stretch(Whole::Batch(call.batch), at);
                for key in view.pairing.loops_of(call.batch) {
                    spans.stretch(Whole::Loop(*key), at);
                }
            }
        }
        Self(spans.gaps(view.len()))
    }

    /// The first place at or behind a place.
    pub fn next_from(&self, place: usize) -> Option<usize> {
        let at = self.0.partition_point(|point| *point < place);
        self.0.get(at).copied()
    }

    /// All places in order.
    pub fn as_slice(&self) -> &[usize] {
        &self.0
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Whole {
    Batch(u64),
    Loop(u64),
}

/// From where to where each thing reaches that must stay whole.
#[derive(Default)]
struct Spans(HashMap<Whole, (usize, usize)>);

impl Spans {
    fn stretch(&mut self, whole: Whole, to: usize) {
        self.0.entry(whole).or_insert((to, to)).1 = to;
    }

    /// The places from 0 to `len` that are inside no span.
    fn gaps(&self, len: usize) -> Vec<usize> {
        // How far each place is covered by spans that start before it.
        let mut reach = vec![0; len + 1];
        for (first, last) in self.0.values() {
            if let Some(end) = reach.get_mut(first + 1) {
                *end = (*end).max(*last + 1);
            }
        }
        let mut covered = 0;
        (0..=len)
            .filter(|place| {
                covered = covered.max(reach.get(*place).copied().unwrap_or_default());
                covered <= *place
            })
            .collect()
    }
}
