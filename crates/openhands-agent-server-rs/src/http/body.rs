//! JSON bodies.

use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use openhands_protocol::schema::Described;
use openhands_protocol::server::{ErrorLocation, ValidationError};
use openhands_protocol::{Json, Patch};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::http::json_error::json_error;
use crate::http::{ApiError, input};

/// The largest JSON body. Images come inside of messages.
const MAX_BODY_BYTES: usize = 256 << 20;

/// A JSON body that must be there.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

/// A JSON body that may be missing.
#[derive(Debug)]
pub(crate) struct MaybeBody<T>(pub(crate) Option<T>);

impl<T: Described + DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        match json_body(request).await? {
            Some(value) => input::read("body", value).map(Self),
            None if is_embedded::<T>() => input::read("body", Value::Null).map(Self),
            None => Err(ApiError::invalid(vec![missing()])),
        }
    }
}

impl<T: Described + DeserializeOwned, S: Send + Sync> FromRequest<S> for MaybeBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        match json_body(request).await? {
            None | Some(Value::Null) => Ok(Self(None)),
            Some(value) => input::read("body", value).map(Some).map(Self),
        }
    }
}

/// Whether the members are parameters, which are missing one by one.
fn is_embedded<T: Described>() -> bool {
    use openhands_protocol::schema::Schema;
    matches!(T::schema(), Schema::Object(object) if object.embedded)
}

/// There is no body, and one is needed.
pub(crate) fn missing() -> ValidationError {
    ValidationError {
        kind: "missing".to_owned(),
        loc: vec![ErrorLocation::Name("body".to_owned())],
        msg: "Field required".to_owned(),
        input: Patch::Value(Json::NULL),
        ..ValidationError::default()
    }
}

/// The body as JSON; none if there is no body. What is not declared as JSON is a text: a page of another
/// site can send such bodies without being asked whether it may.
pub(crate) async fn json_body(request: Request) -> Result<Option<Value>, ApiError> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, MAX_BODY_BYTES)
        .await
        .map_err(|_| {
            ApiError::new(
                axum::http::StatusCode::PAYLOAD_TOO_LARGE,
                format!("The body is larger than {MAX_BODY_BYTES} bytes, or broke off"),
            )
        })?;
    if body.is_empty() {
        return Ok(None);
    }
    if !is_json(&parts.headers) {
        return Ok(Some(String::from_utf8_lossy(&body).into_owned().into()));
    }
    parse(&body).map(Some)
}

/// `application/json`, or a type that is written in it.
fn is_json(headers: &HeaderMap) -> bool {
    let declared = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim();
    let subtype = essence.to_ascii_lowercase();
    let Some(subtype) = subtype.strip_prefix("application/") else {
        return false;
    };
    subtype == "json" || subtype.ends_with("+json")
}

fn parse(body: &Bytes) -> Result<Value, ApiError> {
    let Ok(text) = std::str::from_utf8(body) else {
        return Err(ApiError::bad_request("There was an error parsing the body"));
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| {
        let (place, said) = match json_error(text) {
            Some((place, said)) => (place, said.to_owned()),
            // Refused by one parser only, such as half of a surrogate pair.
            None => (error.column().saturating_sub(1), error.to_string()),
        };
        ApiError::unprocessable(json!([{
            "type": "json_invalid",
            "loc": ["body", place],
            "msg": "JSON decode error",
            "input": {},
            "ctx": {"error": said},
        }]))
    })
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
