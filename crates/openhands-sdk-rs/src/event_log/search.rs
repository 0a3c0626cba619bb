//! Searching: filters, pages and counts. The index answers what it can; bodies are read for text and results.

use std::cmp::Ordering;
use std::sync::Arc;

use openhands_protocol::event::{MessageEvent, Source};
use openhands_protocol::message::Content;
use openhands_protocol::{Event, EventId, EventTime, Tagged};

use crate::event_log::index::Entry;
use crate::event_log::log::Inner;
use crate::event_log::{EventLog, LogError, StoredEvent};

/// Which events are wanted. Nothing set wants all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Of this kind: the name of the class, alone or with its module before it.
    pub kind: Option<String>,
    /// Caused by this source.
    pub source: Option<Source>,
    /// Messages that contain this text, whatever its case.
    pub body: Option<String>,
    /// Not earlier than this.
    pub since: Option<EventTime>,
    /// Earlier than this.
    pub before: Option<EventTime>,
}

/// In which order events are given out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// As they happened.
    #[default]
    OldestFirst,
    /// The last one first.
    NewestFirst,
}

/// Which page is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The event that the page starts with; an unknown one means the first page.
    pub page_id: Option<EventId>,
    /// How many events at most.
    pub limit: usize,
    /// In which order.
    pub order: Order,
}

/// A page of events.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The events.
    pub items: Vec<Arc<StoredEvent>>,
    /// The event that the next page starts with.
    pub next_page_id: Option<EventId>,
}

impl Page {
    /// The page as the API sends it, put together from the bytes of the events.
    pub fn to_json(&self) -> Vec<u8> {
        let bodies: usize = self.items.iter().map(|event| event.json().len() + 1).sum();
        let mut out = Vec::with_capacity(bodies + 96);
        out.extend_from_slice(br#"{"items":["#);
        for (at, event) in self.items.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            out.extend_from_slice(event.json());
        }
        out.extend_from_slice(br#"],"next_page_id":"#);
        let next = serde_json::to_vec(&self.next_page_id).unwrap_or_else(|_| b"null".to_vec());
        out.extend_from_slice(&next);
        out.push(b'}');
        out
    }
}

impl EventLog {
    /// A page of the events that pass the filter, in the order of the log.
    pub async fn search(&self, filter: &EventFilter, page: &PageRequest) -> Result<Page, LogError> {
        let (filter, page) = (Wanted::new(filter), page.clone());
        self.blocking(move |inner| Ok(inner.search(&filter, &page)))
            .await
    }

    /// How many events pass the filter. Without one this is the length of the log.
    pub async fn count(&self, filter: &EventFilter) -> Result<u64, LogError> {
        if *filter == EventFilter::default() {
            return Ok(self.len());
        }
        let filter = Wanted::new(filter);
        if filter.body.is_none() {
            let index = self.inner.index.read();
            let passing = index.entries().iter().filter(|entry| filter.passes(entry));
            return Ok(passing.count() as u64);
        }
        self.blocking(move |inner| {
            let positions = 0..inner.index.read().len();
            let matches = positions.filter(|index| inner.passes(&filter, *index));
            Ok(matches.count() as u64)
        })
        .await
    }
}

impl Inner {
    fn search(&self, filter: &Wanted, page: &PageRequest) -> Page {
        let (len, start) = {
            let index = self.index.read();
            let start = page.page_id.as_ref().and_then(|id| index.find(id));
            (index.len(), start)
        };
        let positions: Box<dyn Iterator<Item = u64>> = match page.order {
            Order::OldestFirst => Box::new(start.unwrap_or(0)..len),
            Order::NewestFirst => Box::new((0..start.map_or(len, |start| start + 1)).rev()),
        };
        let mut found = Page::default();
        for index in positions {
            if !self.passes(filter, index) {
                continue;
            }
            if found.items.len() >= page.limit {
                found.next_page_id = self.index.read().get(index).map(|entry| entry.id.clone());
                break;
            }
            found.items.extend(self.load(index));
        }
        found
    }

    /// Whether the event passes, by the index and, for text, by its body.
    fn passes(&self, filter: &Wanted, index: u64) -> bool {
        let by_index = self
            .index
            .read()
            .get(index)
            .is_some_and(|entry| filter.passes(entry));
        by_index
            && filter.body.as_ref().is_none_or(|text| {
                self.load(index)
                    .is_some_and(|event| says(event.event(), text))
            })
    }
}

/// A filter in the form in which it is applied.
struct Wanted {
    kind: Option<String>,
    source: Option<Source>,
    body: Option<String>,
    since: Option<EventTime>,
    before: Option<EventTime>,
}

impl Wanted {
    fn new(filter: &EventFilter) -> Self {
        // A bound is compared by its plain local spelling, in whatever way it was given.
        let plain = |time: &Option<EventTime>| {
            time.as_ref()
                .map(|time| EventTime::from_civil(time.civil()))
        };
        Self {
            kind: filter
                .kind
                .as_deref()
                .map(|kind| kind.rsplit('.').next().unwrap_or(kind).to_owned()),
            source: filter.source,
            body: filter.body.as_ref().map(|text| text.to_lowercase()),
            since: plain(&filter.since),
            before: plain(&filter.before),
        }
    }

    fn passes(&self, entry: &Entry) -> bool {
        let kind = entry.kind.as_str();
        entry.readable
            && self.kind.as_ref().is_none_or(|wanted| wanted == kind)
            && self
                .source
                .is_none_or(|wanted| entry.source == Some(wanted))
            && (self.body.is_none() || kind == MessageEvent::VALUE)
            && self.since.as_ref().is_none_or(|bound| {
                let order = entry
                    .time
                    .as_ref()
                    .map(|time| compare_spelling(time, bound));
                order.is_some_and(Ordering::is_ge)
            })
            && self.before.as_ref().is_none_or(|bound| {
                let order = entry
                    .time
                    .as_ref()
                    .map(|time| compare_spelling(time, bound));
                order.is_some_and(Ordering::is_lt)
            })
    }
}

/// compat: the reference compares the texts of times. For two plain spellings that is the order in time.
fn compare_spelling(time: &EventTime, plain: &EventTime) -> Ordering {
    if *time == EventTime::from_civil(time.civil()) {
        time.civil().cmp(&plain.civil())
    } else {
        time.to_string().cmp(&plain.to_string())
    }
}

/// Whether a message contains a text that is given in lower case.
fn says(event: &Event, text: &str) -> bool {
    let Event::Message(message) = event else {
        return false;
    };
    let mut parts: Vec<String> = Vec::new();
    for part in &message.llm_message.content {
        match part {
            Content::Text(part) => parts.push(part.text.clone()),
            // compat: the reference searches this stand-in of an image too.
            Content::Image(part) => parts.push(format!("[Image: {} URLs]", part.image_urls.len())),
            Content::Unknown(_) => {}
        }
    }
    parts.extend(
        message
            .extended_content
            .iter()
            .map(|part| part.text.clone()),
    );
    parts.extend(
        message
            .llm_message
            .reasoning_content
            .clone()
            .filter(|text| !text.is_empty()),
    );
    parts.join(" ").to_lowercase().contains(text)
}
