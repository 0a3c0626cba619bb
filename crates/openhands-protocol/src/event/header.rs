//! What every event starts with.

use serde::de::{Error, MapAccess};
use serde::ser::SerializeMap;
use serde_json::Value;

use crate::ids::EventId;
use crate::schema::{Described, Field, SchemaOf};
use crate::text::words;
use crate::time::EventTime;

words! {
    /// Who caused an event.
    pub enum Source {
        Agent = "agent",
        User = "user",
        Environment = "environment",
        Hook = "hook",
    }
}

/// The members of [`EventHeader`], as a schema.
pub(crate) static HEADER_FIELDS: &[Field] = &[
    field("id", EventId::schema, Some(|| Value::Null)),
    field("timestamp", EventTime::schema, Some(|| Value::Null)),
    field("source", Source::schema, None),
    field("parent_id", <Option<EventId>>::schema, Some(|| Value::Null)),
];

const fn field(name: &'static str, schema: SchemaOf, default: Option<fn() -> Value>) -> Field {
    Field {
        name,
        alias: None,
        docs: &[],
        schema,
        default,
        rules: None,
    }
}

/// Id, time, source and parent of an event. Part of the event's own object on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventHeader {
    /// Unique in the log.
    pub id: EventId,
    /// Local time of the server.
    pub timestamp: EventTime,
    /// Who caused it.
    pub source: Source,
    /// The event before it on its branch; none for the first one and for what is never stored.
    pub parent_id: Option<EventId>,
}

impl EventHeader {
    /// A header with a fresh id and the present time.
    pub fn now(source: Source) -> Self {
        Self {
            id: EventId::random(),
            timestamp: EventTime::now(),
            source,
            parent_id: None,
        }
    }

    pub(crate) fn write_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("timestamp", &self.timestamp)?;
        map.serialize_entry("source", &self.source)?;
        map.serialize_entry("parent_id", &self.parent_id)
    }
}

/// The header members found so far while an event is read.
#[derive(Default)]
pub(crate) struct HeaderParts {
    id: Option<EventId>,
    timestamp: Option<EventTime>,
    source: Option<Source>,
    parent_id: Option<EventId>,
}

impl HeaderParts {
    pub(crate) fn read_member<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match name {
            "id" => self.id = Some(map.next_value()?),
            "timestamp" => self.timestamp = Some(map.next_value()?),
            "source" => self.source = Some(map.next_value()?),
            _ => self.parent_id = map.next_value()?,
        }
        Ok(())
    }

    /// The whole header. Id and time are made up when they are missing, as the reference does.
    pub(crate) fn finish<E: Error>(self, default: Option<Source>) -> Result<EventHeader, E> {
        let source = self.source.or(default);
        Ok(EventHeader {
            id: self.id.unwrap_or_else(EventId::random),
            timestamp: self.timestamp.unwrap_or_else(EventTime::now),
            source: source.ok_or_else(|| E::missing_field("source"))?,
            parent_id: self.parent_id,
        })
    }
}
