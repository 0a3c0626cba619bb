//! What clients are told when something does not work.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use openhands_sdk_rs::tools::python_repr;
use serde_json::{Value, json};

/// An answer that is no success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    status: StatusCode,
    detail: String,
    /// What is wrong with the parameters, in the words of the reference's validation.
    errors: Option<String>,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            errors: None,
        }
    }

    /// A failure with a text that clients show.
    ///
    /// compat: what should be a 400 or 404 is a 500 that names the code, because one client takes a 404 for a lost
    /// connection.
    pub(super) fn failed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    }

    /// An action that could not be carried out at all.
    pub(super) fn action(detail: impl std::fmt::Display) -> Self {
        Self::failed(format!("Internal server error: {detail}"))
    }

    /// Something that should not happen; the log knows more.
    pub(super) fn unexpected() -> Self {
        Self::failed("An unexpected error occurred. Please try again later.")
    }

    /// A parameter that does not fit. `place` is where it is, such as `('body', 'action')`.
    pub(super) fn invalid(kind: &str, place: &str, message: &str, input: &Value) -> Self {
        Self::unfit(&format!(
            "{{'type': '{kind}', 'loc': {place}, 'msg': '{message}', 'input': {}}}",
            python_repr::value(input)
        ))
    }

    /// A parameter that is missing.
    pub(super) fn missing(place: &str, input: &Value) -> Self {
        Self::invalid("missing", place, "Field required", input)
    }

    /// A body that is no JSON.
    pub(super) fn not_json(at: usize, what: &str) -> Self {
        Self::unfit(&format!(
            "{{'type': 'json_invalid', 'loc': ('body', {at}), 'msg': 'JSON decode error', 'input': {{}}, 'ctx': {{'error': {}}}}}",
            python_repr::value(&what.into())
        ))
    }

    fn unfit(error: &str) -> Self {
        Self {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            detail: "Invalid request parameters".to_owned(),
            errors: Some(format!("[{error}]")),
        }
    }

    /// The body of the answer.
    pub(super) fn body(&self) -> Value {
        match &self.errors {
            Some(errors) => json!({"detail": self.detail, "errors": errors}),
            None => json!({"detail": self.detail}),
        }
    }

    pub(super) fn detail(&self) -> &str {
        &self.detail
    }

    pub(super) fn status(&self) -> StatusCode {
        self.status
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, axum::Json(self.body())).into_response()
    }
}
