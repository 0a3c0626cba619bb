//! What the agent knows of the active branch: the model's view, open actions, the latest events.

use std::collections::VecDeque;
use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::{Event, ToolCallId};

use crate::event_log::StoredEvent;
use crate::view::View;

/// How many events are looked at to tell whether the agent goes in circles.
const RECENT: usize = 20;

/// The active branch, kept up to date event by event.
#[derive(Debug, Default)]
pub(crate) struct Branch {
    /// What the model sees.
    pub(crate) view: View,
    /// Actions without a result, in order.
    open: IndexMap<ToolCallId, Arc<StoredEvent>>,
    recent: VecDeque<Arc<StoredEvent>>,
    has_system_prompt: bool,
}

impl Branch {
    /// The branch of these events, oldest first.
    pub(crate) fn of(events: &[Arc<StoredEvent>]) -> Self {
        let mut branch = Self {
            view: View::of(events.iter().map(|stored| stored.event())),
            ..Self::default()
        };
        for event in events {
            branch.note(event);
        }
        branch
    }

    /// Takes in the next event of the branch.
    pub(crate) fn push(&mut self, stored: &Arc<StoredEvent>) {
        self.view.push(stored.event());
        self.note(stored);
    }

    fn note(&mut self, stored: &Arc<StoredEvent>) {
        match stored.event() {
            Event::Action(action) if action.action.is_some() => {
                self.open
                    .insert(action.tool_call_id.clone(), Arc::clone(stored));
            }
            Event::Observation(event) => {
                self.open.shift_remove(&event.tool_call_id);
            }
            Event::UserReject(event) => {
                self.open.shift_remove(&event.tool_call_id);
            }
            Event::AgentError(event) => {
                self.open.shift_remove(&event.tool_call_id);
            }
            // It is the largest of all events, and no sign of going in circles.
            Event::SystemPrompt(_) => {
                self.has_system_prompt = true;
                return;
            }
            // compat: hooks run beside the branch, not on it.
            Event::HookExecution(_) | Event::StateUpdate(_) => return,
            _ => {}
        }
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(Arc::clone(stored));
    }

    /// Actions that can be executed and have no result yet, in order.
    pub(crate) fn open(&self) -> Vec<Arc<StoredEvent>> {
        self.open.values().cloned().collect()
    }

    /// The latest events, oldest first.
    pub(crate) fn recent(&self) -> Vec<&Event> {
        self.recent.iter().map(|stored| stored.event()).collect()
    }

    /// Whether the model was told what it is.
    pub(crate) fn has_system_prompt(&self) -> bool {
        self.has_system_prompt
    }
}
