//! Free-form JSON: payloads whose members belong to someone else and are passed on verbatim.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Name of the newtype that tells the writer to leave nulls inside alone.
pub(crate) const VERBATIM: &str = "$openhands::verbatim";

/// Wraps a borrowed value so that the writer passes it on verbatim.
pub(crate) struct Verbatim<'a, T>(pub(crate) &'a T);

impl<T: Serialize> Serialize for Verbatim<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(VERBATIM, self.0)
    }
}

/// Any JSON value, written back exactly as it was read (inner nulls included).
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Json(pub Value);

impl Json {
    /// The JSON null.
    pub const NULL: Self = Self(Value::Null);

    /// The value inside.
    pub fn into_inner(self) -> Value {
        self.0
    }
}

impl Deref for Json {
    type Target = Value;
    fn deref(&self) -> &Value {
        &self.0
    }
}

impl DerefMut for Json {
    fn deref_mut(&mut self) -> &mut Value {
        &mut self.0
    }
}

impl<T: Into<Value>> From<T> for Json {
    fn from(value: T) -> Self {
        Self(value.into())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Verbatim(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self)
    }
}

/// A JSON object with free-form members, written back exactly as it was read.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct JsonObject(pub Map<String, Value>);

impl JsonObject {
    /// An object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// The map inside.
    pub fn into_inner(self) -> Map<String, Value> {
        self.0
    }
}

impl Deref for JsonObject {
    type Target = Map<String, Value>;
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for JsonObject {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl From<Map<String, Value>> for JsonObject {
    fn from(map: Map<String, Value>) -> Self {
        Self(map)
    }
}

impl FromIterator<(String, Value)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl fmt::Debug for JsonObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for JsonObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Verbatim(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Map::deserialize(deserializer).map(Self)
    }
}

/// Members that a type does not know: kept in order and written back.
///
/// One pointer wide, and without an allocation while it is empty, because nearly every value has none.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Extra(Option<Box<Map<String, Value>>>);

impl Extra {
    /// No unknown members.
    pub const EMPTY: Self = Self(None);

    /// Whether there are no unknown members.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|map| map.is_empty())
    }

    /// How many unknown members there are.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |map| map.len())
    }

    /// The value of an unknown member.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.as_ref()?.get(key)
    }

    /// Adds or replaces a member.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.0
            .get_or_insert_default()
            .insert(key.into(), value.into())
    }

    /// Takes a member out, keeping the order of the others.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.as_mut()?.shift_remove(key)
    }

    /// The unknown members in the order in which they were read.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.iter().flat_map(|map| map.iter())
    }

    /// Names of the unknown members.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(key, _)| key.as_str())
    }

    /// Writes the members into an object that is being written.
    pub(crate) fn write_members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (key, value) in self.iter() {
            map.serialize_entry(key, &Verbatim(value))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl FromIterator<(String, Value)> for Extra {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let map: Map<String, Value> = members.into_iter().collect();
        Self((!map.is_empty()).then(|| Box::new(map)))
    }
}

impl Serialize for Extra {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        self.write_members(&mut map)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Extra {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Extra;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Extra, A::Error> {
                let mut extra = Extra::EMPTY;
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    extra.insert(key, value);
                }
                Ok(extra)
            }
        }
        deserializer.deserialize_map(Members)
    }
}
