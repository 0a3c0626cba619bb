//! What is sent to watchers but never stored: the whole state, and what is still being written.

use std::sync::Arc;

use bytes::Bytes;
use openhands_protocol::event::FullStateUpdate;
use openhands_protocol::{Event, EventId, Form, ToolCallId};

use tokio::sync::broadcast;

use crate::conversation::{ConversationError, Inner};

/// How much is kept for a watcher that is behind. One that misses something gets the whole state instead.
const BACKLOG: usize = 512;

/// What sort of text a piece belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaKind {
    /// The answer.
    Text,
    /// What the model thinks before it.
    Reasoning,
}

/// The whole state as an event that is sent and never stored. It is written once, for all who watch.
#[derive(Debug, Clone)]
pub struct FullState(Bytes);

impl FullState {
    /// The event, as it is sent to sockets.
    pub fn json(&self) -> &Bytes {
        &self.0
    }

    /// The event, read from its text.
    pub fn event(&self) -> Result<Event, serde_json::Error> {
        Event::from_slice(&self.0)
    }
}

/// What is sent to watchers but never stored.
#[derive(Debug, Clone)]
pub enum Live {
    /// The whole state.
    FullState(FullState),
    /// The model begins an answer, which will be the event of this id.
    Started {
        /// The event to come.
        item: EventId,
        /// The first is 1.
        attempt: u32,
    },
    /// More of the answer.
    Delta {
        /// The event to come.
        item: EventId,
        /// Which attempt it belongs to.
        attempt: u32,
        /// Counts up from 0 in each attempt.
        order: u64,
        /// Under which id the provider knows the answer, once it has said so.
        response: Option<Arc<str>>,
        /// What sort of text.
        kind: DeltaKind,
        /// The text.
        content: Arc<str>,
    },
    /// There will be no event of this id, or not from this attempt.
    Aborted {
        /// The event that does not come.
        item: EventId,
        /// Which attempt ended.
        attempt: u32,
        /// Why.
        reason: &'static str,
    },
    /// Output of a tool that is still running. A preview: its observation is what counts.
    Output {
        /// The call.
        call: ToolCallId,
        /// The bytes.
        chunk: Bytes,
    },
}

/// Something live, and how long the log was when it was sent: watchers see those events first.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) after: u64,
    pub(crate) live: Live,
}

impl Inner {
    /// Sends something to whoever watches.
    pub(crate) fn send(&self, live: Live) {
        let mut watchers = self.live.lock();
        if watchers.is_some() {
            // What was stored before comes before it.
            self.log.show();
        }
        let sent = Sent {
            after: self.log.len(),
            live,
        };
        match watchers.as_ref().map(|watchers| watchers.send(sent)) {
            Some(Ok(_)) => self.log.tell_beside(),
            // Nobody watches any more: the room for what they had not seen is given back.
            Some(Err(_)) => *watchers = None,
            None => {}
        }
    }

    /// Watches what is sent from now on.
    pub(crate) fn watch_live(&self) -> broadcast::Receiver<Sent> {
        self.live
            .lock()
            .get_or_insert_with(|| broadcast::Sender::new(BACKLOG))
            .subscribe()
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched(&self) -> bool {
        let watchers = self.live.lock();
        watchers
            .as_ref()
            .is_some_and(|watchers| watchers.receiver_count() > 0)
    }

    /// Sends the whole state to whoever watches.
    pub(crate) fn send_full_state(&self) {
        let observer = self.host.observer.as_ref();
        let is_observed = observer.is_some_and(|observer| observer.wants_full_state());
        let is_watched = self.is_watched();
        if !is_watched && !is_observed {
            return;
        }
        let state = match self.full_state() {
            Ok(state) => state,
            Err(error) => {
                tracing::error!(conversation = %self.id, %error, "the state cannot be told");
                return;
            }
        };
        if let Some(observer) = observer.filter(|_| is_observed) {
            observer.full_state(self.id, &state);
        }
        if is_watched {
            self.send(Live::FullState(state));
        }
    }

    /// The whole state as an event.
    pub(crate) fn full_state(&self) -> Result<FullState, ConversationError> {
        let text = Form::SOCKET.to_vec(&FullStateUpdate::new(&self.state.read()));
        text.map(|text| FullState(text.into()))
            .map_err(ConversationError::Unwritable)
    }
}
