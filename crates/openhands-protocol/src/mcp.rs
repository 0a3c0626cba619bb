//! Servers of the Model Context Protocol.

mod auth;
mod server;
mod test;
mod test_server;

pub use auth::{
    McpApiKeyAuth, McpAuth, McpBasicAuth, McpBearerAuth, McpHeaderAuth, McpNoneAuth, McpOauthAuth,
    McpOauthAuthentication, McpOauthClientInfoState, McpOauthState, McpOauthTokenState,
};
pub use server::{McpServer, McpServerPatch, McpTransport};
pub use test::{
    McpErrorKind, McpJobPath, McpOauthCallbackRequest, McpOauthStartResponse,
    McpOauthStateResponse, McpOauthStatus, McpOauthStatusResponse, McpTestFailure, McpTestRequest,
    McpTestResponse, McpTestServer, McpTestSuccess, McpToolCallResult, McpToolCallSpec,
};
