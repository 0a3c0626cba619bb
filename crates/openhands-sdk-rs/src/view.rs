//! The view: what the model is shown of a conversation.
//!
//! A [`View`] is fed every event of the active branch in order. It keeps the events that become messages, applies
//! condensations, and sees to it that actions and results are shown in a way that providers accept. Each event is
//! turned into a message once; a message that did not change stays the same allocation from call to call, so that
//! later stages can cache by pointer.
//!
//! ```text
//! event ──► render (event -> message) ──► ViewItem ──► pairing (what is shown) ──► transcript (messages)
//!                                                            └─► CutPoints (for condensers)
//! ```

mod cut_points;
mod item;
mod observation_text;
mod pairing;
mod render;
mod transcript;

pub use cut_points::CutPoints;
pub use item::{Call, ItemRole, ViewItem};

use std::sync::Arc;

use openhands_llm::{ChatRequest, estimate_tokens};
use openhands_protocol::event::{Condensation, EventHeader, Source};
use openhands_protocol::message::{Message, Role};
use openhands_protocol::{Event, EventId, ToolCallId};
use openhands_tools::pool::Pool;
use std::collections::HashSet;

use pairing::{Answered, Pairing};
use transcript::Transcript;

/// What the model is shown of a conversation.
#[derive(Debug, Clone, Default)]
pub struct View {
    items: Vec<ViewItem>,
    shown: Size,
    pairing: Pairing,
    transcript: Transcript,
    next_serial: u64,
    requested: bool,
}

/// Conversations of one server mostly begin with the same prompt.
static PROMPTS: Pool<Message> = Pool::empty();

/// How much is shown.
#[derive(Debug, Clone, Default)]
struct Size {
    items: usize,
    tokens: u64,
}

impl Size {
    fn add(&mut self, item: &ViewItem) {
        if item.shown {
            self.items += 1;
            self.tokens += item.tokens;
        }
    }
}

/// What an event changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Nothing that is shown.
    Nothing,
    /// More is shown at the end.
    End,
    /// Something may be shown, or no more be shown, further up.
    Anywhere,
}

