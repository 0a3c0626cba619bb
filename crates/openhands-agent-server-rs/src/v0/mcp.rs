//! The MCP router: the servers of a posted set, to clients as one server.
//!
//! ```text
//! POST /update_mcp_server ─► entry ─► Router ── Set ── Upstream (one McpServers each) ─► stdio │ http │ sse
//!                                        ▲
//! GET  /mcp/sse, /sse      ─► sse ───────┤  Face: a server of the protocol for each session
//! POST /mcp/messages/, …   ─► sse        │
//!      /mcp                ─► streamable ┘
//! ```
//!
//! A set is a list of `{"name", "command", "args", "env"}`, or beyond what V0 had `{"name", "url", "transport",
//! "headers", "api_key"}` with the transport `sse`, `http` or `streamable-http`. It takes the place of the one before;
//! servers that are in both with the same settings go on running. A server that fails is named in `router_error_log`
//! and costs the others nothing. While the set is empty, there is nothing at the addresses for clients.
//!
//! Of one server, tools and prompts keep their names; of several, they are called `<server>_<name>`. Addresses of
//! resources stay as they are.
//!
//! A server may have a `"profile"`, a name or a list of names: a client of `/mcp/sse?profile=<name>` (the same holds
//! for `/sse` and `/mcp`) sees only the servers of this profile, under the names that they have without it. A client
//! that names none sees all servers.

mod entry;
mod face;
mod lists;
mod progress;
mod result;
mod router;
mod sse;
mod streamable;
mod upstream;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use openhands_protocol::v0::McpServerUpdated;
use rmcp::model::ClientJsonRpcMessage;
use serde::Deserialize;
use uuid::Uuid;

use self::entry::Misshapen;
pub(super) use self::router::{Router, START_LIMIT};
use super::refusal::Refusal;
use crate::http::is_key;

/// Of one message: what servers may say, too.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// The routes of the router.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(router: Arc<Router>) -> axum::Router<S> {
    axum::Router::new()
        .route("/update_mcp_server", post(update))
        .route("/mcp/sse", get(stream_below_mcp))
        .route("/sse", get(stream))
        .route("/mcp/messages/", post(message))
        .route("/mcp/messages", post(message))
        .route("/messages/", post(message))
        .route("/messages", post(message))
        .route("/mcp", any(streamable_http))
        .layer(DefaultBodyLimit::max(MAX_MESSAGE_BYTES))
        .with_state(router)
}

/// What the address of a stream may say.
#[derive(Debug, Default, Deserialize)]
struct Wish {
    profile: Option<String>,
}

/// Whose message it is.
#[derive(Debug, Deserialize)]
struct Sender {
    session_id: Option<String>,
}

async fn update(State(router): State<Arc<Router>>, body: Bytes) -> Response {
    let entries = match serde_json::from_slice(&body) {
        Ok(value) => entry::read_set(&value),
        Err(error) => {
            tracing::warn!(%error, "a set of MCP servers is no JSON");
            return unexpected();
        }
    };
    match entries {
        Ok(entries) => {
            // In a task of its own, because a client that goes away must not leave half an update.
            let updated = router
                .tasks
                .spawn({
                    let router = Arc::clone(&router);
                    async move { router.update(entries).await }
                })
                .await;
            match updated {
                Ok(router_error_log) => axum::Json(McpServerUpdated {
                    detail: "MCP server updated successfully".to_owned(),
                    router_error_log,
                    ..McpServerUpdated::default()
                })
                .into_response(),
                Err(error) => {
                    tracing::error!(%error, "an update of MCP servers failed");
                    unexpected()
                }
            }
        }
        Err(Misshapen::NotAList) => refusal(
            StatusCode::BAD_REQUEST,
            "Request must be a list of MCP tools to sync",
        ),
        Err(error @ Misshapen::Entry { .. }) => {
            tracing::warn!(%error, "a set of MCP servers is refused");
            // compat: the reference has no better words for it.
            unexpected()
        }
    }
}

async fn stream(
    State(router): State<Arc<Router>>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
) -> Response {
    open(&router, wish, &headers, "/messages/")
}

async fn stream_below_mcp(
    State(router): State<Arc<Router>>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
) -> Response {
    open(&router, wish, &headers, "/mcp/messages/")
}

fn open(router: &Arc<Router>, wish: Wish, headers: &HeaderMap, messages_path: &str) -> Response {
    if !router.serves(wish.profile.as_deref()) {
        return not_found();
    }
    if !has_bearer(router, headers) {
        return no_bearer();
    }
    sse::open(router, wish.profile, messages_path).unwrap_or_else(|| {
        refusal(
            StatusCode::TOO_MANY_REQUESTS,
            "There are too many sessions of MCP clients",
        )
    })
}

async fn message(
    State(router): State<Arc<Router>>,
    Query(sender): Query<Sender>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !has_bearer(&router, &headers) {
        return no_bearer();
    }
    let Some(id) = sender.session_id else {
        return refusal(StatusCode::BAD_REQUEST, "session_id is required");
    };
    let Ok(id) = Uuid::try_parse(&id) else {
        return refusal(StatusCode::BAD_REQUEST, "Invalid session ID");
    };
    let Some(inbox) = router.sessions.find(id) else {
        return refusal(StatusCode::NOT_FOUND, "Could not find session");
    };
    let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(&body) else {
        return refusal(StatusCode::BAD_REQUEST, "Could not parse message");
    };
    if inbox.put(message).await {
        (StatusCode::ACCEPTED, "Accepted").into_response()
    } else {
        refusal(StatusCode::NOT_FOUND, "Could not find session")
    }
}

async fn streamable_http(
    State(router): State<Arc<Router>>,
    Query(wish): Query<Wish>,
    request: Request,
) -> Response {
    if !router.serves(wish.profile.as_deref()) {
        return not_found();
    }
    if !has_bearer(&router, request.headers()) {
        return no_bearer();
    }
    router
        .streamable
        .handle(&router, wish.profile, request)
        .await
}

/// Whether a request carries the key as a bearer token, too; the key's own header is checked for all routes.
fn has_bearer(router: &Router, headers: &HeaderMap) -> bool {
    let Some(key) = &router.key else {
        return true;
    };
    let bearer = || {
        let value = headers.get(header::AUTHORIZATION)?.as_bytes();
        let (scheme, given) = value.split_at_checked("Bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"Bearer ").then_some(given)
    };
    bearer().is_some_and(|given| is_key(std::slice::from_ref(key), given))
}

fn no_bearer() -> Response {
    let mut response = refusal(
        StatusCode::UNAUTHORIZED,
        "The bearer token is not the session key",
    );
    let challenge = header::HeaderValue::from_static("Bearer");
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, challenge);
    response
}

fn not_found() -> Response {
    refusal(StatusCode::NOT_FOUND, "Not Found")
}

fn unexpected() -> Response {
    Refusal::unexpected().into_response()
}

fn refusal(status: StatusCode, detail: &str) -> Response {
    Refusal::new(status, detail).into_response()
}

#[cfg(test)]
#[path = "mcp_tests.rs"]
mod tests;
