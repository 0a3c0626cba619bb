//! What the server says about itself.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::app::App;
use crate::http::Routes;

/// The version of the Python server whose API is spoken: clients choose their calls by it.
pub(crate) const API_VERSION: &str = "1.58.0";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/alive", ok)
        .says("Whether the process is alive")
        .get("/health", ok)
        .says("Whether the server is well")
        .get("/ready", ready)
        .says("Whether the server takes requests")
        .get("/server_info", server_info)
        .says("Versions, tools and capabilities")
        .get("/", server_info)
        .says("Versions, tools and capabilities")
}

async fn ok() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

async fn ready() -> Json<Value> {
    Json(json!({"status": "ready"}))
}

async fn server_info(State(app): State<Arc<App>>) -> Json<Value> {
    let tools: Vec<&str> = app.conversations.host().registry.names().collect();
    Json(json!({
        "uptime": app.activity.uptime(),
        "idle_time": app.activity.idle_time(),
        "title": "OpenHands Agent Server",
        "version": API_VERSION,
        "sdk_version": API_VERSION,
        "tools_version": API_VERSION,
        "workspace_version": API_VERSION,
        "build_git_sha": option_env!("OPENHANDS_BUILD_GIT_SHA").unwrap_or("unknown"),
        "build_git_ref": option_env!("OPENHANDS_BUILD_GIT_REF").unwrap_or("unknown"),
        "usable_tools": tools,
        "capabilities": [],
    }))
}
