//! A secret as a client may give it: a bare string, or a source.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::schema::{Branch, Described, Schema, Telling, UnionSchema};
use crate::secret::Secret;
use crate::secrets::{LookupSecret, SecretSource, StaticSecret};
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

impl Described for SecretInput {
    fn schema() -> &'static Schema {
        &Schema::OneOf(&[
            Branch {
                label: "str",
                schema: Secret::schema,
            },
            Branch {
                label: "function-wrap[_validate_subtype()]",
                schema: SecretSource::schema,
            },
        ])
    }
}

/// Secrets to add by name, where an object with a value needs no kind.
pub(crate) fn secrets_to_add() -> &'static Schema {
    static SOURCE: UnionSchema = UnionSchema {
        name: "SecretSource",
        docs: &["Where a value comes from."],
        tag: SecretSource::TAG,
        variants: &[LookupSecret::schema, StaticSecret::schema],
        default: None,
        prefix: None,
        telling: Telling::Class {
            path: "openhands.sdk.secret.secrets.SecretSource",
            default: Some(|members| members.contains_key("value").then_some("StaticSecret")),
        },
    };
    static SCHEMA: Schema = Schema::Union(&SOURCE);
    &Schema::Map(|| &Schema::TextOr(|| &SCHEMA))
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
