//! Path parameters.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use openhands_protocol::schema::Described;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::http::{ApiError, Matched, Operation, input};

/// The parameters in the path, as an object type whose fields are named as in the route.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: Described + DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        if let Some(read) = input::checked_path(parts) {
            return read.map(Self);
        }
        let Some(Matched(operation)) = parts.extensions.get().cloned() else {
            return Err(ApiError::internal("path parameters outside of a route"));
        };
        input::read("path", members(parts, &operation).await?).map(Self)
    }
}

/// The parameters by the names that the operation gives them.
pub(crate) async fn members(parts: &mut Parts, operation: &Operation) -> Result<Value, ApiError> {
    let values = RawPathParams::from_request_parts(parts, &())
        .await
        .map_err(|error| ApiError::bad_request(error.to_string()))?;
    let members: Map<String, Value> = operation
        .parameters()
        .into_iter()
        .zip(&values)
        .map(|(name, (_, value))| (name.to_owned(), Value::String(value.to_owned())))
        .collect();
    Ok(Value::Object(members))
}
