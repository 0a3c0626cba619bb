//! Webhooks: events and conversations are reported to other servers, without anyone waiting for them.
//!
//! ```text
//! event(), conversation() ──► Queue (one for each webhook and conversation, bounded) ──► courier task ──► POST
//! ```
//!
//! A courier exists only while something waits in its queue. A webhook that is slow or dead fills its own queues,
//! the oldest events are dropped at their limits, and nobody else notices.

mod post;
mod queue;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use openhands_protocol::conversation::ConversationInfo;
use openhands_protocol::server::WebhookSpec;
use openhands_protocol::{ConversationId, Event, Form};
use openhands_sdk_rs::conversation::FullState;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use post::Post;
use queue::{Limits, Queue};

/// How many couriers of one webhook may have a request under way.
const MAX_REQUESTS: usize = 32;

/// All webhooks of the server.
#[derive(Debug)]
pub(crate) struct Webhooks {
    hooks: Vec<Arc<Hook>>,
    couriers: TaskTracker,
    /// The server ends: what waits is sent now, once.
    hurry: CancellationToken,
    /// It has ended: what is still waiting is lost.
    cut: CancellationToken,
}

/// What is reported, and about which conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Channel {
    Events(ConversationId),
    Conversation(ConversationId),
}

/// One webhook.
#[derive(Debug)]
struct Hook {
    spec: WebhookSpec,
    post: Post,
    queues: Mutex<Queues>,
    requests: tokio::sync::Semaphore,
    dropped: AtomicU64,
}

/// What waits for all couriers of a webhook.
#[derive(Debug, Default)]
struct Queues {
    waiting: HashMap<Channel, Waiting>,
    /// The sum over all of them.
    bytes: usize,
}

/// What waits for one courier.
#[derive(Debug)]
struct Waiting {
    queue: Queue,
    /// Wakes the courier before its time.
    full: Arc<Notify>,
}

impl Webhooks {
    /// Webhooks that are ready to report. The key, if there is one, is shown to all of them.
    pub(crate) fn new(specs: &[WebhookSpec], session_key: Option<&str>) -> anyhow::Result<Self> {
        let hooks = specs
            .iter()
            .map(|spec| {
                Ok(Arc::new(Hook {
                    post: Post::new(spec, session_key)?,
                    spec: spec.clone(),
                    queues: Mutex::default(),
                    requests: tokio::sync::Semaphore::new(MAX_REQUESTS),
                    dropped: AtomicU64::new(0),
                }))
            })
            .collect::<anyhow::Result<_>>()?;
        Ok(Self {
            hooks,
            couriers: TaskTracker::new(),
            hurry: CancellationToken::new(),
            cut: CancellationToken::new(),
        })
    }

    /// Whether anything is reported at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Reports an event. Pieces of a stream are not to be given.
    pub(crate) fn event(&self, conversation: ConversationId, event: &Event) {
        if self.is_empty() {
            return;
        }
        match Form::WEBHOOK.to_vec(event) {
            Ok(json) => self.put(Channel::Events(conversation), &json.into()),
            Err(error) => tracing::error!(%error, "an event cannot be written for webhooks"),
        }
    }

    /// Reports the whole state of a conversation.
    pub(crate) fn full_state(&self, conversation: ConversationId, state: &FullState) {
        if self.is_empty() {
            return;
        }
        match state.event() {
            Ok(event) => self.event(conversation, &event),
            Err(error) => tracing::error!(%error, "a state cannot be written for webhooks"),
        }
    }

    /// Reports a conversation: it began, was paused, got another title, ends.
    pub(crate) fn conversation(&self, info: &ConversationInfo) {
        if self.is_empty() {
            return;
        }
        match Form::WEBHOOK.to_vec(info) {
            Ok(json) => self.put(Channel::Conversation(info.id), &json.into()),
            Err(error) => tracing::error!(%error, "a conversation cannot be written for webhooks"),
        }
    }

