//! Answers: a value of the wire, in the form of its channel.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use openhands_protocol::Form;
use serde::Serialize;

use crate::http::ApiError;

/// An answer as REST gives it: nulls are written, secrets are null.
#[derive(Debug)]
pub(crate) struct Reply<T>(pub(crate) T);

impl<T> Reply<T> {
    /// With another status than 200.
    pub(crate) fn with_status(self, status: StatusCode) -> (StatusCode, Self) {
        (status, self)
    }
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        written(&self.0, &Form::REST)
    }
}

/// JSON that was written before.
#[derive(Debug)]
pub(crate) struct Json(pub(crate) Bytes);

impl IntoResponse for Json {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, "application/json")], self.0).into_response()
    }
}

fn written(value: &impl Serialize, form: &Form) -> Response {
    match form.to_vec(value) {
        Ok(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        Err(error) => ApiError::internal(error).into_response(),
    }
}
