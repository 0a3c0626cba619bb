//! A secret text: masked wherever it is shown, revealed only on purpose.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::reader;
use crate::writer::{self, Secrets};

/// What a masked secret looks like on the wire.
pub const STARS: &str = "**********";

/// Name of the newtype by which the null probe tells a secret without computing its text.
pub(crate) const SECRET: &str = "$openhands::secret";

/// A text that must not leak: `Debug` and plain serialisation show stars.
///
/// A [`Form`](crate::Form) decides per channel whether it is nulled, starred, sealed or plain.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(State);

#[derive(Clone, PartialEq, Eq, Hash)]
enum State {
    /// The text itself.
    Known(Box<str>),
    /// Someone else masked it; the text is not here.
    Masked,
    /// It was stored, but cannot be read back: it counts as no value.
    Lost,
}

impl Secret {
    /// A secret with a known text. The mask itself is not a text: it gives a masked secret.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        if text == STARS {
            Self(State::Masked)
        } else {
            Self(State::Known(text.into_boxed_str()))
        }
    }

    /// A secret whose text is not here.
    pub fn masked() -> Self {
        Self(State::Masked)
    }

    /// A secret that was stored but cannot be read back.
    pub fn lost() -> Self {
        Self(State::Lost)
    }

    /// The text, if it is known.
    pub fn expose(&self) -> Option<&str> {
        match &self.0 {
            State::Known(text) => Some(text),
            State::Masked | State::Lost => None,
        }
    }

    /// Whether only the mask is known.
    pub fn is_masked(&self) -> bool {
        self.0 == State::Masked
    }

    /// Whether the stored text could not be read back.
    pub fn is_lost(&self) -> bool {
        self.0 == State::Lost
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_lost() {
            "Secret(lost)"
        } else {
            "Secret(**********)"
        })
    }
}

/// The text of a secret as the write in force wants it.
struct Shown<'a>(&'a State);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let State::Known(text) = self.0 else {
            return serializer.serialize_str(STARS);
        };
        match writer::secrets_in_force() {
            Secrets::Plain => serializer.serialize_str(text),
            Secrets::Sealed(seal) => serializer.serialize_str(&seal(text)),
            Secrets::Stars | Secrets::Null => serializer.serialize_str(STARS),
        }
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_lost() || writer::nulls_secrets() {
            serializer.serialize_none()
        } else {
            serializer.serialize_newtype_struct(SECRET, &Shown(&self.0))
        }
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match reader::opener() {
            None => Self::new(text),
            Some(_) if text == STARS => Self::lost(),
            Some(open) => open(&text).map_or_else(Self::lost, Self::new),
        })
    }
}

/// A secret that is starred where other secrets are nulled: those of MCP servers are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StarredSecret(pub Secret);

impl StarredSecret {
    /// A secret with a known text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Secret::new(text))
    }

    /// The text, if it is known.
    pub fn expose(&self) -> Option<&str> {
        self.0.expose()
    }
}

impl Serialize for StarredSecret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_lost() {
            serializer.serialize_none()
        } else {
            serializer.serialize_newtype_struct(SECRET, &Shown(&self.0.0))
        }
    }
}

impl<'de> Deserialize<'de> for StarredSecret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Secret::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
#[path = "secret_tests.rs"]
mod tests;
