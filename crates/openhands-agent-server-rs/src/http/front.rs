//! What every request goes through, whatever route it wants: its id and span, the path of the public address, CORS,
//! and the count of it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::uri::{PathAndQuery, Uri};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use tower::ServiceExt as _;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::config::Config;
use crate::http::access::{Access, has_key};
use crate::http::cors::Cors;
use crate::http::{Matched, paths};
use crate::telemetry::metrics::Metrics;

/// The name by which a request is found in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const MAX_REQUEST_ID: usize = 64;

/// A request that took longer is worth a line at the usual level.
const SLOW: Duration = Duration::from_secs(1);

/// Container engines ask for it by themselves, so it is no sign that someone is there.
const HEALTH: &str = "/health";

/// The routes of a server, and what lies before them.
pub struct Front {
    router: Router,
    keys: Vec<String>,
    cors: Cors,
    root: String,
    metrics: Arc<Metrics>,
}

impl Front {
    /// These routes, with the CORS and the public address of a configuration.
    pub(crate) fn new(router: Router, config: &Config, metrics: Arc<Metrics>) -> Self {
        Self {
            router,
            keys: config.session_api_keys.clone(),
            cors: Cors::new(config),
            root: paths::root_of(config.web_url.as_deref()),
            metrics,
        }
    }

    /// Whether a request shows that someone is there who wants this server. Where there are keys it must have one: what
    /// runs beside the server, in a container, may ask it for something now and then as well.
    pub(crate) fn is_sign_of_life(&self, request: &Request) -> bool {
        let has_key = |access| has_key(&self.keys, access, request.headers());
        request.uri().path() != HEALTH
            && (self.keys.is_empty()
                || has_key(Access::KeyOrBearer)
                || has_key(Access::KeyOrCookie))
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, mut request: Request) -> Response {
        let began = Instant::now();
        self.enter(&mut request);
        let id = request_id(request.headers());
        let method = request.method().clone();
        let path = request.uri().path().to_owned();
        let origin = request.headers().get(header::ORIGIN).cloned();
        // The query is not logged: it may hold a key.
        let span = tracing::info_span!("request", id, %method, path, route = tracing::field::Empty);
        let mut response = if let Some(response) = self.cors.preflight(&request) {
            response
        } else {
            let routed = self.router.clone().oneshot(request);
            let Ok(mut response) = routed.instrument(span.clone()).await;
            self.cors
                .mark(&path, origin.as_ref(), response.headers_mut());
            response
        };
        let route = response
            .extensions()
            .get::<Matched>()
            .map(|matched| matched.0.path);
        let (status, took) = (response.status().as_u16(), began.elapsed());
        self.metrics.answered(&method, route, status, took);
        span.record("route", route);
        // A line for each of thousands of polls a second would cost more than the polls, and hide the rest.
        let is_noteworthy = status >= 400 || took >= SLOW;
        span.in_scope(|| {
            let milliseconds = took.as_millis();
            if is_noteworthy {
                tracing::info!(status, milliseconds, "answered");
            } else {
                tracing::debug!(status, milliseconds, "answered");
            }
        });
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        response
    }

    /// Takes the path of the public address off: a proxy may pass it on.
    fn enter(&self, request: &mut Request) {
        let path = request.uri().path();
        let inside = paths::below(&self.root, path);
        if inside.len() == path.len() {
            return;
        }
        let query = request.uri().query().map(|query| format!("?{query}"));
        let text = format!("{inside}{}", query.unwrap_or_default());
        if let Ok(inside) = PathAndQuery::try_from(text) {
            *request.uri_mut() = Uri::from(inside);
        }
    }
}

impl fmt::Debug for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Front")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

/// The id that a proxy gave the request, if it is one that can be shown; else a new one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let is_fit = |id: &&str| {
        !id.is_empty()
            && id.len() <= MAX_REQUEST_ID
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    given
        .filter(is_fit)
        .map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_owned)
}
