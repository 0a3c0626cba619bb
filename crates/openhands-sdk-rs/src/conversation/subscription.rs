//! Watching a conversation: its events in order, and between them what is never stored.

use std::sync::Arc;

use tokio::sync::broadcast::{self, error::TryRecvError};

use crate::conversation::live::{Live, Sent};
use crate::conversation::{Conversation, ConversationError};
use crate::event_log::{Cursor, StoredEvent};

/// What a watcher sees.
#[derive(Debug, Clone)]
pub enum Update {
    /// An event of the log.
    Event(Arc<StoredEvent>),
    /// Something that is not stored.
    Live(Live),
}

/// A watcher. It never slows the conversation: one that falls behind reads events later, and gets the whole state in
/// place of live updates that it missed.
#[derive(Debug)]
pub struct Subscription {
    conversation: Conversation,
    cursor: Cursor,
    live: broadcast::Receiver<Sent>,
    /// The count of what was sent beside the log, as of the last time that all of it was taken.
    seen: u64,
    held: Option<Sent>,
}

impl Subscription {
    pub(crate) fn new(conversation: Conversation, from: u64) -> Self {
        Self {
            live: conversation.inner.watch_live(),
            cursor: conversation.inner.log.cursor(from),
            conversation,
            seen: 0,
            held: None,
        }
    }

    /// Whether the next update is there without a wait.
    pub fn is_ready(&self) -> bool {
        self.held.is_none() && self.cursor.is_ready()
    }

    /// The next update; none when the conversation is closed. May be dropped while it waits: nothing is lost.
    pub async fn next(&mut self) -> Result<Option<Update>, ConversationError> {
        loop {
            if let Some(sent) = &self.held {
                if self.cursor.position() >= sent.after || self.cursor.is_at_end() {
                    return Ok(self.held.take().map(|sent| Update::Live(sent.live)));
                }
                return Ok(self.cursor.next().await?.map(Update::Event));
            }
            let now = self.cursor.look();
            // What was sent before an event was stored comes before it.
            if now.beside != self.seen {
                match self.live.try_recv() {
                    Ok(sent) => self.held = Some(sent),
                    Err(TryRecvError::Lagged(_)) => {
                        // What is left of it is as old as what was missed.
                        self.live = self.live.resubscribe();
                        let inner = &self.conversation.inner;
                        self.held = Some(Sent {
                            after: inner.log.len(),
                            live: Live::FullState(inner.full_state()?),
                        });
                    }
                    Err(TryRecvError::Empty | TryRecvError::Closed) => self.seen = now.beside,
                }
            } else if self.cursor.has_more(now) {
                return Ok(self.cursor.next().await?.map(Update::Event));
            } else if !self.cursor.changed().await {
                return Ok(None);
            }
        }
    }
}
