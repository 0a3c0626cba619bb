//! A value that may also be given as a plain text.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::schema::{Branch, Described, Schema};

/// A plain text, or the structured form.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TextOr<T> {
    /// A plain text.
    Text(String),
    /// The structured form.
    Value(T),
}

impl<T: Described> Described for TextOr<T> {
    fn schema() -> &'static Schema {
        const {
            &Schema::OneOf(&[
                Branch {
                    label: "str",
                    schema: String::schema,
                },
                Branch {
                    label: "other",
                    schema: T::schema,
                },
            ])
        }
    }
}

impl<'de, T: serde::de::DeserializeOwned> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self::Text(text)),
            other @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_)) => crate::tree::from_value(other)
                .map(Self::Value)
                .map_err(D::Error::custom),
        }
    }
}
