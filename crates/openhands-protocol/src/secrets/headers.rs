//! Request headers, of which some are secrets by their name.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::schema::{Described, Schema};
use crate::secret::Secret;

/// Words that make a name a secret's, in any case and at any place.
pub const SECRET_WORDS: [&str; 8] = [
    "AUTHORIZATION",
    "COOKIE",
    "CREDENTIAL",
    "KEY",
    "PASSWORD",
    "SECRET",
    "SESSION",
    "TOKEN",
];

/// Whether a header, variable or member of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// The value of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderValue {
    /// Shown as it is.
    Plain(String),
    /// Treated like every other secret.
    Secret(Secret),
}

impl HeaderValue {
    /// The value, if it is known.
    pub fn expose(&self) -> Option<&str> {
        match self {
            Self::Plain(text) => Some(text),
            Self::Secret(secret) => secret.expose(),
        }
    }
}

impl Serialize for HeaderValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Plain(text) => text.serialize(serializer),
            Self::Secret(secret) => secret.serialize(serializer),
        }
    }
}

/// Headers by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecretHeaders(IndexMap<String, HeaderValue>);

impl SecretHeaders {
    /// No headers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a header; its name decides whether it is a secret.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let name = name.into();
        let value = if is_secret_name(&name) {
            HeaderValue::Secret(Secret::new(value))
        } else {
            HeaderValue::Plain(value.into())
        };
        self.0.insert(name, value);
    }

    /// The headers in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &HeaderValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Described for SecretHeaders {
    fn schema() -> &'static Schema {
        &Schema::Map(String::schema)
    }
}

impl Serialize for SecretHeaders {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(&self.0)
    }
}

impl<'de> Deserialize<'de> for SecretHeaders {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Headers;
        impl<'de> Visitor<'de> for Headers {
            type Value = SecretHeaders;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("headers by name")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SecretHeaders, A::Error> {
                let mut headers = IndexMap::new();
                while let Some(name) = map.next_key::<String>()? {
                    let value = if is_secret_name(&name) {
                        // A masked answer of the API has null here.
                        let secret = map.next_value::<Option<Secret>>()?;
                        HeaderValue::Secret(secret.unwrap_or_else(Secret::lost))
                    } else {
                        HeaderValue::Plain(map.next_value()?)
                    };
                    headers.insert(name, value);
                }
                Ok(SecretHeaders(headers))
            }
        }
        deserializer.deserialize_map(Headers)
    }
}