    /// Sends what waits for a conversation without further delay: it is closed.
    pub(crate) fn flush(&self, conversation: ConversationId) {
        for hook in &self.hooks {
            let queues = hook.queues.lock();
            if let Some(waiting) = queues.waiting.get(&Channel::Events(conversation)) {
                waiting.full.notify_one();
            }
        }
    }

    /// How many reports wait.
    pub(crate) fn waiting(&self) -> usize {
        let queues = |hook: &Arc<Hook>| -> usize {
            let queues = hook.queues.lock();
            let lengths = queues.waiting.values().map(|waiting| waiting.queue.len());
            lengths.sum()
        };
        self.hooks.iter().map(queues).sum()
    }

    /// How many reports were dropped because too many waited.
    pub(crate) fn dropped(&self) -> u64 {
        let dropped = |hook: &Arc<Hook>| hook.dropped.load(Ordering::Relaxed);
        self.hooks.iter().map(dropped).sum()
    }

    /// Sends what waits, each once, for as long as there is time; the rest is lost.
    pub(crate) async fn stop(&self, time: Duration) {
        self.hurry.cancel();
        self.couriers.close();
        if tokio::time::timeout(time, self.couriers.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                lost = self.waiting(),
                "webhooks did not answer before the end"
            );
        }
        self.cut.cancel();
    }

    fn put(&self, channel: Channel, json: &Bytes) {
        for hook in &self.hooks {
            if hook.put(channel, json.clone()) {
                self.send_courier(Arc::clone(hook), channel);
            }
        }
    }

    fn send_courier(&self, hook: Arc<Hook>, channel: Channel) {
        let (hurry, cut) = (self.hurry.clone(), self.cut.clone());
        self.couriers.spawn(async move {
            let courier = hook.carry(channel, &hurry);
            tokio::select! {
                () = courier => {}
                () = cut.cancelled() => {}
            }
        });
    }
}

impl Hook {
    fn limits(&self, channel: Channel) -> Limits {
        match channel {
            Channel::Events(_) => Limits::of_events(&self.spec),
            Channel::Conversation(_) => Limits::of_conversations(&self.spec),
        }
    }

    /// Puts a report into its queue. True if a courier is needed for it.
    fn put(&self, channel: Channel, json: Bytes) -> bool {
        let limits = self.limits(channel);
        let mut queues = self.queues.lock();
        let is_new = !queues.waiting.contains_key(&channel);
        if is_new {
            let waiting = Waiting {
                queue: Queue::new(limits),
                full: Arc::new(Notify::new()),
            };
            queues.waiting.insert(channel, waiting);
        }
        let mut dropped = queues.change(channel, |queue| queue.put(json)).unwrap_or(0);
        dropped += queues.shrink_to(limits.queue_bytes);
        if let Some(waiting) = queues.waiting.get(&channel)
            && waiting.queue.is_full()
        {
            waiting.full.notify_one();
        }
        drop(queues);
        if dropped > 0 {
            let before = self.dropped.fetch_add(dropped, Ordering::Relaxed);
            if before == 0 || (before + dropped) / 100 > before / 100 {
                tracing::warn!(
                    dropped = before + dropped,
                    "a webhook takes too long: the oldest of its events are dropped"
                );
            }
        }
        is_new
    }

    /// Carries reports until none is left.
    async fn carry(&self, channel: Channel, hurry: &CancellationToken) {
        let url = self.post.url(channel);
        let mut due = self.due(channel);
        loop {
            if !self.wait(channel, due, hurry).await {
                return;
            }
            // All that waits now goes out; what comes meanwhile only when it fills a batch again.
            let mut count = self.count(channel);
            while count > 0 {
                let Some(batch) = self.take(channel, count) else {
                    break;
                };
                let body = match channel {
                    Channel::Events(_) => queue::array(&batch),
                    Channel::Conversation(_) => batch.first().cloned().unwrap_or_default(),
                };
                let sent = {
                    let Ok(_permit) = self.requests.acquire().await else {
                        return;
                    };
                    self.post.send(&url, body, hurry).await
                };
                count -= batch.len().min(count);
                match channel {
                    Channel::Events(_) if !sent => {
                        self.put_back(channel, batch);
                        break;
                    }
                    // The next report about the conversation says more than this one.
                    Channel::Events(_) | Channel::Conversation(_) => {}
                }
                if count == 0 && self.is_full(channel) {
                    count = self.count(channel);
                }
            }
            if hurry.is_cancelled() || self.leave_if_empty(channel) {
                return;
            }
            due = self.due(channel);
        }
    }

