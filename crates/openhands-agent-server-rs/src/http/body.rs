//! JSON bodies.

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::http::{ApiError, input};

/// The largest JSON body. Images come inside of messages.
const MAX_BODY_BYTES: usize = 256 << 20;

/// A JSON body that must be there.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

/// A JSON body that may be missing.
#[derive(Debug)]
pub(crate) struct MaybeBody<T>(pub(crate) Option<T>);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let Some(value) = json_body(request).await? else {
            return Err(ApiError::unprocessable(json!([{
                "type": "missing",
                "loc": ["body"],
                "msg": "Field required",
                "input": null,
            }])));
        };
        input::read("body", value).map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for MaybeBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        match json_body(request).await? {
            None | Some(Value::Null) => Ok(Self(None)),
            Some(value) => input::read("body", value).map(Some).map(Self),
        }
    }
}

/// The body as JSON; none if there is no body.
async fn json_body(request: Request) -> Result<Option<Value>, ApiError> {
    let body = axum::body::to_bytes(request.into_body(), MAX_BODY_BYTES)
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
    parse(&body).map(Some)
}

fn parse(body: &Bytes) -> Result<Value, ApiError> {
    serde_json::from_slice(body).map_err(|error| {
        ApiError::unprocessable(json!([{
            "type": "json_invalid",
            "loc": ["body", error.column()],
            "msg": "JSON decode error",
            "input": {},
            "ctx": {"error": error.to_string()},
        }]))
    })
}
