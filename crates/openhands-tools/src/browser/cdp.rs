//! The connection to Chromium: commands and their answers, and events, as JSON over a pair of pipes.
//!
//! A pipe is ours alone. A debugging port would let every program on the machine, and pages that guess it, drive the
//! browser.

use super::error::BrowserError;
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::unix::pipe;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// Separates messages.
const END: u8 = 0;
/// How much is read at once.
const CHUNK: usize = 256 << 10;
/// How much room an empty buffer keeps.
const KEEP: usize = 4 << 20;
/// The longest message that is taken: more than any picture or page that is of use, less than a page could write.
const MAX_MESSAGE: usize = 128 << 20;

/// Something that Chromium tells by itself.
#[derive(Debug)]
pub(crate) struct Event<'a> {
    /// Which of the attached targets tells it; none: the browser.
    pub session: Option<&'a str>,
    pub method: &'a str,
    params: &'a str,
}

impl<'a> Event<'a> {
    /// What is told, as this type; nothing if it has another form.
    pub(crate) fn params<T: Deserialize<'a>>(&self) -> Option<T> {
        match serde_json::from_str(self.params) {
            Ok(params) => Some(params),
            Err(error) => {
                tracing::debug!(method = self.method, %error, "an event of the browser cannot be read");
                None
            }
        }
    }
}

/// What there is to hear on a connection.
#[derive(Debug)]
pub(crate) enum Told<'a> {
    /// Chromium tells something.
    Event(Event<'a>),
    /// It tells nothing any more: the connection is over.
    End,
}

/// Takes events, in order. It is called where messages are read, so it must not wait.
pub(crate) type OnEvent = Box<dyn FnMut(&Cdp, Told<'_>) + Send>;

/// One connection; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Cdp(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    next: AtomicU64,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Mutex<Waiting>,
}

type Answer = Result<Box<RawValue>, Refusal>;

#[derive(Debug, Default)]
struct Waiting {
    closed: bool,
    answers: HashMap<u64, oneshot::Sender<Answer>>,
}

#[derive(Debug, Deserialize)]
struct Refusal {
    message: String,
    #[serde(default)]
    data: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(default)]
    id: Option<u64>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow, rename = "sessionId")]
    session: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Refusal>,
}

/// Takes a call's place among those that wait off the list when its caller goes away.
struct Place<'a>(&'a Cdp, u64);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.0.waiting.lock().answers.remove(&self.1);
    }
}

impl Cdp {
    /// Speaks over these pipes until they close. The tasks are the owner's to hold.
    pub(crate) fn open(
        sender: pipe::Sender,
        receiver: pipe::Receiver,
        on_event: OnEvent,
    ) -> (Self, JoinSet<()>) {
        let (outgoing, queue) = mpsc::unbounded_channel();
        let cdp = Self(Arc::new(Shared {
            next: AtomicU64::new(1),
            outgoing,
            waiting: Mutex::default(),
        }));
        let mut tasks = JoinSet::new();
        tasks.spawn(write(sender, queue));
        let reader = Reader {
            cdp: cdp.clone(),
            on_event,
            longest: MAX_MESSAGE,
        };
        tasks.spawn(reader.read(receiver));
        (cdp, tasks)
    }

