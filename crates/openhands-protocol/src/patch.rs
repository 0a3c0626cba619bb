//! Members of partial updates, where absent and null differ.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::Json;

/// A member of a partial update.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Not mentioned: stays as it is.
    #[default]
    Absent,
    /// An explicit null: mostly clears the member.
    Null,
    /// The new value.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether it is not mentioned.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The new value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// What the member becomes: `None` when it is not mentioned, `Some(None)` when it is cleared.
    pub fn into_change(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }
}

impl<T> From<Option<T>> for Patch<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    // An explicit null means something, so it is written in every form.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Absent | Self::Null => Json::NULL.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}
