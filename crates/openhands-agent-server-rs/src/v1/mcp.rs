//! Trying out MCP servers.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use openhands_protocol::Form;
use openhands_protocol::mcp::{
    McpJobPath, McpOauthCallbackRequest, McpOauthStartResponse, McpOauthStatusResponse,
    McpTestRequest, McpTestResponse,
};

use crate::app::App;
use crate::http::{ApiError, Body, Path, Reply, Routes, value_error};
use crate::services::mcp_test::{Misshapen, Probe, server_of, wants_login};

/// The name of a server that has none.
const DEFAULT_NAME: &str = "test-server";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .post("/api/mcp/test", test)
        .says("Starts or reaches an MCP server, lists its tools and calls one of them if asked to; nothing is saved")
        .answers::<McpTestResponse>(200)
        .merge(login().all_hidden())
}

/// Signing in is not there yet, so nobody is about to sign in.
fn login() -> Routes {
    Routes::new()
        .post("/api/mcp/oauth/start", start_login)
        .says("Starts to sign in to an MCP server")
        .answers::<McpOauthStartResponse>(200)
        .get("/api/mcp/oauth/status/{job_id}", login_status)
        .says("How far signing in is")
        .answers::<McpOauthStatusResponse>(200)
        .post("/api/mcp/oauth/callback/{job_id}", login_callback)
        .says("Where the browser ended up after signing in")
        .answers::<McpOauthStatusResponse>(200)
}

async fn test(
    State(app): State<Arc<App>>,
    Body(request): Body<McpTestRequest>,
) -> Result<Reply<McpTestResponse>, ApiError> {
    let config = app.config();
    let cipher = config.cipher();
    let server = server_of(&request.server, cipher.as_ref())
        .map_err(|problem| refused(&request, &problem))?;
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

/// Signing in is not there yet.
async fn start_login(
    State(app): State<Arc<App>>,
    Body(request): Body<McpTestRequest>,
) -> Result<Reply<McpOauthStartResponse>, ApiError> {
    let server = server_of(&request.server, app.config().cipher().as_ref())
        .map_err(|problem| refused(&request, &problem))?;
    if !wants_login(&server) {
        return Err(ApiError::bad_request(
            "MCP OAuth start requires auth.strategy='oauth2'",
        ));
    }
    Err(ApiError::masked(
        StatusCode::NOT_IMPLEMENTED,
        "Signing in to MCP servers is not there yet",
    ))
}

/// Nobody has started to sign in.
async fn login_status(_: Path<McpJobPath>) -> ApiError {
    ApiError::not_found("MCP OAuth job not found")
}

async fn login_callback(_: Path<McpJobPath>, _: Body<McpOauthCallbackRequest>) -> ApiError {
    ApiError::not_found("MCP OAuth job not found")
}

fn refused(request: &McpTestRequest, problem: &Misshapen) -> ApiError {
    let input = Form::REST.to_value(&request.server).unwrap_or_default();
    let problem = value_error(&["body", "server"], &problem.to_string(), &input);
    ApiError::invalid(vec![problem])
}