    /// When a batch that is not full goes out.
    fn due(&self, channel: Channel) -> Instant {
        let delay = match channel {
            Channel::Conversation(_) => Duration::ZERO,
            Channel::Events(_) => {
                Duration::try_from_secs_f64(self.spec.flush_delay).unwrap_or(Duration::MAX)
            }
        };
        let now = Instant::now();
        // A delay beyond what a clock can count is a year.
        now.checked_add(delay)
            .unwrap_or(now + Duration::from_hours(365 * 24))
    }

    /// Waits for the time of a batch, for a full one, or for the end. False if there is nothing to wait for.
    async fn wait(&self, channel: Channel, due: Instant, hurry: &CancellationToken) -> bool {
        let full = match self.queues.lock().waiting.get(&channel) {
            Some(waiting) => Arc::clone(&waiting.full),
            None => return false,
        };
        tokio::select! {
            () = tokio::time::sleep_until(due) => {}
            () = full.notified() => {}
            () = hurry.cancelled() => {}
        }
        true
    }

    fn with_queue<R>(&self, channel: Channel, act: impl FnOnce(&mut Queue) -> R) -> Option<R> {
        self.queues.lock().change(channel, act)
    }

    fn count(&self, channel: Channel) -> usize {
        self.with_queue(channel, |queue| queue.len()).unwrap_or(0)
    }

    fn is_full(&self, channel: Channel) -> bool {
        self.with_queue(channel, |queue| queue.is_full())
            .unwrap_or(false)
    }

    fn take(&self, channel: Channel, most: usize) -> Option<Vec<Bytes>> {
        self.with_queue(channel, |queue| queue.take(most))
            .filter(|batch| !batch.is_empty())
    }

    fn put_back(&self, channel: Channel, batch: Vec<Bytes>) {
        let limit = self.limits(channel).queue_bytes;
        let mut queues = self.queues.lock();
        let mut dropped = queues
            .change(channel, |queue| queue.put_back(batch))
            .unwrap_or(0);
        dropped += queues.shrink_to(limit);
        self.dropped.fetch_add(dropped, Ordering::Relaxed);
    }

    /// Removes an empty queue: its courier ends, and the next report gets another one.
    fn leave_if_empty(&self, channel: Channel) -> bool {
        let mut queues = self.queues.lock();
        let is_empty = queues
            .waiting
            .get(&channel)
            .is_none_or(|waiting| waiting.queue.len() == 0);
        if is_empty {
            queues.waiting.remove(&channel);
        }
        is_empty
    }
}

impl Queues {
    /// Changes one queue and keeps the sum.
    fn change<R>(&mut self, channel: Channel, act: impl FnOnce(&mut Queue) -> R) -> Option<R> {
        let queue = &mut self.waiting.get_mut(&channel)?.queue;
        let before = queue.bytes();
        let result = act(queue);
        self.bytes = self.bytes + queue.bytes() - before;
        Some(result)
    }

    /// Drops the oldest reports of the largest queues until all together are small enough; says how many.
    fn shrink_to(&mut self, bytes: usize) -> u64 {
        let mut dropped = 0;
        while self.bytes > bytes {
            let largest = self
                .waiting
                .values_mut()
                .max_by_key(|waiting| waiting.queue.bytes());
            let Some(freed) = largest.and_then(|waiting| waiting.queue.drop_oldest()) else {
                break;
            };
            self.bytes -= freed;
            dropped += 1;
        }
        dropped
    }
}

#[cfg(test)]
#[path = "webhooks_tests.rs"]
mod tests;
