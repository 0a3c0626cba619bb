//! Identifiers as types of their own: no bare string id crosses a function boundary.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// Text is not a uuid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a uuid: {0:?}")]
pub struct InvalidUuid(pub String);

/// Identifiers that are uuids: read in dashed and 32-hex form, shown in the given one.
macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $shown:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// A fresh random id.
            pub fn random() -> Self {
                Self(Uuid::new_v4())
            }

            /// The id of a uuid.
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The uuid.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// The 32-hex form, as used in directory names and page ids.
            pub fn hex(self) -> String {
                self.0.simple().to_string()
            }

            /// The dashed form.
            pub fn dashed(self) -> String {
                self.0.hyphenated().to_string()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.$shown().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = InvalidUuid;
            fn from_str(text: &str) -> Result<Self, InvalidUuid> {
                Uuid::try_parse(text).map(Self).map_err(|_| InvalidUuid(text.to_owned()))
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a uuid")
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }
    };
}

/// Identifiers that are any text: what a model or an older log chose is kept as it is. Copies share it: the id of an event is in the event, in the
/// log's index, in the model's view, and in the event that follows.
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id with this text.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:?})", stringify!($name), &self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;
                impl Visitor<'_> for Text {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a string")
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        Ok($name::new(text))
                    }
                }
                deserializer.deserialize_str(Text)
            }
        }

        impl FromStr for $name {
            type Err = std::convert::Infallible;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Ok(Self::new(text))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::new(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }
    };
}

uuid_id! {
    /// A conversation. Accepts dashed and 32-hex text, shows the dashed form.
    ConversationId, hyphenated
}
uuid_id! {
    /// An agent profile. Accepts dashed and 32-hex text, shows the dashed form.
    AgentProfileId, hyphenated
}
uuid_id! {
    /// A bash event or bash command. Accepts dashed and 32-hex text, shows the 32-hex form.
    BashEventId, simple
}

uuid_id! {
    /// A conversation in its `meta.json`. Accepts dashed and 32-hex text, shows the 32-hex form.
    StoredConversationId, simple
}

impl From<ConversationId> for StoredConversationId {
    fn from(id: ConversationId) -> Self {
        Self(id.0)
    }
}

impl From<StoredConversationId> for ConversationId {
    fn from(id: StoredConversationId) -> Self {
        Self(id.0)
    }
}

text_id! {
    /// An event in a conversation's log. New ones are dashed uuids.
    EventId
}
text_id! {
    /// A tool call, as the model named it.
    ToolCallId
}
text_id! {
    /// The model response that an event came from.
    ResponseId
}

impl EventId {
    /// Parent of an event that starts a new root in a log that is not empty.
    pub const ROOT: &'static str = "__root__";

    /// A fresh random id.
    pub fn random() -> Self {
        let mut text = Uuid::encode_buffer();
        Self::new(&*Uuid::new_v4().hyphenated().encode_lower(&mut text))
    }
}

#[cfg(test)]
#[path = "ids_tests.rs"]
mod tests;
