//! Metrics for Prometheus. Only this server has the route.

use std::sync::Arc;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse as _, Response};

use crate::app::App;
use crate::http::{Access, ApiError, Routes};
use crate::telemetry::metrics::{CONTENT_TYPE, Snapshot};
use crate::telemetry::system::OwnUse;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/metrics", metrics)
        .says("Metrics in the form of Prometheus")
        .answers::<String>(200)
        .access(Access::KeyOrBearer)
}

async fn metrics(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    if !app.config().metrics {
        return Err(ApiError::not_found("Not Found"));
    }
    let own = OwnUse::read().await.map_err(ApiError::internal)?;
    let (loaded, running) = app.conversations.counts();
    let snapshot = Snapshot {
        conversations_loaded: loaded,
        conversations_running: running,
        commands_running: app.bash.running(),
        webhooks_waiting: app.webhooks.waiting(),
        webhooks_dropped: app.webhooks.dropped(),
        resident_bytes: own.resident_bytes,
        cpu_seconds: own.cpu_seconds,
        open_files: own.open_files,
        uptime_seconds: app.activity.uptime(),
    };
    let text = app.metrics.text(&snapshot).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}
