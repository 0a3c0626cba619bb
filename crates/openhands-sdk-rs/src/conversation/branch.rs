//! What the agent knows of the active branch: the model's view, open actions, the latest events.

use std::collections::VecDeque;
use std::sync::Arc;

use indexmap::IndexMap;
use openhands_protocol::event::{MessageEvent, Source};
use openhands_protocol::message::Content;
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
    has_open_image: bool,
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
            // Whoever looks at the latest events wants to know what came after the last words of a user.
            Event::Message(message) if message.header.source == Source::User => {
                self.recent.clear();
                self.has_open_image = shows_image(message);
            }
            // compat: hooks run beside the branch, not on it.
            Event::HookExecution(_) | Event::StateUpdate(_) => return,
            _ => {}
        }
        if stored.event().source() == Some(Source::Agent) {
            self.has_open_image = false;
        }
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(Arc::clone(stored));
    }

    /// Keeps of the latest events only their text. They are decoded again if a run goes on without a word of a user, which is seldom.
    pub(crate) fn rest(&mut self) {
        for stored in &mut self.recent {
            *stored = stored.kept();
        }
        self.recent.shrink_to_fit();
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

    /// Whether the last message of the user has an image and the agent has not answered it.
    pub(crate) fn has_open_image(&self) -> bool {
        self.has_open_image
    }
}

fn shows_image(message: &MessageEvent) -> bool {
    let parts = &message.llm_message.content;
    parts
        .iter()
        .any(|part| matches!(part, Content::Image(image) if !image.image_urls.is_empty()))
}

#[cfg(test)]
#[path = "branch_tests.rs"]
mod tests;
