//! Path parameters.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::http::{ApiError, Matched, input};

/// The parameters in the path, as an object type whose fields are named as in the route.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let values = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|error| ApiError::bad_request(error.to_string()))?;
        let names = parts
            .extensions
            .get::<Matched>()
            .map(|matched| matched.0.parameters())
            .unwrap_or_default();
        let members: Map<String, Value> = names
            .into_iter()
            .zip(&values)
            .map(|(name, (_, value))| (name.to_owned(), Value::String(value.to_owned())))
            .collect();
        input::read("path", Value::Object(members)).map(Self)
    }
}
