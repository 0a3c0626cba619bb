//! A request's body as JSON.

use axum::body::Bytes;
use serde_json::Value;

use super::refusal::Refusal;
use crate::http::json_error;

/// The JSON of a body that must be an object.
pub(super) fn object(body: &Bytes) -> Result<serde_json::Map<String, Value>, Refusal> {
    if body.is_empty() {
        return Err(Refusal::missing("('body',)", &Value::Null));
    }
    match parse(body)? {
        Value::Object(members) => Ok(members),
        other => Err(Refusal::invalid(
            "model_attributes_type",
            "('body',)",
            "Input should be a valid dictionary or object to extract fields from",
            &other,
        )),
    }
}

fn parse(body: &Bytes) -> Result<Value, Refusal> {
    serde_json::from_slice(body).map_err(|error| {
        let (at, what) = std::str::from_utf8(body)
            .ok()
            .and_then(json_error)
            .map_or_else(
                || (error.column(), error.to_string()),
                |(at, what)| (at, what.to_owned()),
            );
        Refusal::not_json(at, &what)
    })
}
