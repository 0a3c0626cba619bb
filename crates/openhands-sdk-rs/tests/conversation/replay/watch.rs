//! What somebody who watches a conversation sees, as frames of a socket.

use std::time::Duration;

use futures_util::FutureExt as _;
use openhands_sdk_rs::conversation::{Conversation, DeltaKind, Live, Subscription, Update};
use serde_json::{Value, json};
use tokio::task::unconstrained;

use super::recording::{is_stats, join_deltas};

/// How long a frame is waited for: long enough for a machine that has other things to do.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// Somebody who watches.
pub(crate) struct Watcher {
    pub(crate) conversation: Conversation,
    subscription: Subscription,
    ahead: Option<Value>,
    /// What was used, in the order in which it was told.
    pub(crate) stats: Vec<Value>,
}

impl Watcher {
    /// Watches what comes from now on.
    pub(crate) fn new(conversation: &Conversation) -> Self {
        Self {
            subscription: conversation.subscribe(conversation.events().len()),
            conversation: conversation.clone(),
            ahead: None,
            stats: Vec::new(),
        }
    }

    /// The next frame that has a fixed place; none if it does not come in time.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let mut frame = self.next_single().await?;
        while frame["kind"] == "StreamingDeltaEvent" {
            let after = self.next_single().await?;
            if let Some(joined) = join_deltas(&frame, &after) {
                frame = joined;
            } else {
                self.ahead = Some(after);
                break;
            }
        }
        Some(frame)
    }

    async fn next_single(&mut self) -> Option<Value> {
        if let Some(frame) = self.ahead.take() {
            return Some(frame);
        }
        loop {
            let update = tokio::time::timeout(DEADLINE, self.subscription.next())
                .await
                .ok()?
                .unwrap()?;
            if let Some(frame) = self.take(update) {
                return Some(frame);
            }
        }
    }

    /// Frames that are there and that nobody has asked for.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut rest: Vec<Value> = self.ahead.take().into_iter().collect();
        while let Some(Ok(Some(update))) = unconstrained(self.subscription.next()).now_or_never() {
            rest.extend(self.take(update));
        }
        rest
    }

    fn take(&mut self, update: Update) -> Option<Value> {
        let frame = frame(update)?;
        if is_stats(&frame) {
            self.stats.push(frame);
            return None;
        }
        Some(frame)
    }
}

fn frame(update: Update) -> Option<Value> {
    Some(match update {
        Update::Event(stored) => serde_json::from_slice(stored.json()).unwrap(),
        Update::Live(Live::FullState(state)) => serde_json::from_slice(state.json()).unwrap(),
        // The socket of the reference shows the begin of an answer as an empty piece of it.
        Update::Live(Live::Started { .. }) => delta("content", ""),
        Update::Live(Live::Delta { kind, content, .. }) => match kind {
            DeltaKind::Text => delta("content", &content),
            DeltaKind::Reasoning => delta("reasoning_content", &content),
        },
        // The reference shows neither.
        Update::Live(Live::Aborted { .. } | Live::Output { .. }) => return None,
    })
}

fn delta(member: &str, content: &str) -> Value {
    json!({"kind": "StreamingDeltaEvent", member: content})
}
