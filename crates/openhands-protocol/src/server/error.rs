//! Bodies of answers that report an error.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::json::{Json, JsonObject};
use crate::patch::Patch;
use crate::schema::{Branch, Described, Schema};
use crate::wire::wire;

/// A step on the way to a wrong value: a member name or a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ErrorLocation {
    /// A member, or `body`, `query`, `path`, `header`.
    Name(String),
    /// A position in a list, or a byte offset.
    Index(i64),
}

impl<'de> Deserialize<'de> for ErrorLocation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match (value.as_str(), value.as_i64()) {
            (Some(name), _) => Ok(Self::Name(name.to_owned())),
            (None, Some(index)) => Ok(Self::Index(index)),
            (None, None) => Err(D::Error::custom("expected a member name or a position")),
        }
    }
}

wire! {
    /// One thing that is wrong with a request.
    pub struct ValidationError (default) {
        /// Machine-readable, such as `missing`.
        kind as "type": String,
        loc: Vec<ErrorLocation>,
        msg: String,
        /// What was found; secrets in it are redacted.
        input when present: Patch<Json> = Patch::Absent,
        ctx when some: Option<JsonObject> = None,
    }
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorDetail {
    /// In words.
    Text(String),
    /// The request has a wrong shape.
    Validation(Vec<ValidationError>),
    /// Another shape, such as a code with a message.
    Object(JsonObject),
}

impl Default for ErrorDetail {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Described for ErrorLocation {
    fn schema() -> &'static Schema {
        &Schema::OneOf(&[
            Branch {
                label: "str",
                schema: String::schema,
            },
            Branch {
                label: "int",
                schema: i64::schema,
            },
        ])
    }
}

impl Described for ErrorDetail {
    fn schema() -> &'static Schema {
        &Schema::OneOf(&[
            Branch {
                label: "str",
                schema: String::schema,
            },
            Branch {
                label: "list",
                schema: <Vec<ValidationError>>::schema,
            },
            Branch {
                label: "dict",
                schema: JsonObject::schema,
            },
        ])
    }
}

impl Serialize for ErrorDetail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Validation(errors) => errors.serialize(serializer),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ErrorDetail {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self::Text(text)),
            Value::Object(object) => Ok(Self::Object(object.into())),
            errors @ Value::Array(_) => crate::tree::from_value(errors)
                .map(Self::Validation)
                .map_err(D::Error::custom),
            Value::Null | Value::Bool(_) | Value::Number(_) => Err(D::Error::custom(
                "expected a text, a list of errors or an object",
            )),
        }
    }
}

wire! {
    /// The body of an answer that reports an error.
    pub struct ErrorBody (default) {
        detail: ErrorDetail,
        /// Only with status 5xx.
        exception when some: Option<String> = None,
        /// Only with an unexpected error: finds it in the log.
        error_id when some: Option<String> = None,
        /// Only on a debugging server.
        traceback when some: Option<String> = None,
        /// Only on the V0 server: the validation errors as one text.
        errors when some: Option<String> = None,
    }
}

impl ErrorBody {
    /// An error in words.
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            detail: ErrorDetail::Text(detail.into()),
            ..Self::default()
        }
    }
}
