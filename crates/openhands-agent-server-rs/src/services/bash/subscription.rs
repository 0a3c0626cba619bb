//! Those who follow events as they happen. Each has a queue of its own, so that nobody waits for anybody.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// How many may follow at once.
pub(crate) const MAX_SUBSCRIBERS: usize = 50;

/// What a subscriber may have unread. Past it, the subscriber is given up.
pub(crate) const MAX_UNREAD_BYTES: usize = 16 << 20;

/// Too many follow already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{MAX_SUBSCRIBERS} subscribers follow already")]
pub(crate) struct TooManySubscribers;

/// Why no more events come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubscriptionEnd {
    /// The subscriber read too slowly.
    TooSlow,
    /// The service is stopping.
    Closed,
}

#[derive(Default)]
struct Unread {
    frames: VecDeque<Bytes>,
    bytes: usize,
    end: Option<SubscriptionEnd>,
}

/// The queue between those who announce and one who reads.
#[derive(Default)]
struct Queue {
    unread: Mutex<Unread>,
    news: Notify,
}

impl Queue {
    /// False when the subscriber is to be forgotten.
    fn push(&self, frame: &Bytes) -> bool {
        let mut unread = self.unread.lock();
        unread.bytes += frame.len();
        unread.frames.push_back(frame.clone());
        let keeps_up = unread.bytes <= MAX_UNREAD_BYTES;
        if !keeps_up {
            unread.frames = VecDeque::new();
            unread.end = Some(SubscriptionEnd::TooSlow);
        }
        drop(unread);
        self.news.notify_one();
        keeps_up
    }

    fn end(&self, end: SubscriptionEnd) {
        self.unread.lock().end.get_or_insert(end);
        self.news.notify_one();
    }

    fn pop(&self) -> Option<Result<Bytes, SubscriptionEnd>> {
        let mut unread = self.unread.lock();
        match unread.frames.pop_front() {
            Some(frame) => {
                unread.bytes -= frame.len();
                Some(Ok(frame))
            }
            None => unread.end.map(Err),
        }
    }
}

/// All who follow one store.
#[derive(Default)]
pub(super) struct Subscribers {
    queues: Vec<Arc<Queue>>,
    closed: bool,
}

impl Subscribers {
    pub(super) fn add(&mut self, known: u64) -> Result<Subscription, TooManySubscribers> {
        // Who dropped the subscription holds its queue no more.
        self.queues.retain(|queue| Arc::strong_count(queue) > 1);
        if self.queues.len() >= MAX_SUBSCRIBERS {
            return Err(TooManySubscribers);
        }
        let queue = Arc::<Queue>::default();
        if self.closed {
            queue.end(SubscriptionEnd::Closed);
        }
        self.queues.push(Arc::clone(&queue));
        Ok(Subscription { queue, known })
    }

    /// Gives the frame to everybody, and forgets who is too slow.
    pub(super) fn announce(&mut self, frame: &Bytes) {
        self.queues
            .retain(|queue| Arc::strong_count(queue) > 1 && queue.push(frame));
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        for queue in &self.queues {
            queue.end(SubscriptionEnd::Closed);
        }
    }
}

/// One who follows. Dropping it ends it.
pub(crate) struct Subscription {
    queue: Arc<Queue>,
    /// Events with a number up to this were there before, and are not announced again.
    pub(super) known: u64,
}

impl Subscription {
    /// The next event as JSON, or why there is none any more.
    pub(crate) async fn next(&mut self) -> Result<Bytes, SubscriptionEnd> {
        loop {
            if let Some(next) = self.queue.pop() {
                return next;
            }
            // A notice that came since the look is kept for this wait: there is only one who waits.
            self.queue.news.notified().await;
        }
    }
}
