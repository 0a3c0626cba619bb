//! Path parameters.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use openhands_protocol::schema::Described;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::http::{ApiError, Operation, input};

/// The parameters in the path, as an object type whose fields are named as in the route.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: Described + DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        input::checked_path(parts).map(Self)
    }
}

/// The parameters in the path, as the client wrote them but for the escapes of addresses, with the names that the operation gives them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parameters(Vec<(&'static str, Result<String, NotText>)>);

/// A parameter whose bytes are no text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NotText {
    /// Which of them, counted from one.
    number: usize,
}

impl Parameters {
    /// Takes the parameters of a match.
    pub(super) fn of(found: &matchit::Params<'_, '_>, operation: &Operation) -> Self {
        if found.is_empty() {
            return Self::default();
        }
        let decoded = found.iter().enumerate().map(|(at, (_, value))| {
            percent_encoding::percent_decode_str(value)
                .decode_utf8()
                .map(std::borrow::Cow::into_owned)
                .map_err(|_| NotText { number: at + 1 })
        });
        Self(operation.parameters().into_iter().zip(decoded).collect())
    }

    /// The first one, if it is text.
    pub(crate) fn first(&self) -> Option<&str> {
        self.0.first()?.1.as_deref().ok()
    }

    /// All of them as an object.
    pub(super) fn members(&self) -> Result<Value, ApiError> {
        let named = self.0.iter().cloned();
        let members: Result<Map<String, Value>, NotText> = named
            .map(|(name, value)| Ok((name.to_owned(), Value::String(value?))))
            .collect();
        members.map(Value::Object).map_err(|NotText { number }| {
            ApiError::bad_request(format!("Invalid UTF-8 in `p{number}`"))
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Parameters {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(input::parameters(parts))
    }
}
