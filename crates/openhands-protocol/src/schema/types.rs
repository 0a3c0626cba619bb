//! Schemas of types that are not declared by `wire!`, `union!` or `words!`.

use indexmap::IndexMap;

use super::{Described, Schema};
use crate::ids::{
    AgentProfileId, BashEventId, ConversationId, EventId, ResponseId, StoredConversationId,
    ToolCallId,
};
use crate::json::{Json, JsonObject};
use crate::patch::Patch;
use crate::secret::{Secret, StarredSecret};
use crate::time::{EventTime, UtcTime};

/// Types with a schema that needs no others.
macro_rules! plain {
    ($($ty:ty = $schema:ident),* $(,)?) => {
        $(impl Described for $ty {
            fn schema() -> &'static Schema {
                &Schema::$schema
            }
        })*
    };
}

plain! {
    bool = Boolean,
    i64 = Integer,
    i32 = Integer,
    u64 = Integer,
    u32 = Integer,
    u16 = Integer,
    usize = Integer,
    f64 = Number,
    String = Text,
    Box<str> = Text,
    EventId = Text,
    ToolCallId = Text,
    ResponseId = Text,
    ConversationId = Uuid,
    StoredConversationId = Uuid,
    AgentProfileId = Uuid,
    BashEventId = Uuid,
    EventTime = Time,
    UtcTime = Time,
    Secret = Secret,
    Json = Any,
    serde_json::Value = Any,
}

/// Types with a schema that holds another.
macro_rules! around {
    ($(<$($param:ident),+> $ty:ty = $schema:ident($inner:ident)),* $(,)?) => {
        $(impl<$($param: Described),+> Described for $ty {
            fn schema() -> &'static Schema {
                const { &Schema::$schema($inner::schema) }
            }
        })*
    };
}

around! {
    <T> Option<T> = Nullable(T),
    <T> Patch<T> = Nullable(T),
    <T> Vec<T> = List(T),
    <K, V> IndexMap<K, V> = Map(V),
}

impl<T: Described> Described for Box<T> {
    fn schema() -> &'static Schema {
        T::schema()
    }
}

impl<T: Described> Described for std::sync::Arc<T> {
    fn schema() -> &'static Schema {
        T::schema()
    }
}

impl Described for JsonObject {
    fn schema() -> &'static Schema {
        &Schema::Map(Json::schema)
    }
}

/// The API description allows null for a value that is not shown.
impl Described for StarredSecret {
    fn schema() -> &'static Schema {
        &Schema::Secret
    }
}

impl<A: Described, B: Described> Described for (A, B) {
    fn schema() -> &'static Schema {
        const { &Schema::Tuple(&[A::schema, B::schema]) }
    }
}

impl<A: Described, B: Described, C: Described> Described for (A, B, C) {
    fn schema() -> &'static Schema {
        const { &Schema::Tuple(&[A::schema, B::schema, C::schema]) }
    }
}
