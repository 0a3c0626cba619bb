//! The routes of the V0 API, and who may call them.

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use openhands_protocol::v0::{AliveStatus, ConnectionToken};
use openhands_protocol::{Form, Secret};
use subtle::ConstantTimeEq as _;
use tower_http::catch_panic::CatchPanicLayer;

use super::refusal::Refusal;
use super::sandbox::Sandbox;
use super::{execute_action, mcp, server_info, stream, transfer, web_page};
use crate::http::KEY_HEADER;

/// Paths that need no key.
const OPEN: &[&str] = &["/alive", "/server_info"];

pub(super) fn router(sandbox: Arc<Sandbox>) -> Router {
    Router::new()
        .route("/alive", get(alive))
        .route("/server_info", get(server_info::server_info))
        .route("/execute_action", post(execute_action::execute_action))
        .route(
            "/execute_action/stream",
            get(stream::get).post(stream::post),
        )
        .route("/upload_file", post(transfer::upload))
        .route("/download_files", get(transfer::download))
        .route("/list_files", post(transfer::list))
        .route("/vscode/connection_token", get(connection_token))
        .merge(mcp::routes(Arc::clone(&sandbox.mcp)))
        .fallback(async || Refusal::new(StatusCode::NOT_FOUND, "Not Found"))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
        })
        .layer(DefaultBodyLimit::disable())
        .layer(CatchPanicLayer::custom(|_| {
            tracing::error!("a request made the server panic");
            Refusal::unexpected().into_response()
        }))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&sandbox),
            check_key,
        ))
        .with_state(sandbox)
}

/// Whoever does not know the key learns nothing, not even which paths there are. Without a key everybody may ask but web
/// pages of others, which can send no key.
async fn check_key(State(sandbox): State<Arc<Sandbox>>, request: Request, next: Next) -> Response {
    if OPEN.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    let refused = match &sandbox.settings.session_key {
        Some(key) => {
            let given = request.headers().get(KEY_HEADER);
            let is_known = given.is_some_and(|given| given.as_bytes().ct_eq(key.as_bytes()).into());
            (!is_known).then_some("Invalid API Key")
        }
        None => web_page::is_foreign(request.headers())
            .then_some("Web pages of others may not use a server without a key"),
    };
    match refused {
        Some(why) => Refusal::new(StatusCode::FORBIDDEN, why).into_response(),
        None => next.run(request).await,
    }
}

/// Nobody can connect before everything is ready, so there is no other answer.
async fn alive() -> Json<AliveStatus> {
    Json(AliveStatus {
        status: "ok".to_owned(),
        ..AliveStatus::default()
    })
}

/// Whoever has the key of the server may have that of the editor.
async fn connection_token(State(sandbox): State<Arc<Sandbox>>) -> Response {
    let token = ConnectionToken {
        token: sandbox.plugins.connection_token().map(Secret::new),
        ..ConnectionToken::default()
    };
    match Form::PEER.to_vec(&token) {
        Ok(body) => ([(CONTENT_TYPE, "application/json")], body).into_response(),
        Err(_) => Refusal::unexpected().into_response(),
    }
}
