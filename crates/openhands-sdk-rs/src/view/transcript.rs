//! The messages of a view, each made once: calls of one response and neighbouring user messages share one.

use std::sync::{Arc, OnceLock};

use openhands_protocol::message::{Message, Role};
use std::collections::HashMap;

use super::item::{ItemRole, ViewItem};

/// The messages for the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Transcript {
    slots: Vec<Slot>,
    /// How many items of the view were looked at.
    seen: usize,
    /// The serial from which on items were not looked at.
    seen_serial: u64,
}

/// One message, made of one or several events.
#[derive(Debug, Clone)]
struct Slot {
    /// Serial of the first event.
    first: u64,
    parts: Vec<Arc<Message>>,
    joined: OnceLock<Arc<Message>>,
}

impl Transcript {
    /// All messages in order. What did not change since the last call is the same allocation.
    pub(super) fn messages(&self) -> Vec<Arc<Message>> {
        self.slots
            .iter()
            .map(|slot| Arc::clone(slot.message()))
            .collect()
    }

    /// Whether the item with this serial comes after all that was looked at.
    pub(super) fn is_ahead(&self, serial: u64) -> bool {
        serial >= self.seen_serial
    }

    /// The items that were not looked at.
    pub(super) fn unseen<'a>(&self, items: &'a mut [ViewItem]) -> &'a mut [ViewItem] {
        items.get_mut(self.seen..).unwrap_or_default()
    }

    /// Takes in the items behind those that it has seen.
    pub(super) fn extend(&mut self, items: &[ViewItem], next_serial: u64) {
        let new = items.get(self.seen..).unwrap_or_default();
        let mut results = Results::of(new);
        let mut at = 0;
        while let Some(item) = new.get(at) {
            at += match &item.role {
                _ if !item.shown => 1,
                ItemRole::Action(_) => {
                    self.add_calls(new.get(at..).unwrap_or_default(), &mut results)
                }
                // Shown behind its action, wherever it stands.
                ItemRole::Result(_) => 1,
                ItemRole::System | ItemRole::Message | ItemRole::Summary => {
                    self.add(item);
                    1
                }
            };
        }
        self.pass(items, next_serial);
    }

    /// Takes all items as looked at.
    pub(super) fn pass(&mut self, items: &[ViewItem], next_serial: u64) {
        self.seen = items.len();
        self.seen_serial = next_serial;
    }

    /// Starts over; messages of the same parts stay the same allocation.
    pub(super) fn remake(&mut self, items: &[ViewItem], next_serial: u64) {
        let old: HashMap<u64, Slot> = std::mem::take(&mut self.slots)
            .into_iter()
            .filter(|slot| slot.parts.len() > 1)
            .map(|slot| (slot.first, slot))
            .collect();
        self.seen = 0;
        self.extend(items, next_serial);
        for slot in self.slots.iter_mut().filter(|slot| slot.parts.len() > 1) {
            if let Some(old) = old.get(&slot.first)
                && slot.has_parts_of(old)
            {
                slot.joined.clone_from(&old.joined);
            }
        }
    }

    fn add(&mut self, item: &ViewItem) {
        if is_plain_user(&item.message)
            && let Some(last) = self.slots.last_mut()
            && last.parts.first().is_some_and(|first| is_plain_user(first))
        {
            last.parts.push(Arc::clone(&item.message));
            last.joined = OnceLock::new();
        } else {
            self.slots.push(Slot::one(item));
        }
    }

    /// Adds neighbouring actions of one response as one message, then their results. Gives the number of actions.
    fn add_calls(&mut self, items: &[ViewItem], results: &mut Results<'_>) -> usize {
        let Some((first, rest)) = items.split_first() else {
            return 1;
        };
        let batch = first.call().map(|call| call.batch);
        let same_response = |item: &&ViewItem| matches!(&item.role, ItemRole::Action(call) if Some(call.batch) == batch);
        let others = rest.iter().take_while(same_response);
        let mut slot = Slot::one(first);
        slot.parts
            .extend(others.map(|item| Arc::clone(&item.message)));
        let count = slot.parts.len();
        self.slots.push(slot);
        let actions = items.get(..count).unwrap_or_default();
        for result in results.take(actions) {
            self.slots.push(Slot::one(result));
        }
        count
    }
}

impl Slot {
    fn one(item: &ViewItem) -> Self {
        Self {
            first: item.serial,
            parts: vec![Arc::clone(&item.message)],
            joined: OnceLock::new(),
        }
    }

    fn message(&self) -> &Arc<Message> {
        match self.parts.as_slice() {
            [only] => only,
            parts => self.joined.get_or_init(|| Arc::new(join(parts))),
        }
    }

    fn has_parts_of(&self, other: &Self) -> bool {
        self.parts.len() == other.parts.len()
            && self
                .parts
                .iter()
                .zip(&other.parts)
                .all(|(one, two)| Arc::ptr_eq(one, two))
    }
}

/// Results by the serial of the action that they answer.
struct Results<'a>(HashMap<u64, &'a ViewItem>);

impl<'a> Results<'a> {
    fn of(items: &'a [ViewItem]) -> Self {
        let results = items.iter().filter_map(|item| match &item.role {
            ItemRole::Result(call) => Some((call.action, item)),
            ItemRole::System | ItemRole::Message | ItemRole::Summary | ItemRole::Action(_) => None,
        });
        Self(results.collect())
    }

    /// The results of these actions, in the order of the log.
    fn take(&mut self, actions: &[ViewItem]) -> Vec<&'a ViewItem> {
        let mut results: Vec<_> = actions
            .iter()
            .filter_map(|action| self.0.remove(&action.serial))
            .collect();
        results.sort_by_key(|result| result.serial);
        results
    }
}

fn is_plain_user(message: &Message) -> bool {
    message.role == Role::User
        && message.tool_calls.is_none()
        && message.tool_call_id.is_none()
        && message.name.is_none()
}

/// One message of several: calls keep the thought of the first action, user messages keep all their parts.
fn join(parts: &[Arc<Message>]) -> Message {
    let mut parts = parts.iter();
    let mut joined = parts
        .next()
        .map(|first| (**first).clone())
        .unwrap_or_default();
    for part in parts {
        match (&mut joined.tool_calls, &part.tool_calls) {
            (Some(calls), Some(more)) => calls.extend(more.iter().cloned()),
            _ => joined.content.extend(part.content.iter().cloned()),
        }
    }
    joined
}
