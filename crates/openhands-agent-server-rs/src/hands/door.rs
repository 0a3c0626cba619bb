//! The protocol's transport, streamable HTTP, by its library.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use openhands_sdk_rs::runtime::hands::MAX_BODY_BYTES;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::Hands;
use super::face::Face;

/// A session whose client neither says nor hears anything for so long ends, with its shell.
const SESSION_IDLE: Duration = Duration::from_hours(1);
/// How long the answer of a session's request stays in the library. Who needs it longer gives the call an id.
const SESSION_ANSWER: Duration = Duration::from_secs(10);

/// Where requests of the protocol come in.
pub(crate) struct Door {
    hands: Arc<Hands>,
    service: StreamableHttpService<Face, LocalSessionManager>,
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Door").field(&self.hands).finish()
    }
}

impl Door {
    /// A door to these hands.
    pub(crate) fn new(hands: Arc<Hands>) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_IDLE);
        sessions.session_config.completed_cache_ttl = SESSION_ANSWER;
        let config = StreamableHttpServerConfig::default()
            // A sandbox is reached under names that it does not know; the key guards it.
            .disable_allowed_hosts()
            // A call that has no output is answered in one piece.
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .with_cancellation_token(hands.stop.child_token());
        let service = StreamableHttpService::new(
            {
                let hands = Arc::clone(&hands);
                move || Ok(Face::new(&hands))
            },
            Arc::new(sessions),
            config,
        );
        Self { hands, service }
    }

    /// Answers a request.
    pub(crate) async fn handle(&self, request: Request) -> Response {
        let response = Box::pin(self.service.handle(request)).await;
        response.map(Body::new).into_response()
    }

    /// Ends everything.
    pub(crate) async fn stop(&self) {
        self.hands.stop().await;
    }
}
