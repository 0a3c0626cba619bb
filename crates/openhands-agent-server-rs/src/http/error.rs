//! Errors of the API: a status and a body in the shape that clients of the Python server know.

use std::fmt::Display;

use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use openhands_protocol::Form;
use openhands_protocol::server::ValidationError;
use serde_json::{Value, json};
use uuid::Uuid;

/// What a request is answered that could not be carried out.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    body: Value,
    /// The method that would have been right.
    allow: Option<Method>,
}

impl ApiError {
    /// A status with a `detail`, for what the caller did wrong.
    pub(crate) fn new(status: StatusCode, detail: impl Into<Value>) -> Self {
        Self {
            status,
            body: json!({"detail": detail.into()}),
            allow: None,
        }
    }

    /// 400.
    pub(crate) fn bad_request(detail: impl Into<Value>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// 401.
    pub(crate) fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "Unauthorized")
    }

    /// 403.
    pub(crate) fn forbidden(detail: impl Into<Value>) -> Self {
        Self::new(StatusCode::FORBIDDEN, detail)
    }

    /// 404.
    pub(crate) fn not_found(detail: impl Into<Value>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// 405, with the method that the path takes.
    pub(crate) fn method_not_allowed(allow: &Method) -> Self {
        Self {
            allow: Some(allow.clone()),
            ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
        }
    }

    /// 409.
    pub(crate) fn conflict(detail: impl Into<Value>) -> Self {
        Self::new(StatusCode::CONFLICT, detail)
    }

    /// 422 with a detail of the handler's own: a text, or a list in the form of a failed validation.
    pub(crate) fn unprocessable(detail: impl Into<Value>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    /// 422 for input that does not fit.
    pub(crate) fn invalid(errors: impl AsRef<[ValidationError]>) -> Self {
        match Form::REST.to_value(errors.as_ref()) {
            Ok(errors) => Self::unprocessable(errors),
            Err(error) => Self::internal(error),
        }
    }

    /// 429.
    pub(crate) fn too_many(detail: impl Into<Value>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, detail)
    }

    /// A 5xx that is raised on purpose. compat: its reason is not the detail but part of `exception`.
    pub(crate) fn masked(status: StatusCode, reason: impl Display) -> Self {
        Self {
            status,
            body: json!({
                "detail": "Internal Server Error",
                "exception": format!("{}: {reason}", status.as_u16()),
            }),
            allow: None,
        }
    }

    /// Something failed that nobody foresaw. The id joins the answer with the log.
    pub(crate) fn internal(error: impl Display) -> Self {
        let id = Uuid::new_v4().simple().to_string();
        let exception = error.to_string();
        tracing::error!(error_id = id, exception, "a request failed");
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            body: json!({
                "detail": "Internal Server Error",
                "exception": exception,
                "error_id": id,
            }),
            allow: None,
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = self.body.to_string();
        let head = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (self.status, head, body).into_response();
        let allow = self
            .allow
            .and_then(|allow| HeaderValue::try_from(allow.as_str()).ok());
        if let Some(allow) = allow {
            response.headers_mut().insert(header::ALLOW, allow);
        }
        response
    }
}