    /// Whether the connection is over.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.waiting.lock().closed
    }

    /// Asks for something and waits for the answer.
    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, BrowserError> {
        self.call_as(session, method, params, limit).await
    }

    /// Asks for something whose answer has this form.
    pub(crate) async fn call_as<T: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<T, BrowserError> {
        let (answer, coming) = oneshot::channel();
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        {
            let mut waiting = self.0.waiting.lock();
            if waiting.closed {
                return Err(BrowserError::Gone);
            }
            waiting.answers.insert(id, answer);
        }
        let _place = Place(self, id);
        self.post(id, session, method, &params);
        let answer = tokio::time::timeout(limit, coming)
            .await
            .map_err(|_| BrowserError::timeout(method, limit))?
            .map_err(|_| BrowserError::Gone)?;
        let refused = |message| BrowserError::Refused {
            method: method.to_owned(),
            message,
        };
        match answer {
            Ok(result) => {
                serde_json::from_str(result.get()).map_err(|error| refused(error.to_string()))
            }
            Err(Refusal { message, data }) => Err(refused(match data {
                Some(Value::String(data)) => format!("{message} ({data})"),
                _ => message,
            })),
        }
    }

    /// Asks for something whose answer nobody needs.
    pub(crate) fn tell(&self, session: Option<&str>, method: &str, params: &Value) {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        self.post(id, session, method, params);
    }

    fn post(&self, id: u64, session: Option<&str>, method: &str, params: &Value) {
        let message = match session {
            Some(session) => {
                json!({"id": id, "method": method, "params": params, "sessionId": session})
            }
            None => json!({"id": id, "method": method, "params": params}),
        };
        let mut bytes = message.to_string().into_bytes();
        bytes.push(END);
        // Closed: whoever waits is told by the reader.
        let _ = self.0.outgoing.send(bytes);
    }

    /// Fails calls that are to come.
    fn refuse_calls(&self) {
        self.0.waiting.lock().closed = true;
    }

    /// Fails all calls that wait, and those to come.
    fn close(&self) {
        self.refuse_calls();
        self.0.waiting.lock().answers.clear();
    }

    /// Fails the call that a message answers which is too long, or leaves out an event; false if it is neither.
    fn refuse(&self, begin: &[u8], longest: usize) -> bool {
        let Some(id) = answered(begin) else {
            let is_event = begin.starts_with(b"{\"method\":");
            tracing::warn!(is_event, "a message of the browser is too long");
            return is_event;
        };
        let refusal = Refusal {
            message: format!("the answer is longer than {} MB", longest >> 20),
            data: None,
        };
        if let Some(waiter) = self.0.waiting.lock().answers.remove(&id) {
            // The caller may have gone away.
            let _ = waiter.send(Err(refusal));
        }
        true
    }

    fn take(&self, message: &[u8], on_event: &mut OnEvent) {
        let message: Message<'_> = match serde_json::from_slice(message) {
            Ok(message) => message,
            Err(error) => {
                tracing::warn!(%error, "a message of the browser cannot be read");
                return;
            }
        };
        if let Some(id) = message.id {
            let waiter = self.0.waiting.lock().answers.remove(&id);
            let answer = match (message.error, message.result) {
                (Some(refusal), _) => Err(refusal),
                (None, Some(result)) => Ok(result.to_owned()),
                (None, None) => Ok(RawValue::NULL.to_owned()),
            };
            match (waiter, answer) {
                // The caller may have gone away.
                (Some(waiter), answer) => drop(waiter.send(answer)),
                (None, Err(refusal)) => {
                    tracing::debug!(
                        message = refusal.message,
                        "the browser refused what it was told"
                    );
                }
                (None, Ok(_)) => {}
            }
        } else if let Some(method) = message.method {
            let event = Event {
                session: message.session.as_deref(),
                method: &method,
                params: message.params.map_or("{}", RawValue::get),
            };
            on_event(self, Told::Event(event));
        }
    }
}

async fn write(mut sender: pipe::Sender, mut queue: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(message) = queue.recv().await {
        if sender.write_all(&message).await.is_err() {
            // The browser is gone; the reader notices it too.
            return;
        }
    }
}

/// Takes messages until the pipe closes or its task ends, and tells everybody who waits then.
struct Reader {
    cdp: Cdp,
    on_event: OnEvent,
    /// The most bytes of a message.
    longest: usize,
}

impl Drop for Reader {
    fn drop(&mut self) {
        // First, so that whoever is told of the end does not find the browser alive.
        self.cdp.refuse_calls();
        // Before calls fail, so that whoever starts another browser after a failed call is not told of this end.
        (self.on_event)(&self.cdp, Told::End);
        self.cdp.close();
    }
}

impl Reader {
    async fn read(mut self, mut receiver: pipe::Receiver) {
        let mut buffer: Vec<u8> = Vec::with_capacity(CHUNK);
        let mut searched = 0;
        // Whether the rest of a message that is too long comes.
        let mut skipping = false;
        loop {
            buffer.reserve(CHUNK);
            match receiver.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let mut taken = 0;
            while let Some(length) = buffer
                .get(searched..)
                .and_then(|rest| memchr::memchr(END, rest))
            {
                if !std::mem::take(&mut skipping)
                    && let Some(message) = buffer.get(taken..searched + length)
                {
                    self.cdp.take(message, &mut self.on_event);
                }
                searched += length + 1;
                taken = searched;
            }
            buffer.drain(..taken);
            if !skipping && buffer.len() > self.longest {
                if !self.cdp.refuse(&buffer, self.longest) {
                    return;
                }
                skipping = true;
            }
            if skipping {
                buffer.clear();
            }
            searched = buffer.len();
            if buffer.is_empty() && buffer.capacity() > KEEP {
                buffer = Vec::with_capacity(CHUNK);
            }
        }
    }
}

/// The number of the call that a message answers, read from its beginning: Chromium writes it first.
fn answered(begin: &[u8]) -> Option<u64> {
    let digits = begin.strip_prefix(b"{\"id\":")?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    std::str::from_utf8(digits.get(..end)?).ok()?.parse().ok()
}

#[cfg(test)]
#[path = "cdp_tests.rs"]
mod tests;
