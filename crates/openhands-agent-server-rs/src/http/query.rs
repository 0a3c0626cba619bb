//! Query parameters.

use std::collections::HashMap;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use openhands_protocol::Wire;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::http::{ApiError, input};

/// The query, as an object type whose fields are its parameters.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned + Wire, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let pairs: Vec<(String, String)> =
            axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
                .map(|query| query.0)
                .unwrap_or_default();
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for (name, _) in &pairs {
            *seen.entry(name).or_default() += 1;
        }
        let mut members = Map::new();
        for (name, value) in &pairs {
            if !T::FIELDS.contains(&name.as_str()) {
                continue;
            }
            members.insert(name.clone(), Value::String(value.clone()));
        }
        input::read("query", Value::Object(members)).map(Self)
    }
}
