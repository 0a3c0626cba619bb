//! The newer transport, streamable HTTP, by the protocol's library.

use std::fmt;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::face::Face;
use super::router::Router;

/// The sessions over streamable HTTP. One that is idle for minutes ends.
pub(super) struct Streamable {
    sessions: Arc<LocalSessionManager>,
    config: StreamableHttpServerConfig,
}

impl fmt::Debug for Streamable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamable").finish_non_exhaustive()
    }
}

impl Streamable {
    pub(super) fn new(stop: &CancellationToken) -> Self {
        Self {
            sessions: Arc::default(),
            config: StreamableHttpServerConfig::default()
                // A sandbox is reached under names that it does not know; the key guards it.
                .disable_allowed_hosts()
                .with_cancellation_token(stop.child_token()),
        }
    }

    /// Answers a request. A session keeps the profile that it began with.
    pub(super) async fn handle(
        &self,
        router: &Arc<Router>,
        profile: Option<String>,
        request: Request,
    ) -> Response {
        let router = Arc::clone(router);
        let service = StreamableHttpService::new(
            move || Ok(Face::new(&router, profile.clone())),
            Arc::clone(&self.sessions),
            self.config.clone(),
        );
        let response = Box::pin(service.handle(request)).await;
        response.map(Body::new).into_response()
    }
}
