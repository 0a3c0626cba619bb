//! Somebody who watches a conversation over a socket.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::compare::Comparison;
use crate::recording::{event_of, is_full_state, is_stats, join_deltas, name_of};
use crate::socket::{Heard, Socket};
use crate::stage::Stage;

/// How long frames may come late that have no place in the order.
const LATE: Duration = Duration::from_secs(8);

#[derive(Debug)]
pub(crate) struct Watch {
    /// By its recorded id.
    pub(crate) conversation: String,
    pub(crate) socket: Socket,
    /// The order was lost: what follows says nothing.
    pub(crate) is_lost: bool,
    pub(crate) seen: Vec<String>,
    pub(crate) recorded_stats: Vec<Value>,
    stats: Vec<Value>,
    kept: Option<Value>,
    seq: Option<i64>,
}

impl Watch {
    pub(crate) async fn open(stage: &Stage, conversation: &str, path: &str) -> Self {
        let key = stage
            .part
            .env
            .iter()
            .find(|(name, _)| *name == "SESSION_API_KEY");
        let headers: Vec<(&str, &str)> = key
            .map(|(_, key)| ("X-Session-API-Key", *key))
            .into_iter()
            .collect();
        let socket = Socket::open(&stage.server.authority, path, &headers).await;
        Self {
            conversation: conversation.to_owned(),
            socket: socket.unwrap_or_else(|status| panic!("{path}: {status}")),
            is_lost: false,
            seen: Vec::new(),
            recorded_stats: Vec::new(),
            stats: Vec::new(),
            kept: None,
            seq: None,
        }
    }

    /// The next frame that has a place in the order.
    async fn next(&mut self) -> Option<Value> {
        if let Some(kept) = self.kept.take() {
            return Some(kept);
        }
        loop {
            match self.socket.next().await? {
                Heard::Frame(frame) if is_stats(&frame) => self.stats.push(frame),
                Heard::Frame(frame) => return Some(frame),
                Heard::Closed(code, reason) => {
                    return Some(json!({"type": "closed", "code": code, "reason": reason}));
                }
            }
        }
    }

    /// The next frame, where this one was recorded.
    pub(crate) async fn next_like(&mut self, recorded: &Value) -> Option<Value> {
        let mut ours = self.next().await?;
        // The state after a run that ended just before may still come to somebody who begins to watch.
        let is_fresh = self.seen.iter().all(|name| name.starts_with("F("));
        while is_fresh && is_full_state(&ours) && !is_full_state(recorded) {
            ours = self.next().await?;
        }
        let wanted = text_length(recorded);
        while text_length(&ours) < wanted {
            let more = self.next().await?;
            if let Some(joined) = join_deltas(&ours, &more) {
                ours = joined;
            } else {
                self.kept = Some(more);
                break;
            }
        }
        self.seen.push(name_of(&ours));
        Some(ours)
    }

    /// The next envelope, whose number follows the last one.
    pub(crate) async fn next_envelope(
        &mut self,
        comparison: &mut Comparison,
        at: &str,
    ) -> Option<Value> {
        loop {
            let frame = self.next().await?;
            if let Some(seq) = frame["seq"].as_i64() {
                if self.seq.is_some_and(|last| last + 1 != seq) {
                    comparison
                        .differs(&format!("{at}.seq"), &format!("{seq} after {:?}", self.seq));
                }
                self.seq = Some(seq);
            }
            let event = event_of(&frame);
            if is_stats(event) {
                self.stats.push(event.clone());
                continue;
            }
            self.seen.push(name_of(event));
            return Some(frame);
        }
    }

    /// Compares what is left: nothing but what was used, as often as recorded.
    pub(crate) async fn compare_rest(&mut self, comparison: &mut Comparison) {
        if self.is_lost {
            return;
        }
        let began = Instant::now();
        while self.stats.len() < self.recorded_stats.len() && began.elapsed() < LATE {
            match self.socket.next_within(Duration::from_millis(100)).await {
                Some(Heard::Frame(frame)) if is_stats(event_of(&frame)) => {
                    self.stats.push(event_of(&frame).clone());
                }
                Some(Heard::Frame(frame)) => self.unexpected(comparison, &frame),
                Some(Heard::Closed(..)) => break,
                None => {}
            }
        }
        for heard in self.socket.rest() {
            match heard {
                Heard::Frame(frame) if is_stats(event_of(&frame)) => {
                    self.stats.push(event_of(&frame).clone());
                }
                // The whole state comes when a run has ended, which may be after a socket was opened.
                Heard::Frame(frame)
                    if self.seen.contains(&name_of(event_of(&frame)))
                        && event_of(&frame)["key"] == "full_state" => {}
                Heard::Frame(frame) => self.unexpected(comparison, &frame),
                Heard::Closed(..) => {}
            }
        }
        comparison.value(
            "S(stats).count",
            &json!(self.recorded_stats.len()),
            &json!(self.stats.len()),
        );
        if let (Some(recorded), Some(ours)) = (self.recorded_stats.last(), self.stats.last()) {
            comparison.value("S(stats).value", &recorded["value"], &ours["value"]);
        }
    }

    fn unexpected(&self, comparison: &mut Comparison, frame: &Value) {
        let name = name_of(event_of(frame));
        let what = format!("came, but was not recorded, after {:?}", self.seen);
        comparison.differs(&format!("end {name}"), &what);
    }
}

/// How long the text of a piece is.
fn text_length(frame: &Value) -> usize {
    if frame["kind"] != "StreamingDeltaEvent" {
        return 0;
    }
    ["content", "reasoning_content"]
        .iter()
        .filter_map(|member| frame[*member].as_str())
        .map(str::len)
        .sum()
}
