//! Which events belong together: an action and its result, the calls of one response, the steps of a tool loop.
//!
//! Four rules hold for what the model is shown:
//!
//! 1. A call has at most one result: the first one counts.
//! 2. An action is shown with its result, and a result with its action.
//! 3. The actions of one response are shown all or not at all.
//! 4. A tool loop that begins with signed thinking is shown whole. A loop lasts until anything but an action or
//!    a result. Steps at its end that have no result yet may be missing: the provider has not seen them either.
//!
//! The first two are decided when an event arrives. The other two are all-or-nothing over batches (the calls of one
//! response with their results), so [`Pairing::settle`] removes batches until nothing changes.

use openhands_protocol::event::ActionEvent;
use openhands_protocol::{EventId, ResponseId, ToolCallId};
use std::collections::HashMap;

use super::item::{Call, ItemRole, ViewItem};

/// What belongs together.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairing {
    /// Actions without a result, by call.
    open: HashMap<ToolCallId, Vec<OpenAction>>,
    by_response: HashMap<ResponseId, u64>,
    batches: HashMap<u64, Batch>,
    loops: HashMap<u64, ToolLoop>,
    current_loop: Option<u64>,
    next_key: u64,
}

#[derive(Debug, Clone)]
struct OpenAction {
    id: EventId,
    call: Call,
}

/// The calls of one response, with their results.
#[derive(Debug, Clone)]
struct Batch {
    response: ResponseId,
    first_serial: u64,
    /// Actions without a result.
    open: usize,
    /// Events that were forgotten.
    forgotten: usize,
    /// Events that the view still has.
    held: usize,
    /// The loops that it is part of: one at most, unless the log is odd.
    loops: Vec<u64>,
    shown: bool,
}

impl Batch {
    fn is_complete(&self) -> bool {
        self.open == 0 && self.forgotten == 0
    }
}

/// Steps of the model in a row of which the first one has signed thinking.
#[derive(Debug, Clone)]
struct ToolLoop {
    batches: Vec<u64>,
    /// How many batches from the start are shown.
    shown: usize,
    /// Whether no batch is missing but at the end.
    whole: bool,
}

/// What becomes of the view when a result arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answered {
    /// Other calls of the response are still open.
    Waiting,
    /// The batch, which begins at this serial, is complete and may be shown.
    Complete { batch: u64, first_serial: u64 },
    /// What is shown must be found out anew.
    Unclear,
}

impl Pairing {
    /// An action arrives. The flag says that what is shown must be found out anew.
    pub(super) fn act(&mut self, serial: u64, event: &ActionEvent) -> (Call, bool) {
        if !event.thinking_blocks.is_empty() {
            let key = self.fresh_key();
            let tool_loop = ToolLoop {
                batches: Vec::new(),
                shown: 0,
                whole: true,
            };
            self.loops.insert(key, tool_loop);
            self.current_loop = Some(key);
        }
        let key = self.batch_of(&event.llm_response_id, serial);
        let mut is_odd = false;
        if let Some(batch) = self.batches.get_mut(&key) {
            // More of a response that seemed to be complete, or that was forgotten in part.
            is_odd = batch.held > 0 && batch.open == 0 || batch.forgotten > 0;
            batch.open += 1;
            batch.held += 1;
        }
        self.link(key);
        let call = Call {
            tool_call_id: event.tool_call_id.clone(),
            batch: key,
            action: serial,
        };
        let open = OpenAction {
            id: event.header.id.clone(),
            call: call.clone(),
        };
        self.open
            .entry(event.tool_call_id.clone())
            .or_default()
            .push(open);
        (call, is_odd)
    }

    /// A result arrives. There is no answer if no action waits for it: it is late, doubled or lost.
    pub(super) fn answer(
        &mut self,
        tool_call_id: &ToolCallId,
        action: Option<&EventId>,
    ) -> Option<(Call, Answered)> {
        let waiting = self.open.get_mut(tool_call_id)?;
        // Weak models use an id again and again; then the named action is meant, else the oldest.
        let at = waiting
            .iter()
            .position(|open| Some(&open.id) == action)
            .unwrap_or(0);
        let call = waiting.remove(at).call;
        if waiting.is_empty() {
            self.open.remove(tool_call_id);
        }
        let joins_loop = self.link(call.batch);
        let batch = self.batches.get_mut(&call.batch)?;
        batch.open = batch.open.saturating_sub(1);
        batch.held += 1;
        let answered = if joins_loop && batch.forgotten > 0 {
            Answered::Unclear
        } else if batch.open > 0 {
            Answered::Waiting
        } else if self.show_next(call.batch) {
            Answered::Complete {
                batch: call.batch,
                first_serial: self.batches.get(&call.batch)?.first_serial,
            }
        } else {
            Answered::Unclear
        };
        Some((call, answered))
    }

    /// Something that is neither action nor result arrives.
    pub(super) fn end_loop(&mut self) {
        self.current_loop = None;
    }

