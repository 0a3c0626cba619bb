//! How much of the machine is used. Only this server has the route.

use std::sync::Arc;

use axum::extract::State;
use openhands_protocol::server::SystemStatistics;

use crate::app::App;
use crate::http::{ApiError, Reply, Routes};
use crate::telemetry::system;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .get("/api/system", statistics)
        .says("Memory, processors, disk and processes, and the limits of the container")
        .answers::<SystemStatistics>(200)
}

async fn statistics(State(app): State<Arc<App>>) -> Result<Reply<SystemStatistics>, ApiError> {
    let statistics = system::statistics(&app.config().conversations_path).await;
    statistics.map(Reply).map_err(ApiError::internal)
}
