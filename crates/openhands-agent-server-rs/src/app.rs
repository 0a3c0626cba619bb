//! The routes.

use crate::server_info::{ServerInfo, Uptime};
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

/// Every route of the server.
pub(crate) fn router() -> Router {
    Router::new()
        .route("/alive", get(ok))
        .route("/health", get(ok))
        .route("/ready", get(ready))
        .route("/server_info", get(server_info))
        .route("/", get(server_info))
        .fallback(not_found)
        .with_state(Uptime::start())
}

async fn ok() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

async fn ready() -> Json<Value> {
    Json(json!({"status": "ready"}))
}

async fn server_info(State(uptime): State<Uptime>) -> Json<ServerInfo> {
    Json(ServerInfo::now(uptime))
}

async fn not_found() -> (axum::http::StatusCode, Json<Value>) {
    (
        axum::http::StatusCode::NOT_FOUND,
        Json(json!({"detail": "Not Found"})),
    )
}
