//! The text of `base_state.json`, with its growing lists put together from what was written before.
//!
//! A state holds one entry per model call in three lists per use of a model. Writing them anew at every step
//! would make a step slower with every call. Here each entry is turned into text once.

use std::collections::HashMap;

use indexmap::IndexMap;
use openhands_protocol::conversation::{ConversationState, ConversationStats};
use openhands_protocol::llm::Metrics;
use openhands_protocol::{EventId, Form};
use serde::Serialize;

/// Text of lists that is written in microseconds.
const SMALL_BYTES: usize = 16 << 10;

/// Writes the text of a state, and remembers the parts that only grow.
#[derive(Debug, Default)]
pub struct StateText {
    uses: HashMap<String, Use>,
}

/// The lists of one use of a model.
#[derive(Debug, Default)]
struct Use {
    costs: List,
    response_latencies: List,
    token_usages: List,
}

/// The entries of a list as text, without the brackets.
#[derive(Debug, Default)]
struct List {
    text: Vec<u8>,
    count: usize,
    /// The last entry that was written. If it is another one now, the list was replaced.
    last: Vec<u8>,
}

impl StateText {
    /// Forgets what is soon written anew: a conversation at rest may not write its state for long.
    pub(crate) fn rest(&mut self) {
        let bytes: usize = self.uses.values().map(Use::bytes).sum();
        if bytes <= SMALL_BYTES {
            self.uses = HashMap::new();
        }
    }

    /// The text of a state in a form. The state is borrowed to be taken apart and is whole again afterwards.
    pub fn write(
        &mut self,
        state: &mut ConversationState,
        form: &Form,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let stats = std::mem::take(&mut state.stats);
        // A key that occurs nowhere else in the text stands for the stats.
        let stand_in = EventId::random().to_string();
        let empty = Metrics::default();
        state.stats.usage_to_metrics = IndexMap::from([(stand_in.clone(), empty.clone())]);
        let outer = form.to_vec(state);
        let members = form.to_vec(&empty);
        state.stats = stats;
        let (outer, members) = (outer?, members?);

        let mut place = serde_json::to_vec(&stand_in)?;
        place.push(b':');
        place.extend_from_slice(&members);
        let Some(at) = find(&outer, &place) else {
            return form.to_vec(state);
        };
        let (before, rest) = outer.split_at_checked(at).unwrap_or((&outer, &[]));
        let after = rest.get(place.len()..).unwrap_or_default();
        let mut out = Vec::with_capacity(outer.len() * 2);
        out.extend_from_slice(before);
        self.write_stats(&mut out, &state.stats, form)?;
        out.extend_from_slice(after);
        Ok(out)
    }

    fn write_stats(
        &mut self,
        out: &mut Vec<u8>,
        stats: &ConversationStats,
        form: &Form,
    ) -> Result<(), serde_json::Error> {
        self.uses
            .retain(|id, _| stats.usage_to_metrics.contains_key(id));
        for (at, (id, metrics)) in stats.usage_to_metrics.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            serde_json::to_writer(&mut *out, id)?;
            out.push(b':');
            self.uses
                .entry(id.clone())
                .or_default()
                .write(out, metrics, form)?;
        }
        Ok(())
    }
}

impl Use {
    fn bytes(&self) -> usize {
        let lists = [&self.costs, &self.response_latencies, &self.token_usages];
        lists.iter().map(|list| list.text.len()).sum()
    }

    /// The sums anew, the lists from memory. The order of the members is free.
    fn write(
        &mut self,
        out: &mut Vec<u8>,
        metrics: &Metrics,
        form: &Form,
    ) -> Result<(), serde_json::Error> {
        let sum = metrics.accumulated_token_usage.as_ref();
        if sum.is_some_and(|sum| !sum.extra.is_empty()) {
            // A member of unknown shape before the lists might look like one of them.
            return form.write(out, metrics);
        }
        let sums = Metrics {
            model_name: metrics.model_name.clone(),
            accumulated_cost: metrics.accumulated_cost,
            max_budget_per_task: metrics.max_budget_per_task,
            accumulated_token_usage: metrics.accumulated_token_usage.clone(),
            costs: Vec::new(),
            response_latencies: Vec::new(),
            token_usages: Vec::new(),
            extra: metrics.extra.clone(),
        };
        let sums = form.to_vec(&sums)?;
        // Repeated members would be read differently by different readers: the empty lists go.
        let lists = [
            (
                &br#""costs":[]"#[..],
                self.costs.text(&metrics.costs, form)?,
            ),
            (
                &br#""response_latencies":[]"#[..],
                self.response_latencies
                    .text(&metrics.response_latencies, form)?,
            ),
            (
                &br#""token_usages":[]"#[..],
                self.token_usages.text(&metrics.token_usages, form)?,
            ),
        ];
        let mut rest = sums.as_slice();
        for (member, entries) in lists {
            let cut = find(rest, member).map(|at| at + member.len() - 1);
            let Some((before, after)) = cut.and_then(|at| rest.split_at_checked(at)) else {
                continue;
            };
            out.extend_from_slice(before);
            out.extend_from_slice(entries);
            rest = after;
        }
        out.extend_from_slice(rest);
        Ok(())
    }
}

impl List {
    fn text<T: Serialize>(&mut self, list: &[T], form: &Form) -> Result<&[u8], serde_json::Error> {
        let kept = match self.count.checked_sub(1).map(|last| list.get(last)) {
            None => true,
            Some(None) => false,
            Some(Some(last)) => form.to_vec(last)? == self.last,
        };
        if !kept {
            *self = Self::default();
        }
        for entry in list.iter().skip(self.count) {
            if self.count > 0 {
                self.text.push(b',');
            }
            self.last = form.to_vec(entry)?;
            self.text.extend_from_slice(&self.last);
            self.count += 1;
        }
        Ok(&self.text)
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

#[cfg(test)]
#[path = "state_text_tests.rs"]
mod tests;
