//! Trying out MCP servers.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use openhands_protocol::mcp::{McpTestRequest, McpTestResponse};

use crate::app::App;
use crate::http::{ApiError, Body, Reply, Routes};
use crate::services::mcp_test::{Probe, server_of};

/// The name of a server that has none.
const DEFAULT_NAME: &str = "test-server";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/api/mcp/test", test)
        .says("Starts or reaches an MCP server, lists its tools and calls one of them if asked to; nothing is saved")
        .answers::<McpTestResponse>(200)
}

async fn test(
    State(app): State<Arc<App>>,
    Body(request): Body<McpTestRequest>,
) -> Result<Reply<McpTestResponse>, ApiError> {
    let config = app.config();
    let cipher = config.cipher();
    let server = server_of(&request.server, cipher.as_ref())
        .map_err(|problem| ApiError::unprocessable(problem.0))?;
    let name = match request.name.trim() {
        "" => DEFAULT_NAME,
        name => name,
    };
    let probe = Probe {
        name,
        server,
        // Validation has made sure that it is positive and small.
        limit: Duration::try_from_secs_f64(request.timeout).unwrap_or_default(),
        call: request.tool_call.as_ref(),
        cipher: cipher.as_ref(),
        env: &config.env,
    };
    Ok(Reply(probe.run().await))
}