    /// The view gives up an event. [`Pairing::settle`] must follow.
    pub(super) fn forget(&mut self, item: &ViewItem) {
        let Some(call) = item.call() else { return };
        if let Some(batch) = self.batches.get_mut(&call.batch) {
            batch.forgotten += 1;
            batch.held = batch.held.saturating_sub(1);
        }
        if let ItemRole::Action(call) = &item.role
            && let Some(waiting) = self.open.get_mut(&call.tool_call_id)
        {
            waiting.retain(|open| open.call.action != call.action);
            if waiting.is_empty() {
                self.open.remove(&call.tool_call_id);
            }
        }
    }

    /// Drops what is known of batches and loops that were forgotten whole.
    pub(super) fn prune(&mut self) {
        let held = |batches: &HashMap<u64, Batch>, key: &u64| {
            batches.get(key).is_some_and(|batch| batch.held > 0)
        };
        let batches = &mut self.batches;
        self.loops
            .retain(|_, tool_loop| tool_loop.batches.iter().any(|key| held(batches, key)));
        let loops = &self.loops;
        let by_response = &mut self.by_response;
        batches.retain(|_, batch| {
            batch.loops.retain(|key| loops.contains_key(key));
            let keep = batch.held > 0 || !batch.loops.is_empty();
            if !keep {
                by_response.remove(&batch.response);
            }
            keep
        });
    }

    /// Finds out which batches may be shown, from all facts.
    pub(super) fn settle(&mut self) {
        for batch in self.batches.values_mut() {
            batch.shown = batch.is_complete();
        }
        loop {
            let mut changed = false;
            for tool_loop in self.loops.values_mut() {
                let batches = &mut self.batches;
                let is_shown = |key: &u64| batches.get(key).is_some_and(|batch| batch.shown);
                let is_open = |key: &u64| {
                    batches
                        .get(key)
                        .is_some_and(|batch| batch.open > 0 && batch.forgotten == 0)
                };
                let unanswered = tool_loop
                    .batches
                    .iter()
                    .rev()
                    .take_while(|key| is_open(key));
                let steps = tool_loop.batches.len() - unanswered.count();
                tool_loop.whole = tool_loop.batches.iter().take(steps).all(is_shown);
                tool_loop.shown = if tool_loop.whole { steps } else { 0 };
                if !tool_loop.whole {
                    for key in &tool_loop.batches {
                        if let Some(batch) = batches.get_mut(key) {
                            changed |= batch.shown;
                            batch.shown = false;
                        }
                    }
                }
            }
            // Each round hides at least one more batch.
            if !changed {
                return;
            }
        }
    }

    /// Whether an action waits for a result of this call.
    #[cfg(test)]
    pub(super) fn is_open(&self, call: &str) -> bool {
        self.open.contains_key(call)
    }

    /// Whether a response is known: one that was forgotten whole is not.
    #[cfg(test)]
    pub(super) fn knows(&self, response: &str) -> bool {
        self.by_response.contains_key(response)
    }

    /// Whether nothing is known of any call.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
            && self.by_response.is_empty()
            && self.batches.is_empty()
            && self.loops.is_empty()
    }

    /// Whether the batch is shown.
    pub(super) fn is_shown(&self, batch: u64) -> bool {
        self.batches.get(&batch).is_some_and(|batch| batch.shown)
    }

    /// The loops that a batch is part of.
    pub(super) fn loops_of(&self, batch: u64) -> &[u64] {
        self.batches
            .get(&batch)
            .map_or(&[], |batch| batch.loops.as_slice())
    }

    /// Shows a batch that has all its results, if it is the next one of its loop.
    fn show_next(&mut self, key: u64) -> bool {
        let Some(batch) = self.batches.get_mut(&key) else {
            return false;
        };
        if !batch.is_complete() {
            return false;
        }
        match batch.loops.as_slice() {
            [] => {}
            [only] => {
                let Some(tool_loop) = self.loops.get_mut(only) else {
                    return false;
                };
                if !tool_loop.whole || tool_loop.batches.get(tool_loop.shown) != Some(&key) {
                    return false;
                }
                tool_loop.shown += 1;
            }
            _ => return false,
        }
        batch.shown = true;
        true
    }

    fn batch_of(&mut self, response: &ResponseId, serial: u64) -> u64 {
        if let Some(key) = self.by_response.get(response) {
            return *key;
        }
        let key = self.fresh_key();
        let batch = Batch {
            response: response.clone(),
            first_serial: serial,
            open: 0,
            forgotten: 0,
            held: 0,
            loops: Vec::new(),
            shown: false,
        };
        self.batches.insert(key, batch);
        self.by_response.insert(response.clone(), key);
        key
    }

    /// Makes a batch part of the loop that goes on. Says whether it was not yet.
    fn link(&mut self, key: u64) -> bool {
        let Some(current) = self.current_loop else {
            return false;
        };
        if let Some(batch) = self.batches.get_mut(&key)
            && let Some(tool_loop) = self.loops.get_mut(&current)
            && !batch.loops.contains(&current)
        {
            batch.loops.push(current);
            tool_loop.batches.push(key);
            return true;
        }
        false
    }

    fn fresh_key(&mut self) -> u64 {
        self.next_key += 1;
        self.next_key
    }
}
