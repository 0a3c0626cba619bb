//! Setting up a server that was started ahead of use. A dormant server answers these itself, see [`crate::dormant`].

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use openhands_protocol::server::{InitRequest, InitState, InitStatus};
use serde_json::{Value, json};
use subtle::ConstantTimeEq;

use crate::app::App;
use crate::config::{Config, ConfigError};
use crate::http::{ApiError, Reply, Routes};

const KEY_HEADER: &str = "x-init-api-key";
const NOT_DEFERRED: &str =
    "server is not running with deferred_init=True; the /api/init endpoint is not available";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/init", status)
        .says("How far the late set-up of the server is")
        .answers::<InitStatus>(200)
        .open()
        .post("/api/init", initialize)
        .takes_body::<InitRequest>()
        .says("Sets up a server that was started with deferred_init")
        .answers::<InitStatus>(200)
        .open()
}

async fn status(State(app): State<Arc<App>>) -> Result<Reply<InitStatus>, ApiError> {
    if !app.config().was_deferred {
        return Err(ApiError::not_found(NOT_DEFERRED));
    }
    Ok(Reply(InitStatus {
        state: InitState::Ready,
        ..InitStatus::default()
    }))
}

/// Always refused: a server with these routes is set up.
async fn initialize(State(app): State<Arc<App>>, headers: HeaderMap) -> ApiError {
    if let Err(error) = check_key(app.config(), &headers) {
        return error;
    }
    if app.config().was_deferred {
        already(&InitState::Ready)
    } else {
        ApiError::not_found(NOT_DEFERRED)
    }
}

/// A second request to set the server up.
pub(crate) fn already(state: &InitState) -> ApiError {
    ApiError::bad_request(format!("server already in state: {state}"))
}

/// Setting up has a key of its own: the secret key of the moment. Without one it is open, unless one was meant to be.
pub(crate) fn check_key(config: &Config, headers: &HeaderMap) -> Result<(), ApiError> {
    let given = headers
        .get(KEY_HEADER)
        .map(axum::http::HeaderValue::as_bytes);
    let is_right = match &config.secret_key {
        Some(key) => given.is_some_and(|given| bool::from(key.as_bytes().ct_eq(given))),
        None => !config.secret_key_was_blank,
    };
    if is_right {
        Ok(())
    } else {
        Err(ApiError::unauthorized())
    }
}

/// Refuses what cannot be set: unknown members, and values outside of their limits.
pub(crate) fn check_request(request: &InitRequest) -> Result<(), ApiError> {
    let mut problems: Vec<Value> = request
        .extra
        .iter()
        .map(|(name, value)| {
            json!({
                "type": "extra_forbidden",
                "loc": ["body", name],
                "msg": "Extra inputs are not permitted",
                "input": value,
            })
        })
        .collect();
    if let Some(runs) = request.max_concurrent_runs.filter(|runs| *runs < 1) {
        problems.push(json!({
            "type": "greater_than_equal",
            "loc": ["body", "max_concurrent_runs"],
            "msg": "Input should be greater than or equal to 1",
            "input": runs,
            "ctx": {"ge": 1},
        }));
    }
    if !problems.is_empty() {
        return Err(ApiError::unprocessable(Value::Array(problems)));
    }
    Config::check_webhooks(request.webhooks.as_deref().unwrap_or_default())
        .map_err(|error: ConfigError| ApiError::unprocessable(error.to_string()))
}

/// Refuses keys that are none.
pub(crate) fn check_keys(request: &InitRequest) -> Result<(), ApiError> {
    let mut keys = request.session_api_keys.iter().flatten();
    if keys.any(String::is_empty) {
        return Err(ApiError::unprocessable(
            "session_api_keys cannot contain empty keys",
        ));
    }
    Ok(())
}