impl View {
    /// The view of a branch.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut view = Self::default();
        view.rebuild(events);
        view
    }

    /// Starts over with the events of a branch, oldest first.
    pub fn rebuild<'a>(&mut self, events: impl IntoIterator<Item = &'a Event>) {
        *self = Self::default();
        for event in events {
            self.take_in(event);
            // Nothing is shown bit by bit: all of it is found out at the end.
            self.transcript.pass(&self.items, self.next_serial);
        }
        self.settle();
        self.transcript.remake(&self.items, self.next_serial);
    }

    /// Takes in the next event of the branch. The cost does not grow with the view, but for condensations.
    pub fn push(&mut self, event: &Event) {
        match self.take_in(event) {
            Change::Nothing => {}
            Change::End => self.transcript.extend(&self.items, self.next_serial),
            Change::Anywhere => {
                self.settle();
                self.transcript.remake(&self.items, self.next_serial);
            }
        }
    }

    /// The messages for the model. Every call in them has its one result right behind it.
    pub fn messages(&self) -> Vec<Arc<Message>> {
        self.transcript.messages()
    }

    /// The events that the model is shown, in order.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = &ViewItem> {
        self.items.iter().filter(|item| item.shown)
    }

    /// The ids of the events that the model is shown, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = &EventId> {
        self.items().map(ViewItem::id)
    }

    /// How many events the model is shown.
    pub fn len(&self) -> usize {
        self.shown.items
    }

    /// About how many tokens the model is shown, tools not counted.
    pub fn tokens(&self) -> u64 {
        self.shown.tokens
    }

    /// Whether the model is shown nothing.
    pub fn is_empty(&self) -> bool {
        self.shown.items == 0
    }

    /// Whether a condensation was asked for and has not happened since.
    pub fn is_condensation_requested(&self) -> bool {
        self.requested
    }

    /// Where the view may be cut.
    pub fn cut_points(&self) -> CutPoints {
        CutPoints::of(self)
    }

    fn take_in(&mut self, event: &Event) -> Change {
        match event {
            Event::SystemPrompt(system) => {
                self.say(&system.header, ItemRole::System, render::system(system))
            }
            Event::Message(said) => self.say(&said.header, ItemRole::Message, render::said(said)),
            Event::CondensationSummary(summary) => {
                let message = Message::text(Role::User, summary.summary.as_str());
                self.say(&summary.header, ItemRole::Summary, message)
            }
            Event::Action(action) => {
                let (call, is_odd) = self.pairing.act(self.next_serial, action);
                let message = render::action(action);
                self.append(&action.header, ItemRole::Action(call), message, false);
                if is_odd {
                    Change::Anywhere
                } else {
                    Change::Nothing
                }
            }
            Event::Observation(result) => self.answer(
                &result.header,
                &result.tool_call_id,
                Some(&result.action_id),
                || render::observation(result),
            ),
            Event::UserReject(result) => self.answer(
                &result.header,
                &result.tool_call_id,
                Some(&result.action_id),
                || render::rejection(result),
            ),
            Event::AgentError(result) => {
                self.answer(&result.header, &result.tool_call_id, None, || {
                    render::error(result)
                })
            }
            Event::Condensation(condensation) => {
                self.condense(condensation);
                Change::Anywhere
            }
            Event::CondensationRequest(_) => {
                self.requested = true;
                Change::Nothing
            }
            Event::StateUpdate(_)
            | Event::ConversationError(_)
            | Event::Pause(_)
            | Event::Interrupt(_)
            | Event::HookExecution(_)
            | Event::SecurityAnalysis(_)
            | Event::StreamingDelta(_)
            | Event::LlmCompletionLog(_)
            | Event::Token(_)
            | Event::AcpToolCall(_)
            | Event::ServerError(_)
            | Event::Unknown(_) => Change::Nothing,
        }
    }

    fn say(&mut self, header: &EventHeader, role: ItemRole, message: Message) -> Change {
        self.pairing.end_loop();
        self.append(header, role, message, true);
        Change::End
    }

    fn answer(
        &mut self,
        header: &EventHeader,
        tool_call_id: &ToolCallId,
        action: Option<&EventId>,
        message: impl FnOnce() -> Message,
    ) -> Change {
        let Some((call, answered)) = self.pairing.answer(tool_call_id, action) else {
            tracing::debug!(id = %header.id, call = %tool_call_id, "result without an open call is left out");
            return Change::Nothing;
        };
        self.append(header, ItemRole::Result(call), message(), false);
        match answered {
            Answered::Waiting => Change::Nothing,
            Answered::Complete {
                batch,
                first_serial,
            } if self.transcript.is_ahead(first_serial) => {
                self.show_at_end(batch);
                Change::End
            }
            Answered::Complete { .. } | Answered::Unclear => Change::Anywhere,
        }
    }

    fn append(&mut self, header: &EventHeader, role: ItemRole, message: Message, shown: bool) {
        let item = self.item(header.id.clone(), header.source, role, message, shown);
        self.shown.add(&item);
        self.items.push(item);
    }

    fn item(
        &mut self,
        id: EventId,
        source: Source,
        role: ItemRole,
        message: Message,
        shown: bool,
    ) -> ViewItem {
        let serial = self.next_serial;
        self.next_serial += 1;
        let mut message = Arc::new(message);
        if role == ItemRole::System {
            message = PROMPTS.share(message);
        }
        let alone = ChatRequest {
            messages: vec![Arc::clone(&message)],
            ..ChatRequest::default()
        };
        ViewItem {
            serial,
            id,
            source,
            role,
            tokens: estimate_tokens(&alone),
            message,
            shown,
        }
    }

    /// Shows a batch of which nothing was shown yet, and which nothing follows.
    fn show_at_end(&mut self, batch: u64) {
        let new = self.transcript.unseen(&mut self.items);
        for item in new {
            if !item.shown && item.call().is_some_and(|call| call.batch == batch) {
                item.shown = true;
                self.shown.add(item);
            }
        }
    }

    /// Finds out anew what is shown.
    fn settle(&mut self) {
        self.pairing.settle();
        self.shown = Size::default();
        for item in &mut self.items {
            let batch = item.call().map(|call| call.batch);
            item.shown = batch.is_none_or(|batch| self.pairing.is_shown(batch));
            self.shown.add(item);
        }
    }

    fn condense(&mut self, condensation: &Condensation) {
        self.requested = false;
        self.pairing.end_loop();
        let forgotten: HashSet<&EventId> = condensation.forgotten_event_ids.iter().collect();
        if !forgotten.is_empty() {
            let pairing = &mut self.pairing;
            self.items.retain(|item| {
                let stays = !forgotten.contains(&item.id);
                if !stays {
                    pairing.forget(item);
                }
                stays
            });
            self.pairing.prune();
        }
        if let (Some(summary), Some(offset)) = (&condensation.summary, condensation.summary_offset)
        {
            self.settle();
            let place = self.place_of(usize::try_from(offset).unwrap_or_default());
            let id = EventId::new(format!("{}-summary", condensation.header.id));
            let message = Message::text(Role::User, summary.as_str());
            let item = self.item(id, Source::Environment, ItemRole::Summary, message, true);
            self.items.insert(place, item);
        }
    }

    /// Where among all items something goes that has this many shown ones before it.
    fn place_of(&self, offset: usize) -> usize {
        self.items
            .iter()
            .enumerate()
            .filter(|(_, item)| item.shown)
            .nth(offset)
            .map_or(self.items.len(), |(place, _)| place)
    }
}

#[cfg(test)]
#[path = "view/events_for_tests.rs"]
pub(crate) mod events_for_tests;

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "view/properties_tests.rs"]
mod properties_tests;
