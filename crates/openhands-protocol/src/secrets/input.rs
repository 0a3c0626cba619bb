//! A secret as a client may give it: a bare string, or a source.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::secret::Secret;
use crate::secrets::SecretSource;
use crate::tree;

/// A bare value, or where the value comes from.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // few of them exist at a time
pub enum SecretInput {
    /// The value itself.
    Plain(Secret),
    /// Where the value comes from. `kind` may be missing.
    Source(SecretSource),
}

impl Serialize for SecretInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(secret) => secret.serialize(serializer),
            Self::Source(source) => source.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SecretInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value.is_string() {
            tree::from_value(value).map(Self::Plain)
        } else {
            tree::from_value(value).map(Self::Source)
        }
        .map_err(D::Error::custom)
    }
}
