//! The cookie with which a browser reads workspace files: an `<img>` or a frame cannot send a header.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::http::{ApiError, KEY_HEADER, Routes, WORKSPACE_COOKIE};

/// Ten years; browsers cut it to what they allow.
const LIFETIME_SECONDS: u32 = 10 * 365 * 24 * 3600;

/// Hosts that browsers trust without encryption.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/api/auth/workspace-session", create)
        .says("Get a cookie for the files of workspaces")
        .answers_nothing(204)
        .delete("/api/auth/workspace-session", delete)
        .says("Give the cookie for the files of workspaces back")
        .answers_nothing(204)
}

/// The key has been checked; it is what the cookie holds. Scripts cannot read it.
async fn create(State(app): State<Arc<App>>, headers: HeaderMap) -> Result<Response, ApiError> {
    let given = headers
        .get(KEY_HEADER)
        .and_then(|value| value.to_str().ok());
    // Whatever a client sends to a server without keys means nothing.
    let key = given.filter(|_| !app.config().session_api_keys.is_empty());
    with_cookie(key.unwrap_or_default(), LIFETIME_SECONDS, &headers)
}

async fn delete(headers: HeaderMap) -> Result<Response, ApiError> {
    with_cookie("", 0, &headers)
}

fn with_cookie(value: &str, max_age: u32, headers: &HeaderMap) -> Result<Response, ApiError> {
    let secure = if is_secure(headers) {
        "; Secure; Partitioned"
    } else {
        ""
    };
    let cookie = format!(
        "{WORKSPACE_COOKIE}={}; HttpOnly; Max-Age={max_age}; Path=/api/conversations; SameSite=none{secure}",
        quoted(value)
    );
    let cookie = HeaderValue::try_from(cookie).map_err(ApiError::internal)?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response())
}

/// Letters that a cookie takes as they are; others are put in quotes, as Python does.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~:".contains(c);
    if !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    let mut quoted = "\"".to_owned();
    for c in value.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            ';' => quoted.push_str("\\073"),
            ',' => quoted.push_str("\\054"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether the browser sees an encrypted connection, or this very machine. Only then does it keep such a cookie.
fn is_secure(headers: &HeaderMap) -> bool {
    let first = |name: &str| {
        let value = headers.get(name)?.to_str().ok()?;
        let value = value.split(',').next().unwrap_or_default().trim();
        (!value.is_empty()).then_some(value)
    };
    if first("x-forwarded-proto").is_some_and(|scheme| scheme.eq_ignore_ascii_case("https")) {
        return true;
    }
    let host = first("x-forwarded-host")
        .or_else(|| first("host"))
        .unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => match host.rsplit_once(':') {
            Some((name, _)) if !name.contains(':') => name,
            Some(_) | None => host,
        },
    };
    LOOPBACK
        .iter()
        .any(|loopback| host.eq_ignore_ascii_case(loopback))
}
