//! Who may call a route.

use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq;

use crate::app::App;
use crate::http::ApiError;

/// The header of the session key.
pub(crate) const KEY_HEADER: &str = "x-session-api-key";
/// The cookie with which a browser reads workspace files.
pub(crate) const WORKSPACE_COOKIE: &str = "oh_workspace_session_key";

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody, or the handler looks itself.
    Open,
    /// Who has a session key.
    Key,
    /// Who has a session key, in the header or in the cookie for workspace files.
    KeyOrCookie,
    /// Who has a session key, in its header or as a bearer token.
    KeyOrBearer,
}

impl Access {
    /// What a path needs unless it says otherwise: all of the API is behind a key.
    pub(crate) fn of_path(path: &str) -> Self {
        if path.starts_with("/api/") {
            Self::Key
        } else if path.starts_with("/v1/") {
            Self::KeyOrBearer
        } else {
            Self::Open
        }
    }
}

/// Refuses a request without a key where one is needed.
pub(crate) fn check(app: &App, access: Access, headers: &HeaderMap) -> Result<(), ApiError> {
    let keys = &app.config().session_api_keys;
    if access == Access::Open || keys.is_empty() || has_key(keys, access, headers) {
        Ok(())
    } else {
        Err(ApiError::unauthorized())
    }
}

/// Whether one of the keys is among the headers, where this access looks for it.
pub(crate) fn has_key(keys: &[String], access: Access, headers: &HeaderMap) -> bool {
    let bearer = || {
        let value = headers.get(header::AUTHORIZATION)?.as_bytes();
        let (scheme, key) = value.split_at_checked("Bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"Bearer ").then_some(key)
    };
    let given = headers
        .get(KEY_HEADER)
        .map(axum::http::HeaderValue::as_bytes);
    given.is_some_and(|given| is_key(keys, given))
        || access == Access::KeyOrBearer && bearer().is_some_and(|given| is_key(keys, given))
        || access == Access::KeyOrCookie
            && cookie(headers).is_some_and(|given| is_key(keys, given.as_bytes()))
}

/// Whether a text is one of the keys. Takes the same time wherever they differ.
pub(crate) fn is_key(keys: &[String], given: &[u8]) -> bool {
    keys.iter().fold(false, |found, key| {
        found | bool::from(key.as_bytes().ct_eq(given))
    })
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == WORKSPACE_COOKIE)
        .map(|(_, value)| value.trim_matches('"'))
}
