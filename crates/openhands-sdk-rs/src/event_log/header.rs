//! What the index needs to know of an event, read out of its JSON text without decoding the rest.

use std::fmt;

use openhands_protocol::event::Source;
use openhands_protocol::{Event, EventId, EventTime};
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use crate::event_log::index::Kind;

/// The members of an event that the index keeps. Its id is known from the name of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Header {
    pub(crate) parent: Option<EventId>,
    pub(crate) kind: Kind,
    pub(crate) source: Option<Source>,
    pub(crate) time: Option<EventTime>,
}

impl Header {
    /// The header of an event in memory.
    pub(crate) fn of(event: &Event) -> Self {
        Self {
            parent: event.parent_id(),
            kind: Kind::new(event.kind()),
            source: event.source(),
            time: event.timestamp(),
        }
    }

    /// The header of an event in text. Fails unless the whole text is one JSON object.
    pub(crate) fn peek(json: &[u8]) -> Result<Self, String> {
        // Skipped members are not checked for encoding by the parser.
        std::str::from_utf8(json).map_err(|error| error.to_string())?;
        let mut deserializer = serde_json::Deserializer::from_slice(json);
        let header = deserializer
            .deserialize_map(HeaderVisitor)
            .map_err(|error| error.to_string())?;
        deserializer.end().map_err(|error| error.to_string())?;
        Ok(header)
    }
}

struct HeaderVisitor;

impl<'de> Visitor<'de> for HeaderVisitor {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let mut header = Header::default();
        while let Some(name) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            match &*name {
                "parent_id" => header.parent = text(&mut map)?.map(EventId::from),
                "kind" => header.kind = Kind::new(&text(&mut map)?.unwrap_or_default()),
                "source" => header.source = text(&mut map)?.and_then(|text| text.parse().ok()),
                "timestamp" => header.time = text(&mut map)?.and_then(|text| text.parse().ok()),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(header)
    }
}

/// The next value if it is a string; any other value says nothing.
fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<String>, A::Error> {
    Ok(match map.next_value::<Value>()? {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    })
}

#[cfg(test)]
#[path = "header_tests.rs"]
mod tests;
